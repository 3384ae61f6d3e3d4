package dev.berth.server.gpu.nvidia;

import dev.berth.core.job.GpuId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * GPUs of a test's own: a folder with a stand-in for NVIDIA's library, one for {@code nvidia-smi}, and the files that
 * both read at each call (docker/nvidia-stand-in/README.md). Everything may be changed while a reader is at work. GPUs
 * are named by their place in {@code nvidia-smi}'s list as it was at the beginning; {@link #swap} changes the list.
 */
public final class StandInNvml {
    private static final Path SOURCES =
            Path.of("..", "docker", "nvidia-stand-in").toAbsolutePath().normalize();

    private static final List<String> COLUMNS = List.of(
            "index",
            "uuid",
            "pci.bus_id",
            "name",
            "memory.total",
            "memory.used",
            "memory.free",
            "utilization.gpu",
            "temperature.gpu",
            "power.draw",
            "compute_mode",
            "mig.mode.current",
            "driver_version",
            "minor",
            "memory.reserved",
            "display_active",
            "cuda_version",
            "display_mode");

    private final Path folder;
    private final List<Map<String, String>> gpus = new ArrayList<>();
    private final List<GpuId> ids = new ArrayList<>();
    private final List<String> processes = new ArrayList<>();
    private final List<String> contexts = new ArrayList<>();
    private final List<String> migDevices = new ArrayList<>();
    private final List<String> links = new ArrayList<>();
    private int migNumber;

    /** So many GPUs of 24 GiB on which nothing is; the folder is to be empty. */
    public StandInNvml(Path folder, int gpus) {
        this(folder, gpus, "");
    }

    private StandInNvml(Path folder, int gpus, String kind) {
        this.folder = folder;
        copy(Build.FOLDER.resolve(kind).resolve("libnvidia-ml.so.1"), library());
        copy(SOURCES.resolve("nvidia-smi"), nvidiaSmi());
        for (int i = 0; i < gpus; i++) {
            addGpu();
        }
        writeGpus();
    }

    /** The same with a driver that lacks the functions that came with MIG. */
    public static StandInNvml old(Path folder, int gpus) {
        return new StandInNvml(folder, gpus, "old");
    }

    /** What is set as {@code gpus.library}. */
    public Path library() {
        return folder.resolve("libnvidia-ml.so.1");
    }

    /** Its folder goes on a PATH. */
    public Path nvidiaSmi() {
        return folder.resolve("nvidia-smi");
    }

    public Path folder() {
        return folder;
    }

    /** The GPU's UUID. */
    public GpuId id(int gpu) {
        return ids.get(gpu);
    }

    // ---- the GPUs ------------------------------------------------------------------------------------------------

    /** One more GPU at the end of the list. */
    public GpuId addGpu() {
        int number = ids.size();
        GpuId id = new GpuId("GPU-%08x-0000-4000-8000-%012x".formatted(number, number));
        Map<String, String> gpu = new LinkedHashMap<>();
        gpu.put("index", Integer.toString(gpus.size()));
        gpu.put("uuid", id.uuid());
        gpu.put("pci.bus_id", "00000000:%02X:00.0".formatted(number + 1));
        gpu.put("name", "NVIDIA Stand-in 24GB");
        gpu.put("memory.total", "24576");
        gpu.put("memory.used", "1");
        gpu.put("memory.free", "24575");
        gpu.put("utilization.gpu", "0");
        gpu.put("temperature.gpu", "30");
        gpu.put("power.draw", "25.00");
        gpu.put("compute_mode", "Default");
        gpu.put("mig.mode.current", "[N/A]");
        gpu.put("driver_version", "570.00");
        gpu.put("minor", Integer.toString(number));
        gpu.put("memory.reserved", "0");
        gpu.put("display_active", "Disabled");
        gpu.put("cuda_version", "12.8");
        gpu.put("display_mode", "Disabled");
        gpus.add(gpu);
        ids.add(id);
        writeGpus();
        return id;
    }

    /** Takes a GPU out of the machine; the others keep their numbers here and move up in the list. */
    public void removeGpu(int gpu) {
        gpus.remove(row(gpu));
        writeGpus();
    }

    /** Two GPUs change places in the list, as may happen at a reboot. */
    public void swap(int one, int other) {
        Collections.swap(gpus, gpus.indexOf(row(one)), gpus.indexOf(row(other)));
        writeGpus();
    }

    /** A column of {@code nvidia-smi --query-gpu}, such as {@code memory.used}; {@code [N/A]} is what is not told. */
    public void set(int gpu, String column, String value) {
        if (!COLUMNS.contains(column)) {
            throw new IllegalArgumentException("no column '" + column + "'; there are " + COLUMNS);
        }
        row(gpu).put(column, value);
        writeGpus();
    }

    /** Switches MIG on, with devices of these profiles, such as {@code 3g.20gb}. */
    public List<GpuId> mig(int gpu, String... profiles) {
        set(gpu, "mig.mode.current", "Enabled");
        List<GpuId> made = new ArrayList<>();
        for (String profile : profiles) {
            int number = migNumber++;
            GpuId id = new GpuId("MIG-%08x-0000-5000-8000-%012x".formatted(number, number));
            migDevices.add(String.join(
                    ",", id(gpu).uuid(), made.size() + "", id.uuid(), profile, "4864", "10", number + 1 + "", "0"));
            made.add(id);
        }
        writeMigDevices();
        return made;
    }

    /** Takes a MIG device away; those behind it keep their indices. */
    public void removeMig(GpuId device) {
        migDevices.removeIf(line -> line.contains(device.uuid()));
        writeMigDevices();
    }

