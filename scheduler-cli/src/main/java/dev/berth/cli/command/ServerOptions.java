package dev.berth.cli.command;

import dev.berth.cli.client.ServerLocation;
import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.launch.ServerJvm;
import dev.berth.cli.launch.ServerPlaces;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The options that say how a server runs. What they mean, and whether they are right, is known to the server alone. */
final class ServerOptions {
    private static final String CONFIG = "--config";
    private static final List<String> FLAGS = List.of("--gpus", "--drop-unfit", "--allow-insecure-bind");
    private static final List<String> VALUES = List.of(
            "--workers",
            "--cpu-workers",
            "--simulate-gpus",
            "--gpu-shares",
            "--gpu-mode",
            "--port",
            "--bind",
            "--image",
            "--tls-certificate",
            "--tls-key",
            Shape.DATA_DIRECTORY,
            Shape.SOCKET,
            CONFIG);
    private static final List<String> PATHS =
            List.of("--tls-certificate", "--tls-key", Shape.DATA_DIRECTORY, Shape.SOCKET, CONFIG);
    private static final String SET = "--set";
    private static final String CONFIG_VARIABLE = "BERTH_CONFIG";

    private static final String CONFIG_HELP = "The configuration file, in place of the usual ones. Default:"
            + " BERTH_CONFIG, else /etc/berth/berth.yaml and ~/.config/berth/berth.yaml.";

    /** The directory of the machine's configuration. */
    static final Path SYSTEM = Path.of("/etc/berth");

    private ServerOptions() {}

    static Shape on(Shape shape) {
        return shape.flag(
                        "Allocate the machine's GPUs (those that CUDA_VISIBLE_DEVICES leaves, where it is set).",
                        "-g",
                        "--gpus")
                .value("N", "How many jobs run at once. Default: the number of GPUs; 1 without -g.", "--workers")
                .value("N", "How many more jobs without a GPU run at once. Default: 0.", "--cpu-workers")
                .value("N", "Let up to N jobs share a GPU, each with a part of it. Default: 1.", "--gpu-shares")
                .flag(
                        "Fail queued jobs that ask for more than this server has. Default: they are held until a server"
                                + " with enough is started.",
                        "--drop-unfit")
                .value("N", "Allocate N simulated GPUs, to try Berth on a machine without any.", "--simulate-gpus")
                .value(
                        "MODE",
                        "How jobs come to their GPUs: runtime, device-request, cdi or auto. Default: runtime.",
                        "--gpu-mode")
                .value("P", "The TCP port. Default: 5555; 0 takes any free one.", "--port")
                .value("ADDR", "The TCP address. Default: 127.0.0.1; any other needs TLS.", "--bind")
                .value("FILE", "The server's certificate for TLS, in PEM form.", "--tls-certificate")
                .value("FILE", "The certificate's private key, in PEM form.", "--tls-key")
                .flag(
                        "Let other machines connect without TLS. Everybody on the way can read and change all.",
                        "--allow-insecure-bind")
                .value("NAME", "The image of jobs that name none.", "--image")
                .value("FILE", CONFIG_HELP, "--config")
                .values("KEY=VALUE", "Any setting; berth config show lists them. May be repeated.", SET);
    }

    /** The shape with the option that says where a server's files are, and no more. */
    static Shape onPlace(Shape shape) {
        return shape.value("FILE", CONFIG_HELP, "--config");
    }

    /** Refuses to work on files that nobody named, where something names another server than the usual one. */
    static void requireFiles(String work, Arguments arguments, Session session) {
        if (arguments.value(CONFIG) == null) {
            session.location().requireFiles(work);
        }
    }

    /**
     * The words that the user said, as the server's main class reads them; what is not said is the server's to decide.
     */
    static List<String> words(Arguments arguments, Session session) {
        List<String> words = around(session);
        for (String flag : FLAGS) {
            if (arguments.has(flag)) {
                words.add(flag + "=true");
            }
        }
        for (String option : VALUES) {
            String value = arguments.value(option);
            if (value != null) {
                words.add(option + "=" + (PATHS.contains(option) ? WorkingDirectory.checked(option, value) : value));
            }
        }
        for (String assignment : arguments.values(SET)) {
            words.add(SET + "=" + assignment);
        }
        return words;
    }

    /**
     * The words that tell what the server cannot know by itself: from where the user speaks, and where commands look
     * for a server.
     */
    static List<String> around(Session session) {
        List<String> words = new ArrayList<>();
        words.add("directory=" + WorkingDirectory.orNone());
        words.add("default-data-dir=" + session.location().usualDataDirectory());
        return words;
    }

    /**
     * The places where the server will be. Only a configuration can say other places than the usual; then the server is
     * asked.
     *
     * @param system where the machine's configuration is, if it is there
     */
    static ServerPlaces places(List<String> words, ServerJvm jvm, Session session, Path system) {
        if (isConfigured(words, session.environment(), system)) {
            return ServerPlaces.ask(jvm, words);
        }
        ServerLocation location = session.location();
        return new ServerPlaces(location.dataDirectory(), location.socketOfNew());
    }

    private static boolean isConfigured(List<String> words, Environment environment, Path system) {
        for (String word : words) {
            if (word.startsWith("--config=") || word.startsWith(SET + "=")) {
                return true;
            }
        }
        String file = environment.variables().get(CONFIG_VARIABLE);
        String own = environment.variables().get("XDG_CONFIG_HOME");
        return (file != null && !file.isEmpty())
                || Files.exists(system)
                || Files.exists(environment.home().resolve(".config/berth"))
                || (own != null && own.startsWith("/") && Files.exists(Path.of(own, "berth")));
    }
}
