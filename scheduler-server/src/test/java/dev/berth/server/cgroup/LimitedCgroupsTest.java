package dev.berth.server.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.cgroup.CgroupMount.Kind;
import dev.berth.server.cgroup.LimitedCgroups.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written into a hierarchy of version 2, for which a tree of plain directories stands. */
class LimitedCgroupsTest {
    private static final long SELF = ProcessHandle.current().pid();

    @TempDir
    private Path folder;

    private Path proc;
    private Path slice;

    @BeforeEach
    void make() throws IOException {
        proc = folder.resolve("proc");
        Path process = Files.createDirectories(proc.resolve(Long.toString(SELF)));
        Files.writeString(process.resolve("cgroup"), "0::/system.slice/berth.service\n");
        slice = Files.createDirectories(folder.resolve("cgroup/system.slice"));
        Path _ = Files.createDirectory(slice.resolve("berth.service"));
    }

    /** A kernel that has these files in each new cgroup. */
    private LimitedCgroups cgroups(String... files) throws IOException {
        long owner = ((Integer) Files.getAttribute(slice, "unix:uid")).longValue();
        return LimitedCgroups.in(
                List.of(new CgroupMount(folder.resolve("cgroup"), Kind.FREEZE, "")),
                new LimitedCgroups.Server("gpu1", owner, proc, _ -> {}),
                new Limits(512L << 20, 64),
                directory -> {
                    Files.createDirectory(directory);
                    for (String file : files) {
                        Files.createFile(directory.resolve(file));
                    }
                    return directory;
                });
    }

    private List<Path> made() throws IOException {
        try (var children = Files.list(slice)) {
            return children.filter(child -> !child.endsWith("berth.service")).toList();
        }
    }

    @Test
    void aCommandsCgroupStandsBesideTheServersWithItsLimits() throws IOException {
        LimitedCgroup cgroup = cgroups("cgroup.procs", "memory.max", "pids.max", "memory.swap.max", "memory.oom.group")
                .make();
        assertThat(made()).singleElement().satisfies(directory -> {
            assertThat(directory.getFileName()).hasToString("berth-gpu1-command-" + SELF + "-1");
            assertThat(directory.resolve("memory.max")).hasContent("536870912");
            assertThat(directory.resolve("pids.max")).hasContent("64");
            assertThat(directory.resolve("memory.swap.max")).hasContent("0");
            assertThat(directory.resolve("memory.oom.group")).hasContent("1");
            assertThat(directory.resolve("cgroup.procs"))
                    .as("nothing is in it yet")
                    .isEmptyFile();
            assertThat(cgroup.entrances()).containsExactly(directory.resolve("cgroup.procs"));
        });
    }

    @Test
    void aKernelWithoutSwapHasTheOtherLimits() throws IOException {
        LimitedCgroup _ = cgroups("cgroup.procs", "memory.max", "pids.max").make();
        assertThat(made()).singleElement().satisfies(directory -> {
            assertThat(directory.resolve("memory.max")).hasContent("536870912");
            assertThat(directory.resolve("memory.swap.max")).doesNotExist();
        });
    }

    /** As where the controller is not passed on to those below (cgroup.subtree_control). */
    @Test
    void withoutALimitOfMemoryThereIsNoneAndNothingIsLeft() throws IOException {
        LimitedCgroups cgroups = cgroups();
        assertThatThrownBy(cgroups::make)
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("memory.max");
        assertThat(made()).isEmpty();
    }

    @Test
    void withoutALimitOfProcessesThereIsNone() throws IOException {
        LimitedCgroups cgroups = cgroups("cgroup.procs", "memory.max");
        assertThatThrownBy(cgroups::make)
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("pids.max");
    }
}