    private void writeMigDevices() {
        write("mig.csv", "parent,index,uuid,profile,memory.total,memory.used,gi,ci", migDevices);
    }

    /** How two GPUs are joined: a path in the words of {@code nvidia-smi topo} and a number of NVLinks. */
    public void link(int one, int other, String path, int nvlinks) {
        links.add(id(one).uuid() + "," + id(other).uuid() + "," + path + "," + nvlinks);
        write("links.csv", "one,other,path,nvlinks", links);
    }

    /** NVLinks of a GPU that go to a switch. */
    public void switched(int gpu, int nvlinks) {
        links.add(id(gpu).uuid() + ",switch,," + nvlinks);
        write("links.csv", "one,other,path,nvlinks", links);
    }

    // ---- processes ------------------------------------------------------------------------------------------------

    /** A process that computes. */
    public void process(int gpu, long pid, int memoryMiB) {
        process(id(gpu), pid, "C", Integer.toString(memoryMiB));
    }

    /**
     * A process on a GPU or a MIG device.
     *
     * @param type C, G, C+G or M+C
     * @param memoryMiB a number, or [N/A]
     */
    public void process(GpuId gpu, long pid, String type, String memoryMiB) {
        processes.add(gpu.uuid() + "," + pid + ",python3," + memoryMiB + "," + type);
        write("apps.csv", "gpu_uuid,pid,process_name,used_memory,type", processes);
    }

    /** A process of this machine computes, until it ends. */
    public void context(GpuId gpu, long pid, int memoryMiB) {
        contexts.add(gpu.uuid() + "," + pid + ",python3," + memoryMiB + ",C");
        write("contexts.csv", "gpu_uuid,pid,process_name,used_memory,type", contexts);
    }

    /** The process leaves all GPUs. */
    public void processGone(long pid) {
        processes.removeIf(line -> line.split(",")[1].equals(Long.toString(pid)));
        write("apps.csv", "gpu_uuid,pid,process_name,used_memory,type", processes);
    }

    // ---- faults ---------------------------------------------------------------------------------------------------

    /** Each call on this GPU takes so long, or until {@link #well}. */
    public void hang(int gpu, Duration time) {
        fault("hang", id(gpu).uuid() + " " + time.toSeconds());
    }

    /** The GPU has fallen off the bus. */
    public void lost(int gpu) {
        fault("lost", id(gpu).uuid());
    }

    /** Each call on this GPU fails with this number of {@code nvmlReturn_t}. */
    public void error(int gpu, int code) {
        fault("error", id(gpu).uuid() + " " + code);
    }

    /** The GPU tells of no events. */
    public void noEvents(int gpu) {
        fault("no-events", id(gpu).uuid());
    }

    /** The GPU does not tell who is on it. */
    public void noProcesses(int gpu) {
        fault("no-processes", id(gpu).uuid());
    }

    /** Nothing works: the exit code of {@code nvidia-smi} and what it says; NVML's start fails with the same number. */
    public void failure(int code, String words) {
        put("failure", code + "\n" + words + "\n");
    }

    /** All faults have ended. */
    public void well() {
        for (String fault : List.of("hang", "lost", "error", "no-events", "no-processes", "failure")) {
            try {
                Files.deleteIfExists(folder.resolve(fault));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The driver reports an XID error. */
    public void xid(int gpu, int number) {
        append("events", id(gpu).uuid() + " xid " + number);
    }

    /** The driver reports an error of the memory that it could not correct. */
    public void doubleBitError(int gpu) {
        append("events", id(gpu).uuid() + " double-bit");
    }

    // ---- files ----------------------------------------------------------------------------------------------------

    private Map<String, String> row(int gpu) {
        return gpus.stream()
                .filter(row -> id(gpu).uuid().equals(row.get("uuid")))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("GPU " + gpu + " was removed"));
    }

    private void writeGpus() {
        for (int i = 0; i < gpus.size(); i++) {
            gpus.get(i).put("index", Integer.toString(i));
        }
        List<String> rows = gpus.stream()
                .map(gpu -> COLUMNS.stream().map(gpu::get).collect(Collectors.joining(",")))
                .toList();
        write("gpus.csv", String.join(",", COLUMNS), rows);
    }

    private void write(String name, String header, List<String> rows) {
        put(name, header + "\n" + rows.stream().map(row -> row + "\n").collect(Collectors.joining()));
    }

    private void fault(String name, String line) {
        try {
            Path file = folder.resolve(name);
            put(name, (Files.exists(file) ? Files.readString(file) : "") + line + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** At one blow: anyone who reads it meanwhile sees the old file or the new one. */
    private void put(String name, String text) {
        try {
            Path half = folder.resolve(name + ".new");
            Files.writeString(half, text);
            Files.move(half, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void append(String name, String line) {
        try {
            Files.writeString(folder.resolve(name), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A copy, so that each folder has a library with a state of its own: the loader tells them apart by their files. */
    private static void copy(Path from, Path to) {
        try {
            Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Once a run. */
    private static final class Build {
        static final Path FOLDER = build();

        private static Path build() {
            try {
                Path folder =
                        Files.createDirectories(Path.of("target", "stand-in").toAbsolutePath());
                compile(folder);
                compile(Files.createDirectories(folder.resolve("old")), "-DOLD_DRIVER");
                return folder;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while gcc ran", e);
            }
        }

        private static void compile(Path folder, String... flags) throws IOException, InterruptedException {
            List<String> command =
                    new ArrayList<>(List.of(SOURCES.resolve("nvml/build").toString(), folder.toString()));
            command.addAll(List.of(flags));
            if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
                throw new IllegalStateException("gcc could not make the library in " + folder);
            }
        }
    }
}
