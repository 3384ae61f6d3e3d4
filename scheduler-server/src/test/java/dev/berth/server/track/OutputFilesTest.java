package dev.berth.server.track;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Submitter;
import dev.berth.core.job.TrackSources;
import dev.berth.core.machine.Attempt;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.example.Jobs;
import dev.berth.server.linux.FileHandle;
import dev.berth.server.store.track.Metric;
import dev.berth.server.store.track.Reading;
import dev.berth.server.store.track.Reading.Omission;
import dev.berth.server.store.track.Reading.Position;
import dev.berth.server.store.track.StoredPoint;
import dev.berth.server.store.track.TrackQueries;
import dev.berth.server.store.track.TrackStore;
import dev.berth.server.track.source.EventFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Outputs with files of TensorBoard and CW2, on a real file system and in a real database; some as hostile as they can be. */
class OutputFilesTest {
    private static final Submitter ADA = new Submitter(12_345, 23_456, List.of(), "ada");
    private static final JobId ID = new JobId(7);
    private static final String EVENTS = "events.out.tfevents.1";

    @TempDir
    private Path directory;

    @TempDir
    private Path elsewhere;

    private Job job;
    private Path output;
    private Workspaces workspaces;
    private TrackStore store;
    private TrackQueries queries;
    private OutputFiles files;

    @BeforeEach
    void open() throws IOException {
        workspaces = new Workspaces(
                Files.createDirectories(directory.resolve("jobs")),
                new SnapshotStore(
                        Files.createDirectories(directory.resolve("snapshots")),
                        UploadLimits.DEFAULT,
                        InstantSource.fixed(Jobs.SUBMITTED)),
                true);
        store = new TrackStore(directory.resolve("tracking.db"));
        queries = new TrackQueries(directory.resolve("tracking.db"));
        belongsTo(Jobs.ROOT);
        restart();
    }

    private void belongsTo(Submitter owner) throws IOException {
        job = Jobs.job(ID.value(), Jobs.spec(1), owner, Jobs.runningOn(0));
        output = Files.createDirectories(workspaces.output(job));
        give(output, owner);
    }

