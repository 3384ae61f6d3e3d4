package dev.berth.server.http.submit;

import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Submitter;
import dev.berth.server.code.SnapshotException;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.config.Settings;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.submit.Submission.Wanted;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.notify.CommandRules;
import dev.berth.server.notify.NotifyRules;
import dev.berth.server.runner.docker.EngineFacts;
import dev.berth.server.runner.target.TargetDirectory;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/** What checks a submit, on a machine with 4 CPUs and 8 GiB, with one empty directory uploaded. */
final class Submissions implements AutoCloseable {
    private static final EngineFacts MACHINE =
            new EngineFacts("An Engine", Set.of(), 8L << 30, 4, Path.of("/var/lib/engine"), Path.of("/run/engine"));

    private final SnapshotStore snapshots;
    private final JobQueries queries;
    private final String emptySnapshot;
    private Settings settings = Settings.of();

    /** With a job of Ada's, 1, and one of Bob's, 2. */
    Submissions(Path directory) {
        try {
            snapshots = new SnapshotStore(
                    Files.createDirectories(directory.resolve("snapshots")),
                    UploadLimits.DEFAULT,
                    InstantSource.fixed(Jobs.SUBMITTED));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        emptySnapshot = uploaded(new Draft(), Jobs.ADA);
        try (JobStore store = new JobStore(directory.resolve("berth.db"))) {
            store.write(List.of(Jobs.acceptance(Jobs.accepted(1, 0)), Jobs.acceptance(Jobs.accepted(2, 0, Jobs.BOB))));
            store.commit();
        }
        queries = new JobQueries(directory.resolve("berth.db"));
    }

    /** With what an administrator decided. */
    Submissions under(String... assignments) {
        settings = Settings.of(assignments);
        return this;
    }

    /** The snapshot of a tree that somebody uploaded. */
    String uploaded(Draft tree, Submitter owner) {
        try {
            return tree.uploadTo(snapshots, owner.uid());
        } catch (IOException | SnapshotException e) {
            throw new AssertionError(e);
        }
    }

    String emptySnapshot() {
        return emptySnapshot;
    }

    Submission submission() {
        Mounts mounts = Mounts.asUser(new MountRules(settings, Path.of("/run/engine"), List.of()));
        return new Submission(
                snapshots,
                queries,
                settings,
                new Options(settings, MACHINE, new Volumes(mounts)),
                new NotifyRules(settings, CommandRules.none("a test")),
                new TargetRequests(TargetDirectory.NONE));
    }

    /** What a body comes to, without its program. */
    JobSpec check(String json, Submitter who) {
        return wanted(json, who).spec();
    }

    /** All that a body comes to. */
    Wanted wanted(String json, Submitter who) {
        try {
            return submission()
                    .check(
                            Profiled.none(Json.parse(json.getBytes(StandardCharsets.UTF_8), SubmitRequest.class)),
                            Caller.local(who),
                            false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        queries.close();
    }
}
