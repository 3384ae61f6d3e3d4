package dev.berth.server.powerloss;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.server.code.SnapshotException;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.disk.DurableFiles;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import dev.berth.server.log.JobLog;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.log.LogStore;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.database.Backup;
import dev.berth.server.store.database.Backup.Kind;
import dev.berth.server.store.database.BackupException;
import dev.berth.server.store.database.Backups;
import dev.berth.server.store.database.Restoration;
import dev.berth.server.store.database.Restoration.Restored;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** The process that is recorded: a real store, real snapshots, and a file that says what was acknowledged. */
public final class RecordedServer {
    static final String ACKNOWLEDGED = "acknowledged";
    static final int JOBS = 130;
    static final int SNAPSHOT_JOBS = 24;
    static final int BACKUPS = 6;
    static final int RESTORED_JOBS = 30;
    static final int LINES = 8;
    static final Attempt SECOND = new Attempt(new JobId(7), 2);
    private static final int LIVES = 3;

    private RecordedServer() {}

    /** Arguments: {@code jobs}, {@code snapshots}, {@code backups} or {@code log}, and the directory. */
    public static void main(String[] arguments) throws IOException, SnapshotException, BackupException {
        Path directory = Path.of(arguments[1]);
        try (FileChannel acknowledged = FileChannel.open(
                directory.resolve(ACKNOWLEDGED), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            switch (arguments[0]) {
                case "jobs" -> jobs(directory, acknowledged);
                case "snapshots" -> snapshots(directory, acknowledged);
                case "backups" -> backups(directory, acknowledged);
                case "log" -> log(directory, acknowledged);
                default -> throw new IllegalArgumentException(arguments[0]);
            }
        }
    }

    /** It ends in order and starts again a few times, so that logs are made, used up and removed. */
    private static void jobs(Path directory, FileChannel acknowledged) throws IOException {
        Path file = directory.resolve("berth.db");
        int done = 0;
        List<Script> script = List.of();
        for (int life = 1; life <= LIVES; life++) {
            try (JobStore store = new JobStore(file)) {
                if (script.isEmpty()) {
                    script = Script.of(store.lastId() + 1, JOBS);
                }
                for (; done < script.size() * life / LIVES; done++) {
                    store.write(script.get(done).changes());
                    store.commit();
                    acknowledge(acknowledged, done + 1);
                }
            }
        }
    }

    private static void snapshots(Path directory, FileChannel acknowledged) throws IOException, SnapshotException {
        Path place = Files.createDirectory(directory.resolve("snapshots"));
        SnapshotStore snapshots = new SnapshotStore(place, UploadLimits.DEFAULT, () -> Jobs.SUBMITTED);
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            for (int id = 1; id <= SNAPSHOT_JOBS; id++) {
                store.write(Jobs.upTo(job(id, draft(id).uploadTo(snapshots, uid()))));
                store.commit();
                acknowledge(acknowledged, id);
            }
        }
    }

    /** A backup after each job; then the first one is brought back, and the server goes on with that. */
    private static void backups(Path directory, FileChannel acknowledged) throws IOException, BackupException {
        Path file = directory.resolve("berth.db");
        Backups backups = Backups.beside(file);
        try (JobStore store = new JobStore(file)) {
            for (int number = 1; number <= BACKUPS; number++) {
                store.write(Jobs.upTo(Jobs.queued(number, 1)));
                store.commit();
                Backup _ = backups.make(Kind.ASKED, madeAt(number));
                acknowledge(acknowledged, number);
            }
        }
        Path first = backups.all().getLast().file();
        Restored _ = new Restoration(file).from(first, madeAt(BACKUPS + 1));
        acknowledge(acknowledged, BACKUPS + 1);
        try (JobStore store = new JobStore(file)) {
            for (int id = 2; id <= RESTORED_JOBS; id++) {
                store.write(Jobs.upTo(Jobs.queued(id, 1)));
                store.commit();
                acknowledge(acknowledged, BACKUPS + id);
            }
        }
    }

    private static Instant madeAt(int number) {
        return Jobs.SUBMITTED.plusSeconds(number);
    }

    /** The number of the backup, and of the jobs in it. */
    static long numberOf(Backup backup) {
        return backup.madeAt().getEpochSecond() - Jobs.SUBMITTED.getEpochSecond();
    }

    /** What is written to a log goes to the disk by and by without being forced; here, as bad luck has it, at once. */
    private static void log(Path directory, FileChannel acknowledged) throws IOException {
        Path log = Files.createDirectory(log(directory));
        DurableFiles.forceDirectory(directory);
        LogStore logs = logs(directory);
        try (JobLog first = logs.append(new Attempt(SECOND.job(), 1))) {
            first.write(Stream.OUT, ByteBuffer.wrap("of the first attempt\n".getBytes(StandardCharsets.UTF_8)));
        }
        DurableFiles.forceDirectory(log);
        List<Path> segment = filesOf(log);
        force(segment);
        acknowledge(acknowledged, 1);
        try (JobLog second = logs.append(SECOND)) {
            for (int line = 1; line <= LINES; line++) {
                second.write(Stream.OUT, ByteBuffer.wrap(line(line).getBytes(StandardCharsets.UTF_8)));
                force(segment);
                acknowledge(acknowledged, 1 + line);
            }
        }
    }

    private static List<Path> filesOf(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.toList();
        }
    }

    private static void force(List<Path> files) throws IOException {
        for (Path file : files) {
            DurableFiles.forceFile(file);
        }
    }

    static Path log(Path directory) {
        return directory.resolve("log");
    }

    static LogStore logs(Path directory) {
        return new LogStore(_ -> log(directory), Clocks.neverSet(InstantSource.fixed(Jobs.SUBMITTED)));
    }

    static String line(int number) {
        return "line " + number + " of the second attempt\n";
    }

    static long uid() {
        return Jobs.ADA.uid();
    }

    /** Some files are in all, some in a few, one is in this alone. */
    static Draft draft(int id) {
        return new Draft()
                .directory("src")
                .file("README", "the same for all")
                .file("src/part", ("part " + id / 4).repeat(2_000))
                .file("src/main.py", ("print(" + id + ")\n").repeat(id * 40));
    }

    static String main(int id) {
        return ("print(" + id + ")\n").repeat(id * 40);
    }

    static Job job(int id, String snapshot) {
        JobSpec spec = Jobs.spec(0);
        return Jobs.job(
                id,
                Jobs.with(spec, InContainer.of(snapshot, spec.image())),
                new Submitter(uid(), uid(), List.of(), "ada"),
                Jobs.queued(id, 0).state());
    }

    private static void acknowledge(FileChannel acknowledged, int commits) throws IOException {
        int _ = acknowledged.write(ByteBuffer.wrap((commits + "\n").getBytes(StandardCharsets.UTF_8)));
    }
}
