package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.cpu.CpuReader;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.docker.ContainerEngine.ContainerListener;
import dev.berth.server.runner.docker.ContainerPlan.Limits;
import dev.berth.server.runner.docker.ContainerPlan.Mount;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every container engine does, the real one and the fake alike. */
abstract class ContainerEngineContract {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration GRACE = Duration.ofSeconds(10);

    /** Programs that both engines know how to run. */
    static final List<String> RUNS_ON = List.of("sleep", "1000");

    static final List<String> ENDS_WITH_3 = List.of("sh", "-c", "exit 3");
    static final List<String> WRITES = List.of("sh", "-c", "echo out; echo err >&2; printf last");

    /** Writes what is no text, and a line of 16,387 bytes with a character across the 16,384th. */
    static final List<String> WRITES_BYTES = List.of(
            "sh",
            "-c",
            "printf 'a\\377\\376b\\303\\251\\000c\\r d\\n'; head -c 16383 /dev/zero | tr '\\000' x; printf '\\303\\251y\\n';"
                    + " printf '\\355\\240\\200\\n\\357\\277\\275\\302'; printf '\\344\\270!' >&2");

    /** Begins a line, ends one on the other stream, and goes on with the first. */
    static final List<String> WRITES_HALVES =
            List.of("sh", "-c", "printf half; sleep 1; echo whole >&2; sleep 1; printf rest");

    /** Needs more memory than any limit here; the kernel ends it. */
    static final List<String> EATS_MEMORY = List.of("sh", "-c", "x=0123456789; while :; do x=$x$x; done");

    static final List<String> TELLS_SHM = List.of("sh", "-c", "df -kP /dev/shm | while read a b c; do echo $b; done");
    static final List<String> TELLS_CPU = List.of(
            "sh", "-c", "cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us 2>/dev/null || cut -d' ' -f1 /sys/fs/cgroup/cpu.max");
    static final List<String> TELLS_SHARES = List.of(
            "sh",
            "-c",
            "echo $(cat /sys/fs/cgroup/cpu/cpu.shares 2>/dev/null || cat /sys/fs/cgroup/cpu.weight) of"
                    + " $(test -f /sys/fs/cgroup/cpu.weight && echo 10000 || echo 262144)");
    static final List<String> TELLS_CORES = List.of("sh", "-c", "nproc; grep Cpus_allowed_list /proc/self/status");
    static final List<String> TELLS_NETWORK = List.of("ls", "/sys/class/net");
    static final List<String> TELLS_DIRECTORY = List.of("pwd");
    static final List<String> WRITES_TO_MOUNT =
            List.of("sh", "-c", "cat /data/note; (echo more > /data/note) 2>/dev/null || echo refused");

    /** CPU time is allocated by the tenth of a second (cgroup, cfs_period_us). */
    private static final long PERIOD_MICROS = 100_000;

    private static final Limits USUAL = new Limits(0, 0, List.of(), 0, 1L << 26, 256, 1L << 20);

    private record Exit(Attempt attempt, int exitCode, boolean outOfMemory, Instant at) {}

    private record Start(Attempt attempt, Instant at) {}

    /** Labels only: what an allocation is worth inside, the runtime decides. */
    private static final Allocation GPUS = Allocation.whole(List.of(new GpuId("GPU-a"), new GpuId("GPU-b")));

    /** Both streams of a program. */
    private static final class Heard implements LogSink {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final ByteArrayOutputStream err = new ByteArrayOutputStream();
        private final List<String> pieces = new ArrayList<>();

        @Override
        public synchronized void write(Stream stream, ByteBuffer bytes) {
            byte[] piece = new byte[bytes.remaining()];
            bytes.get(piece);
            (stream == Stream.OUT ? out : err).writeBytes(piece);
            pieces.add(stream + " " + new String(piece, StandardCharsets.UTF_8));
        }

        synchronized byte[] bytes(Stream stream) {
            return (stream == Stream.OUT ? out : err).toByteArray();
        }

        synchronized List<String> pieces() {
            return List.copyOf(pieces);
        }

        synchronized String text(Stream stream) {
            return (stream == Stream.OUT ? out : err).toString(StandardCharsets.UTF_8);
        }
    }

    private final ContainerNames names =
            new ContainerNames("t" + UUID.randomUUID().toString().substring(0, 7));
    private final BlockingQueue<Exit> exits = new LinkedBlockingQueue<>();
    private final Queue<Found> unheard = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<Start> starts = new LinkedBlockingQueue<>();
    private ContainerEngine engine;

