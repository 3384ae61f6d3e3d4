package dev.berth.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Programs of leases that try to outlive them, or to get out of where their server holds them. */
@SystemTest
class LeftoverProcessTest {
    private static final Path INSTALLED = TestFiles.folder();
    private static final Path PROGRAM = INSTALLED.resolve("berth/bin/berth");
    private static final UnixUser ADA = UnixUser.create("berth-left-ada");
    private static final UnixUser BOB = UnixUser.create("berth-left-bob");
    private static final Berth BERTH = Berth.on(Engine.ofMachine());

    /** Gives up descent, session, group and environment. */
    private static final String LEAVE = "env -i /usr/bin/setsid /bin/sleep 1000 & echo $!; ";

    /** Tries all that a user can do with the files of a hierarchy, and says where it was and where it is. */
    private static final String BREAK_OUT = """
            import os, sys
            def mounts():
                for line in open("/proc/self/mountinfo"):
                    place, system = line.split(" - ")
                    if system.startswith("cgroup"):
                        yield place.split()[4]
            def own():
                return sorted(line.split(":", 2)[2].strip() for line in open("/proc/self/cgroup") if "/berth-" in line)
            def tried(what):
                try:
                    what()
                    print("WENT", what.__name__)
                except OSError:
                    pass
            before = own() or sys.argv[1:]
            for mount in mounts():
                def to_root(): open(mount + "/cgroup.procs", "w").write(str(os.getpid()))
                tried(to_root)
                for path in before:
                    def to_lease(): open(mount + path + "/cgroup.procs", "w").write(str(os.getpid()))
                    def thaw(): open(mount + path + "/cgroup.freeze", "w").write("1")
                    def make(): os.mkdir(mount + path + "/mine")
                    def make_beside(): os.mkdir(mount + os.path.dirname(path) + "/berth-forged-1-1")
                    def rename(): os.rename(mount + path, mount + path + "x")
                    for what in (to_lease, thaw, make, make_beside, rename):
                        tried(what)
            print(before == own() or not own(), before, flush=True)
            if sys.argv[1:] == []:
                sys.stdin.read()
            """;

    @BeforeAll
    static void start() {
        TestFiles.copyTree(Product.DISTRIBUTION, INSTALLED.resolve("berth"));
        BERTH.start("--simulate-gpus", "1");
    }

    @AfterAll
    static void stop() {
        BERTH.close();
        ADA.close();
        BOB.close();
        TestFiles.deleteTree(INSTALLED);
    }

    private static Command as(UnixUser user, String... words) {
        return Command.of(PROGRAM, "--data-dir", BERTH.dataDirectory().toString())
                .and(words)
                .as(user)
                .behind("env", "--default-signal=INT,QUIT");
    }

    private static Command run(UnixUser user, String script) {
        return as(user, "run", "--num-gpus", "1", "--", "/bin/sh", "-c", script);
    }

    private static ProcessHandle stray(String said) {
        return ProcessHandle.of(Long.parseLong(said.strip())).orElseThrow();
    }

    /** Not one that has ended and only waits to be noticed. */
    private static boolean lives(ProcessHandle stray) {
        Path stat = Path.of("/proc/" + stray.pid() + "/stat");
        return stray.isAlive() && Files.exists(stat) && !TestFiles.read(stat).contains(") Z ");
    }

    /** Whether it was gone no later than its GPU was free. */
    private static void assertFreedClean(ProcessHandle stray) {
        try {
            Await.that("the GPU is free", () -> BERTH.holders().equals(List.of("0:[]")));
            assertThat(lives(stray))
                    .as("what was left lives on while its GPU is free")
                    .isFalse();
        } finally {
            stray.destroyForcibly();
        }
    }

    @Test
    void whatGivesUpDescentAndEnvironmentEndsWithItsLease() {
        try (Running run = run(ADA, LEAVE + "read line; exit 3").start()) {
            Await.that("it is left", () -> run.said().endsWith("\n"));
            ProcessHandle stray = stray(run.said());
            assertThat(run.end().exitCode()).isEqualTo(3);
            assertFreedClean(stray);
        }
    }

    @Test
    void theNextServerEndsItToo() {
        try (Running run = run(ADA, LEAVE + "sleep 1000").start()) {
            Await.that("it is left", () -> run.said().endsWith("\n"));
            ProcessHandle stray = stray(run.said());
            BERTH.kill();
            BERTH.start("--simulate-gpus", "1");
            assertThat(lives(stray)).isTrue();
            Ran _ = as(ADA, "cancel", "last").run().expect(0);
            assertThat(run.end().exitCode()).isEqualTo(130);
            assertFreedClean(stray);
        }
    }

    @Test
    void nobodyGetsOutOfALeaseOrIntoAnothers() {
        String[] words = {"run", "--num-gpus", "1", "--", "/usr/bin/python3", "-c", BREAK_OUT};
        Ran ada = as(ADA, words).run().expect(0);
        assertThat(ada.out()).startsWith("True ['/").contains("/berth-").doesNotContain("WENT");
        try (Running held = run(ADA, "grep /berth- /proc/self/cgroup | cut -d: -f3; sleep 1000")
                .start()) {
            Await.that("it says where it is", () -> held.said().endsWith("\n"));
            String place = held.said().strip();
            assertThat(place).contains("/berth-");
            Ran bob = Command.python(BREAK_OUT, place).as(BOB).run().expect(0);
            assertThat(bob.out()).isEqualTo("True ['" + place + "']\n");
            Ran _ = as(ADA, "cancel", "last").run().expect(0);
        }
    }
}
