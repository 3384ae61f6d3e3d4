package dev.berth.server.cpu;

import dev.berth.core.place.CpuTopology;
import dev.berth.core.place.CpuTopology.Cpu;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Reads what this process may use of the machine's cores and memory, and how the cores are built. Cores that are offline,
 * that its affinity (sched_setaffinity(2)) or its cgroup leaves out, or that the engine's containers cannot have, are
 * left out.
 */
public final class CpuReader {
    private static final int BYTES_A_KIB = 1_024;

    private final Path proc;
    private final Path sys;
    private final Cgroups cgroups;

    public CpuReader() {
        this(Path.of("/proc"), Path.of("/sys"));
    }

    /** With other places for {@code /proc} and {@code /sys}. */
    public CpuReader(Path proc, Path sys) {
        this.proc = proc;
        this.sys = sys;
        this.cgroups = new Cgroups(proc.resolve("self"), sys.resolve("fs/cgroup"));
    }

    /**
     * The CPUs and memory that are there now.
     *
     * @param engineCpus how many cores the container engine counts, 0 where it does not say
     * @param engineMemoryBytes how much memory it sees, 0 where it does not say
     */
    public CpuInventory read(int engineCpus, long engineMemoryBytes) {
        NavigableSet<Integer> usable = usable();
        long memory = memory(engineMemoryBytes);
        Optional<String> warning = doubt(usable, engineCpus);
        return warning.isPresent()
                ? new CpuInventory(CpuTopology.NONE, memory, List.of(warning.get()))
                : new CpuInventory(topology(usable), memory, List.of());
    }

    private NavigableSet<Integer> usable() {
        NavigableSet<Integer> usable =
                new TreeSet<>(KernelFiles.field(proc.resolve("self/status"), "Cpus_allowed_list:")
                        .flatMap(KernelList::parse)
                        .orElse(new TreeSet<>()));
        Stream.of(KernelFiles.list(sys.resolve("devices/system/cpu/online")), cgroups.cpus(), cgroups.engineCpus())
                .flatMap(Optional::stream)
                .forEach(usable::retainAll);
        return usable;
    }

    private static Optional<String> doubt(NavigableSet<Integer> usable, int engineCpus) {
        if (usable.isEmpty()) {
            return Optional.of(
                    "which cores this server may use cannot be read from /proc and /sys: jobs with --cpus get a"
                            + " share of time and no cores of their own");
        }
        if (engineCpus > 0 && engineCpus < usable.size()) {
            return Optional.of(
                    "this server may use " + usable.size() + " cores, the container engine counts " + engineCpus
                            + " and does not say which: jobs with --cpus get a share of time and no cores of their own; give both"
                            + " the same cores");
        }
        return Optional.empty();
    }

    private CpuTopology topology(NavigableSet<Integer> usable) {
        Map<Integer, Integer> nodes = nodes();
        return new CpuTopology(usable.stream()
                .map(id -> new Cpu(id, core(id), nodes.getOrDefault(id, 0)))
                .toList());
    }

    /**
     * A physical core's number: its first thread's. The kernel's own numbers of cores are one of a kind in their package
     * only, and packages have dies. One of which nothing is known is a core of its own.
     */
    private int core(int cpu) {
        Path topology = sys.resolve("devices/system/cpu/cpu" + cpu + "/topology");
        // The second is the older kernels' name of the first (Documentation/admin-guide/cputopology.rst).
        return Stream.of("core_cpus_list", "thread_siblings_list")
                .flatMap(name -> KernelFiles.list(topology.resolve(name)).stream())
                .filter(threads -> threads.contains(cpu))
                .map(NavigableSet::first)
                .findFirst()
                .orElse(cpu);
    }

    private Map<Integer, Integer> nodes() {
        Map<Integer, Integer> nodes = new TreeMap<>();
        for (Path directory : nodeDirectories()) {
            int node = Integer.parseInt(directory.getFileName().toString().substring("node".length()));
            KernelFiles.list(directory.resolve("cpulist")).ifPresent(cpus -> cpus.forEach(cpu -> nodes.put(cpu, node)));
        }
        return nodes;
    }

    private List<Path> nodeDirectories() {
        List<Path> directories = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(
                sys.resolve("devices/system/node"),
                path -> path.getFileName().toString().matches("node\\d{1,5}"))) {
            found.forEach(directories::add);
        } catch (IOException e) {
            // A kernel without NUMA has no such directory: all cores are on node 0.
            return List.of();
        }
        return directories;
    }

    private long memory(long engineBytes) {
        Optional<Long> machine = KernelFiles.field(proc.resolve("meminfo"), "MemTotal:")
                .flatMap(text -> KernelFiles.number(text.replace(" kB", "")))
                .map(kibibytes -> kibibytes * BYTES_A_KIB);
        return Stream.of(
                        machine, cgroups.memoryBytes(), Optional.of(engineBytes).filter(bytes -> bytes > 0))
                .flatMap(Optional::stream)
                .min(Long::compare)
                .orElse(0L);
    }
}
