package dev.berth.server.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.cgroup.CgroupMount.Kind;
import dev.berth.server.linux.ProcessUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real cgroups of this machine, of each kind that it has, and real processes in them. */
@Timeout(60)
class LeaseCgroupsTest {
    private static final Path PROC = Path.of("/proc");
    private static final Attempt FIRST = new Attempt(new JobId(17), 1);
    private static final Attempt SECOND = new Attempt(new JobId(18), 2);

    /** What comes of it gives up its descent and its environment, and goes on starting more. */
    private static final String LEAVE =
            "read go; env -i setsid sh -c 'while :; do sleep 0.01; done' & env -i setsid sleep 1000 & echo left; read"
                    + " end";

    @TempDir
    private Path folder;

    private final List<Process> started = new ArrayList<>();
    private final List<Cgroup> made = new ArrayList<>();
    private final String server = "t" + ProcessHandle.current().pid();

    @AfterEach
    void end() {
        started.forEach(process -> process.destroyForcibly().onExit().join());
        made.forEach(LeaseCgroupsTest::empty);
    }

    private static void empty(Cgroup cgroup) {
        while (!cgroup.remove()) {
            cgroup.kill(() -> killEach(cgroup.processes()));
        }
    }

    private static void killEach(Set<Long> pids) {
        pids.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    /** Of that kind; none where this machine has none, or lets nobody but root make cgroups. */
    private static Optional<CgroupMount> mount(Kind kind) throws IOException {
        return CgroupMount.of(PROC).stream()
                .filter(mount -> (mount.kind() == Kind.FREEZER) == (kind == Kind.FREEZER))
                .filter(mount -> Files.isWritable(mount.path().resolve("cgroup.procs")))
                .findFirst();
    }

    private LeaseCgroups cgroups(CgroupMount mount) {
        return LeaseCgroups.in(mount, server, 0, PROC);
    }

    private Process sh(String script) throws IOException {
        Process process = new ProcessBuilder("/bin/sh", "-c", script).start();
        started.add(process);
        return process;
    }

    private Cgroup enclosed(LeaseCgroups cgroups, Attempt attempt, Process process) {
        Cgroup cgroup =
                cgroups.enclose(attempt, process.pid(), process::isAlive).orElseThrow();
        made.add(cgroup);
        return cgroup;
    }

    @ParameterizedTest
    @EnumSource
    void nothingThatCameOfAProgramLeavesOrOutlivesItsCgroup(Kind kind) throws Exception {
        Optional<CgroupMount> mount = mount(kind);
        assumeThat(mount).as("cgroups of that kind on this machine").isPresent();
        Process process = sh(LEAVE);
        Cgroup own = enclosed(cgroups(mount.get()), FIRST, process);
        Cgroup cgroup = new Cgroup(own.directory(), kind);
        assertThat(cgroup.processes()).containsExactly(process.pid());
        assertThat(cgroup.remove()).isFalse();
        process.outputWriter().append("go\n").flush();
        assertThat(process.inputReader().readLine()).isEqualTo("left");
        process.outputWriter().append("end\n").flush();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(cgroup.processes()).hasSizeGreaterThanOrEqualTo(2);
        assertThat(cgroup.remove()).isFalse();

        empty(cgroup);

        assertThat(cgroup.processes()).isEmpty();
        assertThat(own.directory()).doesNotExist();
        assertThat(cgroup.remove()).as("what is gone is gone").isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void whatIsInItTellsTheCoresAndTheMemoryThatItUses(Kind kind) throws Exception {
        Optional<CgroupMount> mount = mount(kind);
        assumeThat(mount).as("cgroups of that kind on this machine").isPresent();
        LeaseCgroups cgroups = cgroups(mount.get());
        Process process = sh("read go; x=$(head -c 30000000 /dev/zero | tr '\\000' x)"
                + "; sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'; echo done; read end; sleep 1000");
        Cgroup _ = enclosed(cgroups, FIRST, process);
        ProcessUse before = cgroups.use(FIRST).orElseThrow();
        process.outputWriter().append("go\n").flush();
        assertThat(process.inputReader().readLine()).isEqualTo("done");
        ProcessUse use = cgroups.use(FIRST).orElseThrow();
        assertThat(use.cpuNanos())
                .as("with the child that has ended")
                .isGreaterThan(before.cpuNanos() + 50_000_000L)
                .isLessThan(30_000_000_000L);
        assertThat(use.memoryBytes()).isBetween(30_000_000L, 200_000_000L);
        assertThat(cgroups.use(SECOND)).isEmpty();
        process.destroyForcibly().onExit().join();
        assertThat(cgroups.use(FIRST)).isEmpty();
    }

    @Test
    void theNextServerFindsThemByTheirNames() throws Exception {
        Optional<CgroupMount> mount = mount(Kind.KILL);
        assumeThat(mount).as("cgroups of that kind on this machine").isPresent();
        Process process = sh("read end");
        Cgroup cgroup = enclosed(cgroups(mount.get()), FIRST, process);
        Cgroup _ = enclosed(cgroups(mount.get()), SECOND, sh("read end"));
        Path forged = mount.get().path().resolve("berth-" + server + "-19-1");
        Path _ = Files.createDirectory(forged);
        made.add(new Cgroup(forged, Kind.KILL));
        Path _ = Files.setAttribute(forged, "unix:uid", 1);
        Path inForged = Files.createDirectory(forged.resolve("berth-" + server + "-20-1"));
        assertThat(inForged).exists();

        LeaseCgroups next = cgroups(mount.get());

        assertThat(next.find(FIRST))
                .hasValueSatisfying(found -> assertThat(found.directory()).isEqualTo(cgroup.directory()));
        assertThat(next.attemptOf(process.pid())).contains(FIRST);
        assertThat(next.attemptOf(ProcessHandle.current().pid())).isEmpty();
        assertThat(next.orphans(FIRST::equals).keySet())
                .as("those of another user are nobody's")
                .containsExactly(SECOND);
        next.forget(FIRST);
        assertThat(next.attemptOf(process.pid())).isEmpty();
        assertThat(LeaseCgroups.in(mount.get(), "another", 0, PROC).find(FIRST)).isEmpty();
    }

    @Test
    void whoIsNotTheProcessThatIsMeantIsInNone() throws Exception {
        Optional<CgroupMount> mount = mount(Kind.KILL);
        assumeThat(mount).as("cgroups of that kind on this machine").isPresent();
        Process process = sh("read end");
        LeaseCgroups cgroups = cgroups(mount.get());
        assertThat(cgroups.enclose(FIRST, process.pid(), () -> false)).isEmpty();
        assertThat(cgroups.find(FIRST)).isEmpty();
        assertThat(mount.get().path().resolve("berth-" + server + "-17-1")).doesNotExist();
        assertThat(process.isAlive()).isTrue();
        assertThat(cgroups.enclose(FIRST, Long.MAX_VALUE, () -> true)).isEmpty();
        assertThat(LeaseCgroups.in(mount.get(), server, 4_711, PROC).enclose(FIRST, process.pid(), () -> true))
                .as("a user may make none where root's are")
                .isEmpty();
    }

    /** Slices, a session and a user's own part of the tree, as systemd makes them. */
    @Test
    void aProgramStaysInItsSliceAndInNobodysPartOfIt() throws Exception {
        Optional<CgroupMount> mount = mount(Kind.KILL);
        assumeThat(mount).as("cgroups of that kind on this machine").isPresent();
        Path slice = mount.get().path().resolve(server + ".slice");
        Path session = Files.createDirectories(slice.resolve("session-3.scope"));
        Path manager = slice.resolve("user@1.service");
        Path application = Files.createDirectories(manager.resolve("app.slice/a.scope"));
        Path _ = Files.setAttribute(manager, "unix:uid", 1);
        Path _ = Files.setAttribute(manager.resolve("app.slice"), "unix:uid", 1);
        LeaseCgroups cgroups = cgroups(mount.get());
        try {
            Process first = sh("read end");
            new Cgroup(session, Kind.KILL).put(first.pid());
            assertThat(enclosed(cgroups, FIRST, first).directory().getParent()).isEqualTo(slice);
            Process second = sh("read end");
            new Cgroup(application, Kind.KILL).put(second.pid());
            assertThat(enclosed(cgroups, SECOND, second).directory().getParent())
                    .as("not where its user could move it out")
                    .isEqualTo(slice);
            assertThat(cgroups(mount.get()).attemptOf(second.pid())).contains(SECOND);
        } finally {
            empty(new Cgroup(slice, Kind.KILL));
        }
    }

    @Test
    void hierarchiesAreReadFromTheTableOfMounts() throws Exception {
        Path proc = folder;
        Path _ = Files.createDirectory(folder.resolve("self"));
        Path _ = Files.writeString(folder.resolve("self/mountinfo"), """
                31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
                32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
                33 31 0:30 / /sys/fs/cgroup/free\\040zer rw shared:1 - cgroup cgroup rw,freezer
                40 31 0:37 /docker/1 /part rw - cgroup2 cgroup2 rw
                41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate
                odd
                """);
        CgroupMount unified = new CgroupMount(Path.of("/sys/fs/cgroup/unified"), Kind.FREEZE, "");
        CgroupMount freezer = new CgroupMount(Path.of("/sys/fs/cgroup/free zer"), Kind.FREEZER, "freezer");
        assertThat(CgroupMount.of(proc)).containsExactly(unified, freezer);
        List<String> lines = List.of("9:name=systemd:/x", "6:cpu,freezer:/docker/a:b", "0::/user.slice/../u");
        assertThat(freezer.find(lines)).contains(Path.of("/sys/fs/cgroup/free zer/docker/a:b"));
        assertThat(unified.find(lines)).as("out of sight").isEmpty();
        assertThat(unified.find(List.of("0::/"))).contains(unified.path());
        assertThat(LeaseCgroups.ofThisMachine("s", 0, Files.createDirectory(folder.resolve("none")))
                        .inWords())
                .startsWith("by descent and environment alone: the cgroups of this machine cannot be read");
    }
}