    private static void give(Path path, Submitter owner) throws IOException {
        Files.setAttribute(path, "unix:uid", (int) owner.uid(), LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(path, "unix:gid", (int) owner.gid(), LinkOption.NOFOLLOW_LINKS);
    }

    /** What another server knows that begins on the same database. */
    private void restart() {
        files = new OutputFiles(job, store.positions(new Attempt(ID, 1)));
    }

    @AfterEach
    void close() {
        queries.close();
        store.close();
    }

    private OutputFiles.Look look() throws IOException {
        return files.look(workspaces, job);
    }

    /** A look whose findings are kept. */
    private boolean keep() throws IOException {
        OutputFiles.Look look = look();
        store.keep(look.readings(), 0);
        look.readings().forEach(files::keep);
        return look.hasMore();
    }

    private Path file(String path) throws IOException {
        Path file = output.resolve(path);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        return file;
    }

    /** Adds an event to a file. */
    private void event(String path, String tag, int step) throws IOException {
        EventFile event = new EventFile().record(EventFile.event(1_764_200_000, step, EventFile.scalar(tag, step)));
        Files.write(file(path), event.bytes(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void resource(String name, String path) throws IOException {
        try (InputStream content =
                Objects.requireNonNull(OutputFilesTest.class.getResourceAsStream("/track/" + name), name)) {
            Files.write(file(path), content.readAllBytes());
        }
    }

    /** The number of points of each metric. */
    private SortedMap<String, Long> counts() {
        return queries.of(ID).metrics().stream()
                .collect(Collectors.toMap(Metric::name, Metric::points, Long::sum, TreeMap::new));
    }

    private List<String> omissions() {
        return queries.of(ID).omissions().stream().map(Omission::kind).toList();
    }

    private List<Long> steps(String metric) {
        return queries.points(ID, metric, 0, 10_000).stream()
                .map(StoredPoint::step)
                .toList();
    }

    @Test
    void whatOtherProgramsWroteIsRead() throws IOException {
        resource("tensorboardx.tfevents", "runs/" + EVENTS);
        resource("rep_1.csv", "log/rep_01/rep_1.csv");
        keep();
        assertThat(counts()).containsEntry("train/loss", 10L).containsEntry("nan", 1L);
        assertThat(queries.of(ID).metrics().size()).isGreaterThan(3);
        assertThat(omissions()).isEmpty();
    }

    @Test
    void theFirstDirectoryHasNoPrefixAndStaysTheFirst() throws IOException {
        event("train/" + EVENTS, "loss", 1);
        event("validation/" + EVENTS, "loss", 1);
        keep();
        assertThat(counts()).containsOnlyKeys("loss", "validation/loss");
        // It would be the first now.
        event("again/" + EVENTS, "loss", 1);
        event(EVENTS, "loss", 1);
        restart();
        keep();
        event("train/" + EVENTS, "loss", 2);
        keep();
        assertThat(counts()).containsOnlyKeys("loss", "validation/loss", "again/loss", "./loss");
        assertThat(steps("loss")).containsExactly(1L, 2L);
    }

    @Test
    void theFirstTableHasNoPrefix() throws IOException {
        String table = "iter,reward\n0,1.5\n1,2.5\n";
        Files.writeString(file("log/rep_00/rep_0.csv"), table);
        Files.writeString(file("log/rep_01/rep_1.csv"), table);
        event(EVENTS, "loss", 1);
        keep();
        assertThat(counts()).containsOnlyKeys("reward", "log/rep_01/rep_1/reward", "loss");
    }

    @Test
    void whatIsNotAskedForIsNotRead() throws IOException {
        event(EVENTS, "loss", 1);
        Files.writeString(file("rep_0.csv"), "iter,reward\n0,1.5\n");
        JobSpec spec = Jobs.with(
                job.spec(),
                new InContainer(
                        "",
                        Jobs.IMAGE,
                        PullPolicy.MISSING,
                        null,
                        null,
                        "none",
                        List.of(),
                        TrackSources.parse("csv,stdout")));
        job = Jobs.job(ID.value(), spec, Jobs.ROOT, Jobs.runningOn(0));
        restart();
        keep();
        assertThat(counts()).containsOnlyKeys("reward");
    }

    @Test
    void eachPointIsKeptOnceHoweverOftenTheServerEnds() throws IOException {
        Path table = file("rep_0.csv");
        for (int step = 0; step < 10; step++) {
            event(EVENTS, "loss", step);
            Files.writeString(
                    table,
                    "iter,reward\n"
                            + IntStream.rangeClosed(0, step)
                                    .mapToObj(row -> row + ",1\n")
                                    .collect(Collectors.joining()));
            // Read, and not kept: the server ends before.
            assertThat(look().readings()).isNotEmpty();
            restart();
            keep();
            restart();
            keep();
        }
        assertThat(steps("loss")).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(steps("reward")).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }

    @Test
    void aFileThatHasNotChangedIsNotOpenedAgain() throws IOException {
        event(EVENTS, "loss", 1);
        Files.writeString(file("rep_0.csv"), "iter,reward\n0,1\n");
        keep();
        Path _ = Files.setLastModifiedTime(file("rep_0.csv"), Files.getLastModifiedTime(file("rep_0.csv")));
        assertThat(look().readings()).isEmpty();
        Files.writeString(file("rep_0.csv"), "iter,reward\n0,1\n1,2\n");
        assertThat(look().readings()).extracting(Reading::source).containsExactly("table:rep_0.csv");
    }

    @Test
    void linksPipesAndDirectoriesInPlaceOfFilesArePassedOver() throws Exception {
        Path secret = elsewhere.resolve(EVENTS);
        Files.write(
                secret,
                new EventFile()
                        .record(EventFile.event(1, 1, EventFile.scalar("secret", 1)))
                        .bytes());
        Files.createSymbolicLink(file(EVENTS), secret);
        Files.createSymbolicLink(file("to-directory"), elsewhere);
        Files.createSymbolicLink(file("etc"), Path.of("/etc"));
        Files.createSymbolicLink(file("round"), Path.of("."));
        Files.createDirectories(file("events.out.tfevents.directory/inner"));
        Process mkfifo =
                new ProcessBuilder("mkfifo", file("events.out.tfevents.pipe").toString()).start();
        assertThat(mkfifo.waitFor()).isZero();
        event("own/" + EVENTS, "own", 1);
        keep();
        // JUnit warns of links that lead away.
        Files.delete(file(EVENTS));
        Files.delete(file("to-directory"));
        Files.delete(file("etc"));
        assertThat(counts()).containsOnlyKeys("own");
    }

    @Test
    void nothingIsReadThatTheOwnerMayNotRead() throws IOException {
        belongsTo(ADA);
        restart();
        event("events.out.tfevents.own", "own", 1);
        give(file("events.out.tfevents.own"), ADA);
        event("events.out.tfevents.roots", "roots", 1);
        Files.setPosixFilePermissions(file("events.out.tfevents.roots"), PosixFilePermissions.fromString("rw-------"));
        event("closed/" + EVENTS, "closed", 1);
        Files.setPosixFilePermissions(file("closed"), PosixFilePermissions.fromString("rwx------"));
        keep();
        assertThat(counts()).containsOnlyKeys("own");
    }

    @Test
    void aLargeOutputCostsALookAtSomeOfItsNamesAndNearFilesComeFirst() throws IOException {
        for (int inner = 0; inner < 300; inner++) {
            Path images = Files.createDirectories(output.resolve("a/" + inner));
            for (int image = 0; image < 100; image++) {
                Files.createFile(images.resolve(image + ".png"));
            }
        }
        event("zz/" + EVENTS, "loss", 1);
        OutputWalk walk = new OutputWalk((_, _) -> false);
        try (FileHandle handle = FileHandle.of(output)) {
            assertThat(walk.through(handle).names()).isEqualTo(OutputWalk.MAX_NAMES);
        }
        keep();
        assertThat(counts()).containsOnlyKeys("loss");
        assertThat(omissions()).containsExactly("OUTPUT_TOO_LARGE");
        restart();
        keep();
        assertThat(queries.of(ID).omissions().getFirst().times()).isEqualTo(1);
    }

    /** The kernel would let an open wait for it for 45 seconds. */
    @Test
    @Timeout(30)
    void aFileThatAProcessHasALeaseOnIsReadOnceItIsGivenBack() throws Exception {
        event(EVENTS, "loss", 1);
        event("other/" + EVENTS, "loss", 2);
        Process holder = new ProcessBuilder(
                        "python3",
                        "-c",
                        "import fcntl, os, signal, sys\n"
                                + "signal.signal(signal.SIGIO, signal.SIG_IGN)\n"
                                + "fd = os.open(sys.argv[1], os.O_RDWR)\n"
                                + "fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)\n"
                                + "print('held', flush=True)\nsys.stdin.read()",
                        file(EVENTS).toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader told = holder.inputReader()) {
            assertThat(told.readLine()).isEqualTo("held");
            keep();
            assertThat(counts()).containsOnlyKeys("loss").containsEntry("loss", 1L);
        } finally {
            holder.destroyForcibly().waitFor();
        }
        keep();
        assertThat(counts().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(2);
    }

    /** Each look has a bounded part of it in memory. */
    @Test
    void whatWasMadeToFillTheMemoryIsLeftOutAndNamed() throws IOException {
        Files.writeString(file("rep_0.csv"), "iter,a\n" + "\n".repeat(3_000_000));
        Files.writeString(
                file("wide/rep_1.csv"), "iter" + ",b".repeat(200_000) + "\n" + "1" + ",2".repeat(200_000) + "\n");
        ByteBuffer values = ByteBuffer.allocate(8 << 20);
        byte[] value = EventFile.scalar("m", 1);
        while (values.remaining() > value.length) {
            values.put(value);
        }
        byte[] many = Arrays.copyOf(values.array(), values.position());
        Files.write(
                file(EVENTS),
                new EventFile().record(EventFile.event(1, 1, many)).bytes());
        OutputFiles.Look look = look();
        assertThat(look.readings()).allMatch(reading -> reading.size() <= 100_000);
        while (keep()) {
            // On to its end.
        }
        assertThat(omissions()).contains("TOO_MANY_AT_ONCE", "ROW", "NAME");
    }

    @Test
    void aLargeFileIsReadPieceByPieceToItsEnd() throws IOException {
        byte[] picture = EventFile.message(
                1, EventFile.message(1, "p".getBytes(UTF_8)), EventFile.message(4, new byte[3 << 20]));
        EventFile events = new EventFile();
        for (int step = 1; step <= 5; step++) {
            events.record(EventFile.event(1, step, picture, EventFile.scalar("loss", step)));
        }
        Files.write(file(EVENTS), events.bytes());
        assertThat(keep()).isTrue();
        assertThat(steps("loss")).hasSizeLessThan(5);
        while (keep()) {
            // On to its end.
        }
        assertThat(steps("loss")).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(omissions()).isEmpty();
    }

    @Test
    void aLookBeginsNoFurtherFileOnceItHasReadMuch() throws IOException {
        for (int table = 0; table < 3; table++) {
            try (RandomAccessFile zeros =
                    new RandomAccessFile(file("rep_" + table + ".csv").toFile(), "rw")) {
                zeros.setLength(60L << 20);
            }
        }
        OutputFiles.Look look = look();
        assertThat(look.hasMore()).isTrue();
        assertThat(look.readings())
                .filteredOn(reading -> OutputSource.isName(reading.source()))
                .hasSize(2);
        while (keep()) {
            // On to their end.
        }
        assertThat(omissions()).containsExactly("ROW_TOO_LONG");
    }

    @Test
    void aLookBeginsNoFurtherFileOnceItHasFoundMuch() throws IOException {
        String table = "iter,a\n" + "1,2\n".repeat(50_001);
        for (int number = 0; number < 4; number++) {
            Files.writeString(file("rep_" + number + ".csv"), table);
        }
        OutputFiles.Look look = look();
        assertThat(look.hasMore()).isTrue();
        assertThat(look.readings().stream().mapToInt(Reading::size).sum()).isEqualTo(2 * 50_000);
        while (keep()) {
            // On to their end.
        }
        assertThat(counts().values()).hasSize(4).containsOnly(50_001L);
    }

    @Test
    void allEventFilesTogetherHaveABound() throws IOException {
        files = new OutputFiles(job, Map.of("events:before", new Position((4L << 30) + 1, false, false)));
        event(EVENTS, "loss", 1);
        Files.writeString(file("rep_0.csv"), "iter,reward\n0,1\n");
        keep();
        assertThat(counts()).containsOnlyKeys("reward");
        assertThat(omissions()).containsExactly("EVENTS_TOO_LARGE");
    }

    @Test
    void directoriesAreEnteredToADepth() throws IOException {
        event("d/".repeat(16) + EVENTS, "near", 1);
        event("d/".repeat(17) + EVENTS, "far", 1);
        keep();
        assertThat(counts()).containsOnlyKeys("near");
    }

    @Test
    void manyFilesAreReadPieceByPieceAndSomeOfTooMany() throws IOException {
        for (int file = 0; file < OutputFiles.MAX_FILES + 10; file++) {
            event("d/events.out.tfevents." + file, "loss", file);
        }
        int looks = 1;
        while (keep()) {
            looks++;
        }
        assertThat(looks).isEqualTo((OutputFiles.MAX_FILES + OutputWalk.MAX_OPEN - 1) / OutputWalk.MAX_OPEN);
        assertThat(steps("loss")).hasSize(OutputFiles.MAX_FILES).doesNotHaveDuplicates();
        assertThat(omissions()).containsExactly("TOO_MANY_FILES");
    }

    @Test
    void aFileThatShrinksIsReadNoFurther() throws IOException {
        event(EVENTS, "loss", 1);
        event(EVENTS, "loss", 2);
        keep();
        Files.write(file(EVENTS), new byte[] {1});
        keep();
        event(EVENTS, "loss", 3);
        keep();
        assertThat(steps("loss")).containsExactly(1L, 2L);
        assertThat(queries.of(ID).omissions().getFirst().sentence()).startsWith(EVENTS + ": The file is shorter");
    }

    @Test
    void damagedFilesCountUpToTheFault() throws IOException {
        byte[] event = EventFile.event(1, 2, EventFile.scalar("loss", 2));
        event("crc/" + EVENTS, "loss", 1);
        byte[] damaged = new EventFile().record(event).bytes();
        damaged[damaged.length - 1] ^= 1;
        Files.write(file("crc/" + EVENTS), damaged, StandardOpenOption.APPEND);
        event("long/" + EVENTS, "loss", 1);
        Files.write(
                file("long/" + EVENTS), new EventFile().record(event, 1L << 40).bytes(), StandardOpenOption.APPEND);
        event("waits/" + EVENTS, "loss", 1);
        Files.write(
                file("waits/" + EVENTS), new EventFile().record(event, 1L << 30).bytes(), StandardOpenOption.APPEND);
        Files.writeString(file("rep_0.csv"), "a,b\n1,2\n");
        assertThat(keep()).isFalse();
        assertThat(counts()).containsOnlyKeys("loss", "long/loss", "waits/loss");
        assertThat(omissions()).containsExactly("CHECKSUM", "LENGTH", "NO_ITERATION");
        assertThat(keep()).isFalse();
        assertThat(counts().values()).containsOnly(1L);
    }
}
