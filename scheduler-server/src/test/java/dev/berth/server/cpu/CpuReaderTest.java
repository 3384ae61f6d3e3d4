package dev.berth.server.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.place.CpuTopology.Cpu;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CpuReaderTest {
    private static final long MACHINE_BYTES = 24_684_084L * 1_024;

    @TempDir
    private Path directory;

    private FakeKernel kernel;

    @BeforeEach
    void buildTheMachine() {
        kernel = FakeKernel.workstation(directory);
    }

    @Test
    void coresAreThreadsOfPhysicalOnesOnTheirNodes() {
        assertThat(kernel.reader().read(8, 0).cpus().cpus())
                .containsExactly(
                        new Cpu(0, 0, 0),
                        new Cpu(1, 1, 0),
                        new Cpu(2, 2, 1),
                        new Cpu(3, 3, 1),
                        new Cpu(4, 0, 0),
                        new Cpu(5, 1, 0),
                        new Cpu(6, 2, 1),
                        new Cpu(7, 3, 1));
    }

    @Test
    void theServersAffinityCounts() {
        kernel.with("proc/self/status", "Cpus_allowed_list:\t1,4-6\n");
        assertThat(cores()).containsExactly(1, 4, 5, 6);
        assertThat(kernel.reader().read(0, 0).warnings()).isEmpty();
    }

    @Test
    void offlineCoresAreLeftOut() {
        kernel.with("sys/devices/system/cpu/online", "0-2,4-6\n");
        assertThat(cores()).containsExactly(0, 1, 2, 4, 5, 6);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            0::/a/b               | sys/fs/cgroup/a/b/cpuset.cpus.effective           | its own, version 2
            0::/a/b               | sys/fs/cgroup/a/cpuset.cpus.effective             | the one above has the controller
            0::/                  | sys/fs/cgroup/cpuset.cpus.effective               | in a container of its own namespace
            0::/../..             | sys/fs/cgroup/cpuset.cpus.effective               | out of its namespace
            0::/docker/f00        | sys/fs/cgroup/cpuset.cpus.effective               | in a container of the machine's namespace
            3:cpuset:/a/b         | sys/fs/cgroup/cpuset/a/b/cpuset.effective_cpus    | its own, version 1
            3:cpu,cpuset:/a       | sys/fs/cgroup/cpuset/a/cpuset.cpus                | version 1 of an older kernel
            3:cpuset:/docker/f00  | sys/fs/cgroup/cpuset/cpuset.effective_cpus        | version 1 in a container
            0::/a                 | sys/fs/cgroup/docker/cpuset.cpus.effective        | the engine's, version 2
            0::/a                 | sys/fs/cgroup/system.slice/cpuset.cpus.effective  | the engine's under systemd
            0::/a                 | sys/fs/cgroup/cpuset/docker/cpuset.effective_cpus | the engine's, version 1
            """)
    void theCgroupsOfServerAndEngineCount(String cgroup, String file, String which) {
        kernel.with("proc/self/cgroup", "9:name=systemd:/elsewhere\n" + cgroup + "\n")
                .with(file, "2-3,7\n");
        assertThat(cores()).as(which).containsExactly(2, 3, 7);
    }

    @Test
    void aCgroupThatNamesNoCoreSaysNothing() {
        kernel.with("sys/fs/cgroup/system.slice/berth.service/cpuset.cpus.effective", "\n")
                .with("sys/fs/cgroup/system.slice/cpuset.cpus.effective", "0-3\n");
        assertThat(cores()).containsExactly(0, 1, 2, 3);
    }

    @Test
    void olderKernelsNameSiblingsOtherwise() {
        for (int cpu = 0; cpu < 8; cpu++) {
            kernel.without("sys/devices/system/cpu/cpu" + cpu + "/topology/core_cpus_list");
        }
        assertThat(kernel.reader().read(0, 0).cpus().cpus())
                .extracting(Cpu::core)
                .containsExactly(0, 1, 2, 3, 0, 1, 2, 3);
    }

    @Test
    void whereTheMachineTellsNothingOfItsBuildEachThreadIsACore(@TempDir Path bare) {
        FakeKernel machine = new FakeKernel(bare).with("proc/self/status", "Cpus_allowed_list:\t4-5\n");
        assertThat(machine.reader().read(0, 0).cpus().cpus()).containsExactly(new Cpu(4, 4, 0), new Cpu(5, 5, 0));
        assertThat(machine.reader().read(0, 0).memoryBytes()).isZero();
    }

    @Test
    void noCoresAreGivenOutWhereTheyCannotBeRead() {
        kernel.with("proc/self/status", "Cpus_allowed_list:\tmany\n");
        CpuInventory found = kernel.reader().read(8, 0);
        assertThat(found.cpus().cpus()).isEmpty();
        assertThat(found.warnings())
                .containsExactly("which cores this server may use cannot be read from /proc and /sys: jobs with --cpus"
                        + " get a share of time and no cores of their own");
    }

    @Test
    void noCoresAreGivenOutWhereTheEngineHasFewer() {
        CpuInventory found = kernel.reader().read(4, 0);
        assertThat(found.cpus().cpus()).isEmpty();
        assertThat(found.warnings())
                .containsExactly(
                        "this server may use 8 cores, the container engine counts 4 and does not say which: jobs"
                                + " with --cpus get a share of time and no cores of their own; give both the same cores");
        assertThat(kernel.reader().read(0, 0).warnings())
                .as("an engine that does not say")
                .isEmpty();
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource(delimiter = '|', textBlock = """
            0::/a/b      | sys/fs/cgroup/a/b/memory.max                    | its own, version 2
            0::/a/b      | sys/fs/cgroup/a/memory.max                      | the one above
            0::/x        | sys/fs/cgroup/memory.max                        | in a container
            4:memory:/a  | sys/fs/cgroup/memory/a/memory.limit_in_bytes    | its own, version 1
            4:memory:/x  | sys/fs/cgroup/memory/memory.limit_in_bytes      | version 1 in a container
            """)
    void theCgroupsMemoryCounts(String cgroup, String file, String which) {
        kernel.with("proc/self/cgroup", cgroup + "\n").with(file, "8589934592\n");
        assertThat(kernel.reader().read(0, 0).memoryBytes()).as(which).isEqualTo(8L << 30);
    }

    @Test
    void theLeastMemoryOfAllCounts() {
        assertThat(kernel.reader().read(0, 0).memoryBytes()).isEqualTo(MACHINE_BYTES);
        assertThat(kernel.reader().read(0, 4L << 30).memoryBytes()).isEqualTo(4L << 30);
        kernel.with("sys/fs/cgroup/system.slice/berth.service/memory.max", "max\n")
                .with("sys/fs/cgroup/system.slice/memory.max", "17179869184\n")
                .with("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assertThat(kernel.reader().read(0, 1L << 50).memoryBytes()).isEqualTo(16L << 30);
    }

    @Test
    void thisMachineCanBeRead() {
        CpuInventory here = new CpuReader().read(0, 0);
        assertThat(here.warnings()).isEmpty();
        assertThat(here.cpus().cpus()).hasSizeBetween(1, Runtime.getRuntime().availableProcessors());
        assertThat(here.memoryBytes()).isPositive();
    }

    private List<Integer> cores() {
        return kernel.reader().read(0, 0).cpus().cpus().stream().map(Cpu::id).toList();
    }
}