    /** A new connection to the engine. */
    abstract ContainerEngine connect();

    /** An image that is on the machine. */
    abstract String image();

    @BeforeEach
    void connectOnce() {
        engine = connect();
    }

    @AfterEach
    void leaveNothingBehind() {
        for (Found found : engine.list(names.server())) {
            String name = names.of(found.of());
            engine.stop(name, Duration.ZERO);
            engine.remove(name);
        }
        assertThat(engine.list(names.server())).isEmpty();
        engine.close();
    }

    private String create(long job, List<String> command) {
        return create(new JobId(job), command, new GpuAccess.None());
    }

    private String create(JobId job, List<String> command, GpuAccess gpus) {
        return create(job, command, gpus, USUAL, "bridge", List.of());
    }

    private String create(
            JobId job, List<String> command, GpuAccess gpus, Limits limits, String network, List<Mount> mounts) {
        engine.create(plan(job, command, gpus, limits, network, mounts));
        return names.of(new Attempt(job, 1));
    }

    private ContainerPlan plan(
            JobId job, List<String> command, GpuAccess gpus, Limits limits, String network, List<Mount> mounts) {
        return new ContainerPlan(
                names.of(new Attempt(job, 1)),
                engine.findImage(image()).orElseThrow(),
                command,
                new Submitter(65_534, 65_534, List.of(), "nobody"),
                Map.of("PATH", "/usr/bin:/bin"),
                List.of("CUDA_VISIBLE_DEVICES"),
                gpus,
                mounts,
                "/tmp",
                network,
                limits,
                names.labels(new Attempt(job, 1), GPUS));
    }

    private AutoCloseable watch() {
        return engine.watch(names.server(), new ContainerListener() {
            @Override
            public void started(Attempt attempt, Instant at) {
                starts.add(new Start(attempt, at));
            }

            @Override
            public void exited(Attempt attempt, Condition.Exited end) {
                if (end.isUnknown()) {
                    throw new AssertionError("nobody stops the engine");
                }
                exits.add(new Exit(attempt, end.exitCode(), end.outOfMemory(), end.endedAt()));
            }

            @Override
            public void removed(Attempt attempt) {
                // These tests remove nothing that runs.
            }

            @Override
            public void unheard(Found container) {
                unheard.add(container);
            }

            @Override
            public void resumed() {
                // These tests break no connection.
            }
        });
    }

    private Exit nextExit() throws InterruptedException {
        Exit exit = exits.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(exit).as("an exit within %s", PATIENCE).isNotNull();
        return exit;
    }

    @Test
    void aRunIsTheSameForAsLongAsItLasts() {
        assertThat(engine.run().isSameAs(engine.run())).isTrue();
        try (ContainerEngine another = connect()) {
            assertThat(another.run()).isEqualTo(engine.run());
        }
    }

    @Test
    void createdContainerHasNotRun() {
        String name = create(1, RUNS_ON);
        assertThat(engine.inspect(name)).contains(new Condition.Created());
        assertThat(engine.list(names.server()))
                .containsExactly(new Found(
                        RunnerKind.CONTAINER, new Attempt(new JobId(1), 1), new Condition.Created(), GPUS.gpus()));
    }

    @Test
    void whatRunsIsFoundByItsLabel() {
        String name = create(1, RUNS_ON);
        create(2, RUNS_ON);
        assertThat(engine.running(ContainerNames.SERVER_LABEL, names.server())).isEmpty();
        engine.start(name);
        assertThat(engine.running(ContainerNames.SERVER_LABEL, names.server())).containsExactly(name);
        assertThat(engine.running(ContainerNames.SERVER_LABEL, "another")).isEmpty();
    }

    @Test
    void whatRunsTellsWhatItUses() {
        String name = create(1, RUNS_ON);
        assertThat(engine.use(name)).isEmpty();
        engine.start(name);
        assertThat(engine.use(name)).hasValueSatisfying(use -> {
            assertThat(use.cpuNanos()).isPositive();
            assertThat(use.memoryBytes()).isBetween(1L, 1L << 26);
        });
        engine.stop(name, Duration.ZERO);
        assertThat(engine.use(name)).isEmpty();
        assertThat(engine.use("no-such-container")).isEmpty();
    }

