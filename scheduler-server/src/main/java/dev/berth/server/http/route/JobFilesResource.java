package dev.berth.server.http.route;

import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.FileList;
import dev.berth.core.api.FileList.FileView;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.Part;
import dev.berth.core.job.TaskSet;
import dev.berth.server.code.OutputList;
import dev.berth.server.code.SnapshotArchive;
import dev.berth.server.code.SnapshotArchive.Submitted;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.Workspaces;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.retention.JobDeletion;
import dev.berth.server.runner.target.TargetDirectory;
import dev.berth.server.runner.target.TargetEngine.Ability;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;

/** The files kept of a job: its output as an archive, what it differed from its commit, and the deletion of it all. */
record JobFilesResource(
        Workspaces workspaces, SnapshotStore snapshots, JobDeletion deletion, TargetDirectory targets, Access access) {
    private static final int MAX_PATH = 4_096;
    private static final int MAX_NAME_BYTES = 255;
    private static final int MAX_FILES = 1_000;

    void addTo(Router router) {
        router.addArchive("/api/v1/jobs/{id}/output", this::output);
        router.add("GET", "/api/v1/jobs/{id}/files", this::files);
        router.addLong("GET", "/api/v1/jobs/{id}/diff", this::diff);
        router.add("GET", "/api/v1/jobs/{id}/snapshot", this::snapshot);
        router.addArchive("/api/v1/jobs/{id}/snapshot/archive", this::archive);
        router.add("DELETE", "/api/v1/jobs/{id}", this::delete);
    }

    private void output(Exchange exchange, Caller caller, Map<String, String> in) throws IOException {
        Job job = access.ownJob(caller, in);
        String asked = exchange.query("path").orElse("");
        Path path = path(asked);
        if (job.isPack() || !workspaces.pack(job, path, () -> exchange.answer(200, "application/x-tar"))) {
            throw noOutput(job, asked, "");
        }
    }

    private void files(Exchange exchange, Caller caller, Map<String, String> in) throws IOException {
        Job job = access.ownJob(caller, in);
        String asked = exchange.query("path").orElse("");
        Path path = path(asked);
        OutputList list = (job.isPack() ? Optional.<OutputList>empty() : workspaces.list(job, path))
                .orElseThrow(() -> noOutput(job, asked, "directory "));
        List<FileView> files = list.entries().stream()
                .sorted(Comparator.comparing(OutputList.Entry::name))
                .map(entry -> new FileView(
                        entry.name(),
                        entry.type().name().toLowerCase(Locale.ROOT),
                        entry.bytes(),
                        entry.changedAt().toString()))
                .toList();
        Json.answer(exchange, 200, new FileList(asked, files, list.more()));
    }

    private ApiException noOutput(Job job, String asked, String kind) {
        return ApiException.of(
                404,
                "NO_OUTPUT",
                elsewhere(job)
                        .orElseGet(() -> asked.isEmpty()
                                ? "job " + job.number() + " has no output: " + why(job)
                                : "path: there is no " + kind + "'" + asked + "' in the output of job "
                                        + job.number()));
    }

    /** That its target brings no files, where that is so. */
    private Optional<String> elsewhere(Job job) {
        return Optional.ofNullable(job.spec().target())
                .flatMap(targets::find)
                .map(target -> target.engine().abilities())
                .filter(abilities -> !abilities.has(Ability.OUTPUTS))
                .map(abilities -> "what job " + job.number() + " writes to its output directory stays at target "
                        + job.spec().target() + " (" + abilities.kind()
                        + "), which brings no files here as it is set up; have programs write results where they reach"
                        + " storage themselves (docs/kubernetes.md, Results)");
    }

    private void diff(Exchange exchange, Caller caller, Map<String, String> in) throws IOException {
        Job job = access.ownJob(caller, in);
        Optional<InputStream> found =
                snapshots.diff(job.owner().uid(), job.spec().snapshot());
        if (found.isEmpty()) {
            throw ApiException.of(
                    404,
                    "NO_DIFF",
                    "job " + job.number()
                            + " has no uncommitted changes: its directory was as git had it, or in no work tree");
        }
        try (InputStream diff = found.get()) {
            OutputStream out = exchange.answer(200, "text/x-diff; charset=utf-8");
            diff.transferTo(out);
            out.close();
        }
    }

    private void snapshot(Exchange exchange, Caller caller, Map<String, String> in) throws IOException {
        Job job = access.ownJob(caller, in);
        long from = Parameters.number(exchange, "cursor", 0, 0, Long.MAX_VALUE);
        int limit = (int) Parameters.number(exchange, "limit", MAX_FILES, 1, MAX_FILES);
        Json.answer(
                exchange,
                200,
                new SnapshotArchive(snapshots)
                        .list(Submitted.of(job), from, limit)
                        .orElseThrow(() -> noSnapshot(job)));
    }

    private void archive(Exchange exchange, Caller caller, Map<String, String> in) throws IOException {
        Job job = access.ownJob(caller, in);
        if (!new SnapshotArchive(snapshots).pack(Submitted.of(job), () -> exchange.answer(200, "application/x-tar"))) {
            throw noSnapshot(job);
        }
    }

    private static ApiException noSnapshot(Job job) {
        return ApiException.of(
                404,
                "NO_SNAPSHOT",
                "job " + job.number() + " has no submitted directory that is kept"
                        + (job.spec().isHost() ? ": it is a process of the machine itself" : ""));
    }

    private static String why(Job job) {
        if (job.spec().isHost()) {
            return "it is a process of the machine itself, which wrote where it liked";
        }
        if (job.isArray()) {
            return "it is an array, whose tasks have an output each; the first: berth get " + job.firstTask();
        }
        if (job.part() instanceof Part.Pack(JobId array, TaskSet tasks)) {
            return "it is a pack, whose tasks have an output each; the first: berth get " + array + "_" + tasks.first();
        }
        boolean hasStarted = job.state() instanceof Finished ended && ended.startedAt() != null;
        return hasStarted ? "it is deleted, or what it wrote is" : "it has not started";
    }

    private static Path path(String asked) {
        try {
            Path path = Path.of(asked);
            boolean leadsOut = isTooLong(path)
                    || path.isAbsolute()
                    || !path.normalize().equals(path)
                    || path.startsWith("..")
                    || asked.startsWith("/");
            if (!leadsOut) {
                return path;
            }
        } catch (InvalidPathException e) {
            // Said below, with the rule.
        }
        throw ApiException.field("path", asked, "must be a path below the output directory, such as model/best.pt");
    }

    /** No file system of Linux has such a name. */
    private static boolean isTooLong(Path path) {
        return path.toString().length() > MAX_PATH
                || StreamSupport.stream(path.spliterator(), false)
                        .anyMatch(name -> name.toString().getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES);
    }

    private void delete(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        Job job = access.ended(caller, in, "deleted");
        JobId array = job.arrayOfTurn();
        if (array != null) {
            throw ApiException.of(
                    409,
                    "TASK_OF_ARRAY",
                    "job " + job.number() + " is a " + (job.isPack() ? "pack" : "task") + " of array " + array
                            + " and goes with it: berth delete " + array + ", once all its tasks have ended");
        }
        Json.answer(exchange, 200, new DeletedJob(job.id().value(), deletion.delete(job)));
    }
}
