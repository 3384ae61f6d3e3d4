package dev.berth.server;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How this server was asked to run: {@code key=value} words, checked all at once.
 *
 * @param gpus whether it gives out GPUs
 * @param workers how many jobs run at once, 0 for as many as there are GPUs
 * @param cpuWorkers how many more jobs run at once that ask for no GPU
 * @param simulateGpus how many GPUs to make up, 0 for none
 * @param port where to listen over TCP, 0 for any free port
 * @param image the image of a job that names none
 * @param detached whether whoever started it reads its first words and goes away
 */
record Settings(
        Path dataDirectory,
        Path socket,
        boolean gpus,
        int workers,
        int cpuWorkers,
        int simulateGpus,
        InetAddress bind,
        int port,
        String image,
        boolean detached) {
    private static final int MAX_WORKERS = 1_024;
    private static final int MAX_SIMULATED = 1_024;
    private static final int MAX_PORT = 65_535;

    /** The longest path of a Unix socket, unix(7). */
    private static final int MAX_SOCKET_BYTES = 107;

    private static final Set<String> KEYS = Set.of(
            "data-dir",
            "socket",
            "gpus",
            "workers",
            "cpu-workers",
            "simulate-gpus",
            "bind",
            "port",
            "image",
            "detached");

    /** Reads the words; throws {@link StartException} with every problem there is. */
    static Settings of(String... words) {
        Reading reading = new Reading(words);
        Path data = Path.of(reading.text("data-dir", "/var/lib/berth")).toAbsolutePath();
        int simulated = reading.number("simulate-gpus", 0, 0, MAX_SIMULATED);
        Settings settings = new Settings(
                data,
                reading.socket(data),
                reading.flag("gpus") || simulated > 0,
                reading.number("workers", 0, 1, MAX_WORKERS),
                reading.number("cpu-workers", 0, 0, MAX_WORKERS),
                simulated,
                reading.address(),
                reading.number("port", 5555, 0, MAX_PORT),
                reading.text("image", "berth-job:latest"),
                reading.flag("detached"));
        reading.finish();
        return settings;
    }

    /** The words while they are read. */
    private static final class Reading {
        private final Map<String, String> values = new HashMap<>();
        private final List<String> problems = new ArrayList<>();

        Reading(String... words) {
            for (String word : words) {
                int equals = word.indexOf('=');
                String key = equals < 0 ? word : word.substring(0, equals);
                if (equals < 0 || !KEYS.contains(key)) {
                    problems.add("'" + word + "' is no setting");
                } else {
                    values.put(key, word.substring(equals + 1));
                }
            }
        }

        String text(String key, String otherwise) {
            return values.getOrDefault(key, otherwise);
        }

        boolean flag(String key) {
            String value = text(key, "false");
            if (!value.equals("true") && !value.equals("false")) {
                problems.add("--" + key + " " + value + ": must be true or false");
            }
            return value.equals("true");
        }

        int number(String key, int otherwise, int min, int max) {
            String value = values.get(key);
            if (value == null) {
                return otherwise;
            }
            try {
                int number = Integer.parseInt(value);
                if (number >= min && number <= max) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // Said below, with the rule.
            }
            problems.add("--" + key + " " + value + ": must be a whole number from " + min + " to " + max);
            return otherwise;
        }

        Path socket(Path data) {
            Path socket = Path.of(text("socket", data.resolve("berth.sock").toString()))
                    .toAbsolutePath();
            int length = socket.toString().getBytes(StandardCharsets.UTF_8).length;
            if (length > MAX_SOCKET_BYTES) {
                problems.add("the socket's path " + socket + " has " + length + " bytes and a Unix socket takes "
                        + MAX_SOCKET_BYTES + "; name a shorter one with --socket");
            }
            return socket;
        }

        InetAddress address() {
            String bind = text("bind", "127.0.0.1");
            try {
                InetAddress address = InetAddress.getByName(bind);
                if (!address.isLoopbackAddress()) {
                    problems.add("--bind " + bind + ": only this machine itself (127.0.0.1 or ::1) may connect over TCP"
                            + " until Berth has tokens and TLS");
                }
                return address;
            } catch (UnknownHostException e) {
                problems.add("--bind " + bind + ": is no address of this machine");
                return InetAddress.getLoopbackAddress();
            }
        }

        void finish() {
            if (!problems.isEmpty()) {
                throw StartException.usage(String.join("; ", problems));
            }
        }
    }
}
