package dev.berth.server.gpu;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs by {@code nvidia-smi}, asked once at the server's start. A GPU in MIG mode is not usable itself; its MIG
 * devices stand in its place.
 */
public final class NvidiaSmi {
    /** A lost GPU can hang it. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final int NO_DEVICES = 6;
    private static final int NO_DRIVER = 9;

    /** "GPU 0: NVIDIA A100 (UUID: GPU-...)", "  MIG 1g.5gb Device 0: (UUID: MIG-...)", nvidia-smi -L. */
    private static final Pattern LISTED =
            Pattern.compile("^(?<mig>\\s+)?(?<what>GPU|MIG)\\s+(?<name>.*?)\\s*\\(UUID:\\s*(?<uuid>[^)\\s]+)\\)\\s*$");

    private NvidiaSmi() {}

    /**
     * All GPUs of the machine, in NVML's order.
     *
     * @throws GpuException saying why there are none to be had
     */
    public static List<Gpu> gpus() {
        String csv = run("--query-gpu=index,uuid,name,memory.total,mig.mode.current", "--format=csv,noheader,nounits");
        return csv.lines().anyMatch(line -> line.endsWith("Enabled"))
                ? withMigDevices(parse(csv), run("-L"))
                : parse(csv);
    }

    static List<Gpu> parse(String csv) {
        return csv.lines().filter(line -> !line.isBlank()).map(NvidiaSmi::gpu).toList();
    }

    private static Gpu gpu(String line) {
        String[] fields = line.split(",\\s*", -1);
        if (fields.length != 5) {
            throw new GpuException("nvidia-smi printed a line that cannot be read: '" + line + "'");
        }
        try {
            return new Gpu(new GpuId(fields[1]), Integer.parseInt(fields[0]), fields[2], memory(fields[3]));
        } catch (IllegalArgumentException e) {
            throw new GpuException("nvidia-smi printed a line that cannot be read: '" + line + "'", e);
        }
    }

    /** Unsupported values come as words in brackets. */
    private static long memory(String field) {
        return field.startsWith("[") ? 0 : Long.parseLong(field);
    }

    /** Indices count on over what can be given out, so that each is one of a kind. */
    static List<Gpu> withMigDevices(List<Gpu> gpus, String listing) {
        List<Gpu> usable = new ArrayList<>();
        Gpu parent = null;
        int migDevices = 0;
        for (String line : listing.lines().toList()) {
            Matcher match = LISTED.matcher(line);
            if (!match.matches()) {
                continue;
            }
            GpuId id = new GpuId(match.group("uuid"));
            if (match.group("what").equals("GPU")) {
                add(usable, parent, migDevices);
                parent = gpus.stream()
                        .filter(gpu -> gpu.id().equals(id))
                        .findFirst()
                        .orElse(null);
                migDevices = 0;
            } else if (parent != null) {
                String profile = match.group("name").split("\\s+")[0];
                usable.add(new Gpu(id, usable.size(), parent.name() + " MIG " + profile, 0));
                migDevices++;
            }
        }
        add(usable, parent, migDevices);
        return List.copyOf(usable);
    }

    private static void add(List<Gpu> usable, @Nullable Gpu gpu, int migDevices) {
        if (gpu != null && migDevices == 0) {
            usable.add(new Gpu(gpu.id(), usable.size(), gpu.name(), gpu.memoryMiB()));
        }
    }

    private static String run(String... arguments) {
        List<String> command = new ArrayList<>(List.of("nvidia-smi"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .start();
            Thread reaper = Thread.ofVirtual().start(() -> endLate(process));
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exit = process.waitFor();
            reaper.interrupt();
            return checked(exit, output);
        } catch (IOException e) {
            throw new GpuException(
                    "no GPU was found: nvidia-smi is not installed; install NVIDIA's driver, or try Berth with"
                            + " --simulate-gpus N",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GpuException("interrupted while nvidia-smi ran", e);
        }
    }

    private static void endLate(Process process) {
        try {
            if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String checked(int exit, String output) {
        String said = output.strip().lines().findFirst().orElse("nothing");
        return switch (exit) {
            case 0 -> output;
            case NO_DEVICES -> throw new GpuException("no GPU was found: nvidia-smi says: " + said);
            case NO_DRIVER ->
                throw new GpuException("no GPU can be used: NVIDIA's driver is not loaded (nvidia-smi: " + said + ")");
            default -> throw new GpuException("no GPU can be used: nvidia-smi failed with code " + exit + ": " + said);
        };
    }
}
