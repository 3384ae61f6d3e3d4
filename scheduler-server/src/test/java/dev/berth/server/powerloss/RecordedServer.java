package dev.berth.server.powerloss;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Submitter;
import dev.berth.server.code.SnapshotException;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import dev.berth.server.store.JobStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The process that is recorded: a real store, real snapshots, and a file that says what was acknowledged. */
public final class RecordedServer {
    static final String ACKNOWLEDGED = "acknowledged";
    static final int JOBS = 130;
    static final int SNAPSHOT_JOBS = 24;
    private static final int LIVES = 3;

    private RecordedServer() {}

    /** Arguments: {@code jobs} or {@code snapshots}, and the directory. */
    public static void main(String[] arguments) throws IOException, SnapshotException {
        Path directory = Path.of(arguments[1]);
        try (FileChannel acknowledged = FileChannel.open(
                directory.resolve(ACKNOWLEDGED), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            if (arguments[0].equals("jobs")) {
                jobs(directory, acknowledged);
            } else {
                snapshots(directory, acknowledged);
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
