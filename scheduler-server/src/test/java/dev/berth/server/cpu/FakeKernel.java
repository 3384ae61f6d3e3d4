package dev.berth.server.cpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A {@code /proc} and a {@code /sys} of files. */
final class FakeKernel {
    private final Path root;

    FakeKernel(Path root) {
        this.root = root;
    }

    /** Two nodes of two cores of two threads each: 0-1 and 4-5 on node 0, 2-3 and 6-7 on node 1; all for everybody. */
    static FakeKernel workstation(Path root) {
        FakeKernel kernel = new FakeKernel(root)
                .with(
                        "proc/self/status",
                        "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\nMems_allowed_list:\t0-1\n")
                .with("proc/self/cgroup", "0::/system.slice/berth.service\n")
                .with("proc/meminfo", "MemTotal:       24684084 kB\nMemFree:        23032572 kB\n")
                .with("sys/devices/system/cpu/online", "0-7\n")
                .with("sys/devices/system/node/node0/cpulist", "0-1,4-5\n")
                .with("sys/devices/system/node/node1/cpulist", "2-3,6-7\n")
                .with("sys/devices/system/node/possible", "0-1\n");
        for (int cpu = 0; cpu < 8; cpu++) {
            String topology = "sys/devices/system/cpu/cpu" + cpu + "/topology/";
            kernel.with(topology + "thread_siblings_list", cpu % 4 + "," + (cpu % 4 + 4) + "\n")
                    .with(topology + "core_cpus_list", cpu % 4 + "," + (cpu % 4 + 4) + "\n")
                    .with(topology + "core_id", cpu % 2 + "\n");
        }
        return kernel;
    }

    FakeKernel with(String file, String text) {
        try {
            Files.createDirectories(root.resolve(file).getParent());
            Files.writeString(root.resolve(file), text);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    FakeKernel without(String file) {
        try {
            Files.delete(root.resolve(file));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    CpuReader reader() {
        return new CpuReader(root.resolve("proc"), root.resolve("sys"));
    }
}