    @Test
    void createTwiceIsOneContainer() {
        create(1, RUNS_ON);
        create(1, RUNS_ON);
        assertThat(engine.list(names.server())).hasSize(1);
    }

    /** An engine may come late to what a server asked for that is gone, with GPUs that are another job's by now. */
    @Test
    void oneOfThatNameThatWasMadeOtherwiseIsNotTakenForIt() {
        String name = create(1, RUNS_ON);
        assertThatThrownBy(() -> create(1, WRITES))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.LATE));
        engine.remove(name);
        assertThat(create(1, WRITES)).isEqualTo(name);
    }

    @Test
    void startTwiceIsOneStart() {
        String name = create(1, RUNS_ON);
        engine.start(name);
        Condition first = engine.inspect(name).orElseThrow();
        engine.start(name);
        assertThat(first).isInstanceOf(Condition.Alive.class);
        assertThat(engine.inspect(name)).contains(first);
    }

    /** Of a program that ends at once the engine may tell the end first. */
    @Test
    void startIsToldAndTheContainerKeepsItsTime() throws Exception {
        try (AutoCloseable _ = watch()) {
            String name = create(7, ENDS_WITH_3);
            engine.start(name);
            Exit exit = nextExit();
            Start start = starts.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(start).isNotNull();
            assertThat(start.attempt()).isEqualTo(new Attempt(new JobId(7), 1));
            Condition.Exited exited = (Condition.Exited) engine.inspect(name).orElseThrow();
            // Docker writes a start down after the end of a program that ends at once.
            assertThat(exited.startedAt()).isNotNull().isBefore(exited.endedAt().plus(PATIENCE));
            assertThat(exit.exitCode()).isEqualTo(exited.exitCode());
        }
    }

    @Test
    void exitIsToldWithItsCode() throws Exception {
        try (AutoCloseable _ = watch()) {
            engine.start(create(7, ENDS_WITH_3));
            Exit exit = nextExit();
            assertThat(exit.attempt()).isEqualTo(new Attempt(new JobId(7), 1));
            assertThat(exit.exitCode()).isEqualTo(3);
            assertThat(exit.outOfMemory()).isFalse();
        }
    }

    @Test
    void exitedContainerKeepsItsCodeAndItsTime() throws Exception {
        try (AutoCloseable _ = watch()) {
            String name = create(7, ENDS_WITH_3);
            engine.start(name);
            Exit exit = nextExit();
            assertThat(engine.inspect(name)).hasValueSatisfying(condition -> {
                assertThat(condition).isInstanceOf(Condition.Exited.class);
                Condition.Exited exited = (Condition.Exited) condition;
                assertThat(exited.exitCode()).isEqualTo(3);
                assertThat(Duration.between(exited.endedAt(), exit.at()).abs()).isLessThan(Duration.ofSeconds(10));
            });
        }
    }

    @Test
    void stopEndsTheProgramAndIsTold() throws Exception {
        try (AutoCloseable _ = watch()) {
            String name = create(1, RUNS_ON);
            engine.start(name);
            engine.stop(name, GRACE);
            assertThat(engine.inspect(name).orElseThrow()).isInstanceOf(Condition.Exited.class);
            assertThat(nextExit().exitCode()).isEqualTo(143);
        }
    }

    @Test
    void stopOfWhatDoesNotRunDoesNothing() {
        engine.stop(names.of(new Attempt(new JobId(99), 1)), GRACE);
        String name = create(1, RUNS_ON);
        engine.stop(name, GRACE);
        assertThat(engine.inspect(name)).contains(new Condition.Created());
    }

    @Test
    void aSignalReachesTheProgramOfWhatRuns() throws Exception {
        try (AutoCloseable _ = watch()) {
            String name = create(1, RUNS_ON);
            engine.start(name);
            assertThat(engine.signal(name, Signal.USR1)).isTrue();
            assertThat(nextExit().exitCode()).isEqualTo(138);
        }
    }

    @Test
    void aSignalForWhatDoesNotRunIsNotSent() throws Exception {
        assertThat(engine.signal(names.of(new Attempt(new JobId(99), 1)), Signal.USR1))
                .isFalse();
        try (AutoCloseable _ = watch()) {
            String name = create(7, ENDS_WITH_3);
            assertThat(engine.signal(name, Signal.USR1)).isFalse();
            engine.start(name);
            assertThat(nextExit().exitCode()).isEqualTo(3);
            assertThat(engine.signal(name, Signal.USR1)).isFalse();
        }
    }

    @Test
    void removeTwiceIsOneRemoval() {
        String name = create(1, RUNS_ON);
        engine.remove(name);
        engine.remove(name);
        assertThat(engine.inspect(name)).isEmpty();
    }

    @Test
    void runningContainerIsNotRemoved() {
        String name = create(1, RUNS_ON);
        engine.start(name);
        assertThatThrownBy(() -> engine.remove(name)).isInstanceOf(EngineException.class);
        assertThat(engine.inspect(name).orElseThrow()).isInstanceOf(Condition.Alive.class);
    }

    @Test
    void startOfWhatIsNotThereIsNotFound() {
        assertThatThrownBy(() -> engine.start(names.of(new Attempt(new JobId(99), 1))))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
    }

    @Test
    void aStartThatFailsIsKeptInMind(@TempDir Path directory) throws IOException {
        Path source = Files.createFile(directory.resolve("file"));
        Mount fileOnDirectory = new Mount(source, "/tmp", false);
        String name = create(new JobId(1), RUNS_ON, new GpuAccess.None(), USUAL, "none", List.of(fileOnDirectory));
        assertThatThrownBy(() -> engine.start(name))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isIn(Kind.REFUSED, Kind.FAILING));
        assertThat(engine.inspect(name)).contains(new Condition.Created(true));
        assertThat(engine.list(names.server()))
                .containsExactly(new Found(
                        RunnerKind.CONTAINER, new Attempt(new JobId(1), 1), new Condition.Created(true), GPUS.gpus()));
        Files.delete(source);
        Files.createDirectory(source);
        engine.start(name);
        assertThat(engine.inspect(name).orElseThrow()).isInstanceOf(Condition.Alive.class);
    }

    @Test
    void unknownImageIsAbsent() {
        assertThat(engine.findImage("berth.invalid/no-such-image:1")).isEmpty();
        assertThat(engine.findImage(image())).isPresent();
    }

    /** Where no registry can be reached, an engine cannot know that it is nowhere. */
    @Test
    void pullOfWhatIsNowhereIsRefused() {
        assertThatThrownBy(() -> engine.pull("berth.invalid/no-such-image:1", _ -> true))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isIn(Kind.REFUSED, Kind.FAILING));
    }

    @Test
    void attachHearsEverythingFromTheStart() {
        String name = create(1, WRITES);
        Heard heard = new Heard();
        try (ContainerLogStream stream = engine.attach(name, heard)) {
            engine.start(name);
            assertThat(stream.awaitEnd(PATIENCE)).isTrue();
        }
        assertThat(heard.text(LogSink.Stream.OUT)).isEqualTo("out\nlast");
        assertThat(heard.text(LogSink.Stream.ERR)).isEqualTo("err\n");
    }

    @Test
    void replayHearsTheSameAsAttach() throws Exception {
        try (AutoCloseable _ = watch()) {
            String name = create(1, WRITES);
            engine.start(name);
            assertThat(nextExit().exitCode()).isZero();
            Heard heard = new Heard();
            try (ContainerLogStream stream = engine.readLog(name, heard)) {
                assertThat(stream.awaitEnd(PATIENCE)).isTrue();
            }
            assertThat(heard.text(LogSink.Stream.OUT)).isEqualTo("out\nlast");
            assertThat(heard.text(LogSink.Stream.ERR)).isEqualTo("err\n");
        }
    }

    /** The streams are each other's in neither: attach hands on what was written, the copy is text. */
    @Test
    void attachHearsBytesAsTheyAreAndTheCopyHasCharactersForThem() {
        String name = create(1, WRITES_BYTES);
        Heard heard = new Heard();
        try (ContainerLogStream stream = engine.attach(name, heard)) {
            engine.start(name);
            assertThat(stream.awaitEnd(PATIENCE)).isTrue();
            assertThat(stream.endedAt()).isPresent();
        }
        String line = "x".repeat(16_383);
        assertThat(heard.bytes(LogSink.Stream.OUT))
                .isEqualTo(("a\u00ff\u00feb\u00c3\u00a9\0c\r d\n" + line
                                + "\u00c3\u00a9y\n\u00ed\u00a0\u0080\n\u00ef\u00bf\u00bd\u00c2")
                        .getBytes(StandardCharsets.ISO_8859_1));
        assertThat(heard.bytes(LogSink.Stream.ERR)).isEqualTo("\u00e4\u00b8!".getBytes(StandardCharsets.ISO_8859_1));

        Heard copied = new Heard();
        try (ContainerLogStream stream = engine.readLog(name, copied)) {
            assertThat(stream.awaitEnd(PATIENCE)).isTrue();
        }
        assertThat(copied.text(LogSink.Stream.OUT))
                .isEqualTo("a\uFFFD\uFFFDb\u00e9\0c\r d\n" + line + "\uFFFD\uFFFDy\n\uFFFD\uFFFD\uFFFD\n\uFFFD\uFFFD");
        assertThat(copied.text(LogSink.Stream.ERR)).isEqualTo("\uFFFD\uFFFD!");
    }

    @Test
    void theCopyHasNothingOfALineThatIsNotWhole() {
        String name = create(1, WRITES_HALVES);
        try (ContainerLogStream stream = engine.attach(name, new Heard())) {
            engine.start(name);
            assertThat(stream.awaitEnd(PATIENCE)).isTrue();
        }
        Heard copied = new Heard();
        try (ContainerLogStream stream = engine.readLog(name, copied)) {
            assertThat(stream.awaitEnd(PATIENCE)).isTrue();
        }
        assertThat(copied.pieces()).containsExactly("ERR whole\n", "OUT halfrest");
    }

    @Test
    void anEndUnderTheEngineThatAnswersIsNotMissed() throws Exception {
        try (AutoCloseable _ = watch()) {
            String name = create(1, WRITES);
            engine.start(name);
            assertThat(nextExit().exitCode()).isZero();
            assertThat(engine.mayHaveMissed(
                            (Condition.Exited) engine.inspect(name).orElseThrow()))
                    .isFalse();
        }
    }

    @Test
    void aLogCanBeReadFromALaterTimeOn() throws Exception {
        try (AutoCloseable _ = watch()) {
            String name = create(1, WRITES);
            assertThat(engine.logBegins(name)).isEmpty();
            engine.start(name);
            assertThat(nextExit().exitCode()).isZero();
            LogBegin first = engine.logBegins(name).orElseThrow();
            assertThat(StandardCharsets.UTF_8.decode(first.message()).toString())
                    .isEqualTo(first.stream() == LogSink.Stream.OUT ? "out\n" : "err\n");
            Instant begin = first.at();
            Heard all = new Heard();
            Heard none = new Heard();
            try (ContainerLogStream stream = engine.readLogSince(name, begin, all);
                    ContainerLogStream later = engine.readLogSince(name, begin.plusSeconds(100), none)) {
                assertThat(stream.awaitEnd(PATIENCE)).isTrue();
                assertThat(later.awaitEnd(PATIENCE)).isTrue();
            }
            assertThat(all.text(LogSink.Stream.OUT)).isEqualTo("out\nlast");
            assertThat(none.text(LogSink.Stream.OUT)).isEmpty();
        }
    }

    @Test
    void aContainerIsKnownByItsId() {
        String name = names.of(new Attempt(new JobId(9), 1));
        String id = engine.create(plan(new JobId(9), RUNS_ON, new GpuAccess.None(), USUAL, "bridge", List.of()));
        assertThat(id).matches("[0-9a-f]{64}");
        assertThat(engine.create(plan(new JobId(9), RUNS_ON, new GpuAccess.None(), USUAL, "bridge", List.of())))
                .isEqualTo(id);
        assertThat(engine.owner(names.server(), id)).contains(new ContainerOwner(name, new Attempt(new JobId(9), 1)));
        assertThat(engine.owner("another", id)).contains(new ContainerOwner(name, null));
        assertThat(engine.owner(names.server(), "0".repeat(64))).isEmpty();
        assertThat(engine.owner(names.server(), name)).as("a name is no id").isEmpty();
        engine.remove(name);
        assertThat(engine.owner(names.server(), id)).isEmpty();
    }

    @Test
    void otherServersContainersAreNotListed() {
        create(1, RUNS_ON);
        assertThat(engine.list("another")).isEmpty();
    }

    private String said(List<String> command, Limits limits, String network, List<Mount> mounts) {
        String name = create(new JobId(1), command, new GpuAccess.None(), limits, network, mounts);
        Heard heard = new Heard();
        try (ContainerLogStream stream = engine.attach(name, heard)) {
            engine.start(name);
            assertThat(stream.awaitEnd(PATIENCE)).isTrue();
        }
        return heard.text(LogSink.Stream.OUT);
    }

    @Test
    void moreMemoryThanItMayHaveEndsAProgramAndIsToldSo() throws Exception {
        try (AutoCloseable _ = watch()) {
            Limits small = new Limits(0, 0, List.of(), 32L << 20, 1L << 20, 256, 1L << 20);
            String name = create(new JobId(1), EATS_MEMORY, new GpuAccess.None(), small, "none", List.of());
            engine.start(name);
            Exit exit = nextExit();
            assertThat(exit.outOfMemory()).isTrue();
            assertThat(exit.exitCode()).isEqualTo(137);
            assertThat(engine.inspect(name))
                    .hasValueSatisfying(condition -> assertThat(((Condition.Exited) condition).outOfMemory())
                            .isTrue());
        }
    }

    @Test
    void sharedMemoryHasTheSizeOfThePlan() {
        Limits limits = new Limits(0, 0, List.of(), 0, 96L << 20, 256, 1L << 20);
        assertThat(said(TELLS_SHM, limits, "none", List.of())).endsWith((96 << 10) + "\n");
    }

    @Test
    void cpuTimeIsThatOfThePlan() {
        Limits limits = new Limits(500, 0, List.of(), 0, 1L << 20, 256, 1L << 20);
        assertThat(said(TELLS_CPU, limits, "none", List.of())).isEqualTo(PERIOD_MICROS / 2 + "\n");
    }

    /** In the kernel's two ways to say it: shares of at most 262144, or a weight of at most 10000. */
    @Test
    void aProgramStandsBackAsThePlanSays() {
        Limits limits = new Limits(0, 19, List.of(), 0, 1L << 20, 256, 1L << 20);
        assertThat(said(TELLS_SHARES, limits, "none", List.of())).isIn("15 of 262144\n", "1 of 10000\n");
    }

    @Test
    void aProgramRunsOnTheCoresOfThePlanAndOnNoOther() {
        int last = new CpuReader().read(0, 0).cpus().cpus().getLast().id();
        Limits limits = new Limits(0, 0, List.of(last), 0, 1L << 20, 256, 1L << 20);
        assertThat(said(TELLS_CORES, limits, "none", List.of())).isEqualTo("1\nCpus_allowed_list:\t" + last + "\n");
    }

    @Test
    void withoutANetworkThereIsNoneButItsOwn() {
        assertThat(said(TELLS_NETWORK, USUAL, "none", List.of())).isEqualTo("lo\n");
    }

    @Test
    void programsStartWhereThePlanSays() {
        assertThat(said(TELLS_DIRECTORY, USUAL, "none", List.of())).isEqualTo("/tmp\n");
    }

    @Test
    void mountsAreWritableUnlessThePlanSaysOtherwise(@TempDir Path directory) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path note = Files.writeString(directory.resolve("note"), "a note\n");
        Files.setPosixFilePermissions(note, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(said(WRITES_TO_MOUNT, USUAL, "none", List.of(new Mount(directory, "/data", true))))
                .isEqualTo("a note\nrefused\n");
        assertThat(note).hasContent("a note");
        engine.remove(names.of(new Attempt(new JobId(1), 1)));
        assertThat(said(WRITES_TO_MOUNT, USUAL, "none", List.of(new Mount(directory, "/data", false))))
                .isEqualTo("a note\n");
        assertThat(note).hasContent("more");
    }

    @Test
    void aMountWhoseSourceIsMissingIsRefusedAndNotMade(@TempDir Path directory) {
        Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> said(RUNS_ON, USUAL, "none", List.of(new Mount(missing, "/data", false))))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED));
        assertThat(missing).doesNotExist();
    }

    @Test
    void anImageTellsWhichVariablesItSets() {
        assertThat(engine.imageEnvironment(engine.findImage(image()).orElseThrow()))
                .hasEntrySatisfying("PATH", path -> assertThat(path).contains("/usr/bin"));
        assertThatThrownBy(() -> engine.imageEnvironment("sha256:" + "0".repeat(64)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
    }

    @Test
    void theEngineSaysWhatItsMachineHas() {
        EngineFacts facts = engine.facts();
        assertThat(facts.cpus()).isPositive();
        assertThat(facts.memoryBytes()).isGreaterThan(1L << 28);
        assertThat(facts.directory()).isAbsolute();
        assertThat(facts.socket()).isAbsolute();
    }
}
