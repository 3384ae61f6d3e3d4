package dev.berth.cli.client;

import dev.berth.cli.client.http.HttpExchange;
import dev.berth.cli.client.http.HttpHead;
import dev.berth.cli.client.http.HttpRequest;
import dev.berth.cli.client.http.KeptConnection;
import dev.berth.cli.client.http.Percent;
import dev.berth.cli.client.http.RequestBody;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.json.DatabaseViews;
import dev.berth.cli.json.DoctorViews;
import dev.berth.cli.json.JsonObject;
import dev.berth.cli.json.JsonSources;
import dev.berth.cli.json.JsonText;
import dev.berth.cli.json.LeaseViews;
import dev.berth.cli.json.ProfileViews;
import dev.berth.cli.json.ProjectViews;
import dev.berth.cli.json.ReceiverViews;
import dev.berth.cli.json.TargetViews;
import dev.berth.cli.json.TokenViews;
import dev.berth.cli.json.TrackingViews;
import dev.berth.cli.json.Views;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.BackupRequest;
import dev.berth.core.api.BackupView;
import dev.berth.core.api.CheckView;
import dev.berth.core.api.CreatedToken;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.DeletedProject;
import dev.berth.core.api.DoctorView;
import dev.berth.core.api.DrainRequest;
import dev.berth.core.api.Explanation;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.GpuView;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.LeaseExit;
import dev.berth.core.api.LeaseStart;
import dev.berth.core.api.LeaseState;
import dev.berth.core.api.LinkRequest;
import dev.berth.core.api.LinkView;
import dev.berth.core.api.NotesRequest;
import dev.berth.core.api.OverviewView;
import dev.berth.core.api.PointList;
import dev.berth.core.api.ProfileList;
import dev.berth.core.api.ProjectList;
import dev.berth.core.api.ProjectNotes;
import dev.berth.core.api.ProjectRequest;
import dev.berth.core.api.ProjectView;
import dev.berth.core.api.ReceiverList;
import dev.berth.core.api.ReceiverRequest;
import dev.berth.core.api.ReceiverView;
import dev.berth.core.api.RenameRequest;
import dev.berth.core.api.ServerView;
import dev.berth.core.api.SnapshotView;
import dev.berth.core.api.SubmitPlan;
import dev.berth.core.api.TagRequest;
import dev.berth.core.api.TargetList;
import dev.berth.core.api.TestedReceiver;
import dev.berth.core.api.TokenList;
import dev.berth.core.api.TokenRequest;
import dev.berth.core.api.TokenView;
import dev.berth.core.api.TrackingList;
import dev.berth.core.api.TrackingView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The API's verbs. A refusal of the server is a {@link Failure}; an {@link IOException} means that it cannot be
 * reached or broke off. Safe for use by any thread: a connection carries one call at a time, and the next one after it.
 */
public final class BerthClient {
    private static final String API = "/api/v1";
    private static final int MAX_PAGE = 1000;

    /** So many numbers fit into the first line of a request. */
    private static final int JOBS_A_REQUEST = 100;

    private static final Duration PATIENCE = Duration.ofHours(1);
    private static final String KEY = "Idempotency-Key";

    private final Path socket;
    private final @Nullable RemoteServer remote;
    private final Ways ways;
    private final KeptConnection kept = new KeptConnection();

    /** The parts with which requests are made and answers are read. */
    private record Ways(
            String userAgent,
            Pause pause,
            Consumer<String> trace,
            Consumer<String> notices,
            @Nullable JsonSources sources) {}

    /**
     * A client of the server at this socket.
     *
     * @param version of this command, for the server's log
     * @param trace takes a line for each request
     */
    public BerthClient(Path socket, String version, Pause pause, Consumer<String> trace) {
        this(socket, null, new Ways("berth/" + version, pause, trace, _ -> {}, null));
    }

    /** A client of a server that is reached over TCP. */
    public BerthClient(RemoteServer remote, String version, Pause pause, Consumer<String> trace) {
        this(Path.of(""), remote, new Ways("berth/" + version, pause, trace, _ -> {}, null));
    }

    private BerthClient(Path socket, @Nullable RemoteServer remote, Ways ways) {
        this.socket = socket;
        this.remote = remote;
        this.ways = ways;
    }

    /**
     * A client of the same server.
     *
     * @param notices hears where it waits for a server that has too much to do
     * @param sources knows what the answers are read from, null where nobody asks
     */
    public BerthClient with(Consumer<String> notices, @Nullable JsonSources sources) {
        return new BerthClient(socket, remote, new Ways(ways.userAgent, ways.pause, ways.trace, notices, sources));
    }

    public ServerView server() throws IOException {
        return ask(HttpRequest.get(API + "/server"), Views::server);
    }

    /** Asks the server to end; it answers before it does. */
    public void stop(boolean stopJobs) throws IOException {
        record StopRequest(boolean stopJobs) {}

        exchange(HttpRequest.post(API + "/server/stop", JsonText.of(new StopRequest(stopJobs))));
    }

    /**
     * Has the database copied.
     *
     * @param file where on the server's machine, null for its own place
     */
    public BackupView backUp(@Nullable String file) throws IOException {
        HttpRequest request = HttpRequest.post(API + "/server/backup", JsonText.of(new BackupRequest(file)));
        return askPatiently(request, DatabaseViews::backup);
    }

    /** Has the database read through. */
    public CheckView check() throws IOException {
        return askPatiently(HttpRequest.post(API + "/server/check", "{}"), DatabaseViews::check);
    }

    /** What a job told of itself. */
    public TrackingView tracking(long id) throws IOException {
        return ask(HttpRequest.get(job(id, "/tracking")), TrackingViews::tracking);
    }

    /**
     * The course of a metric of a job.
     *
     * @param width in how many stretches, up to 3000
     */
    public PointList curve(long id, String metric, int width) throws IOException {
        String query = "?metric=" + Percent.encoded(metric) + "&width=" + width;
        return ask(HttpRequest.get(job(id, "/points" + query)), TrackingViews::points);
    }

    /**
     * Points of a metric of a job, the first ones behind so many.
     *
     * @param after how many are left out
     */
    public PointList points(long id, String metric, long after) throws IOException {
        String query = "?metric=" + Percent.encoded(metric) + "&after=" + after;
        return ask(HttpRequest.get(job(id, "/points" + query)), TrackingViews::points);
    }

    /** Takes what jobs told, one after the other. */
    public interface Told {
        void take(TrackingView job) throws IOException;
    }

    /**
     * What jobs told of themselves, in their order; in the place of an array its tasks that had their turn.
     *
     * @param skipsMissing whether jobs that are not there are left out, and not refused
     */
    public void tracking(List<Long> ids, boolean skipsMissing, Told taken) throws IOException {
        String skip = skipsMissing ? "&skipMissing=true" : "";
        for (int from = 0; from < ids.size(); from += JOBS_A_REQUEST) {
            String jobs = joined(ids.subList(from, Math.min(ids.size(), from + JOBS_A_REQUEST)));
            for (Long after = 0L; after != null; ) {
                TrackingList page = ask(
                        HttpRequest.get(API + "/tracking?jobs=" + jobs + "&after=" + after + skip),
                        TrackingViews::list);
                for (TrackingView job : page.jobs()) {
                    taken.take(job);
                }
                after = page.next();
            }
        }
    }

    private static String joined(List<Long> ids) {
        StringBuilder text = new StringBuilder();
        for (long id : ids) {
            text.append(text.isEmpty() ? "" : ",").append(id);
        }
        return text.toString();
    }

    /** Changes the tags of a job; the answer has all of them. */
    public TrackingView tag(long id, TagRequest request) throws IOException {
        return ask(HttpRequest.post(job(id, "/tags"), JsonText.of(request)), TrackingViews::tracking);
    }

    /** A user's projects; the caller's own with null. */
    public ProjectList projects(@Nullable String user) throws IOException {
        String first = API + "/projects" + (user == null ? "" : "?user=" + Percent.encoded(user));
        ProjectList page = ask(HttpRequest.get(first), ProjectViews::list);
        List<ProjectView> projects = new ArrayList<>(page.projects());
        String next = page.next();
        if (next == null) {
            return page;
        }
        while (next != null) {
            String target = first + (user == null ? "?" : "&") + "cursor=" + Percent.encoded(next);
            page = ask(HttpRequest.get(target), ProjectViews::list);
            projects.addAll(page.projects());
            next = page.next();
        }
        return new ProjectList(projects, null);
    }

    /** Gives a project another name, however many jobs it has. */
    public ProjectView rename(RenameRequest request) throws IOException {
        return askPatiently(HttpRequest.post(API + "/projects/rename", JsonText.of(request)), ProjectViews::project);
    }

    /** Deletes some of the jobs of a project; to be asked for until it is complete. */
    public DeletedProject delete(ProjectRequest request) throws IOException {
        return askPatiently(HttpRequest.post(API + "/projects/delete", JsonText.of(request)), ProjectViews::deleted);
    }

    /** The notes of a project of a user; of the caller's own with null. */
    public ProjectNotes notes(String project, @Nullable String user) throws IOException {
        String query = "?project=" + Percent.encoded(project) + (user == null ? "" : "&user=" + Percent.encoded(user));
        return ask(HttpRequest.get(API + "/projects/notes" + query), ProjectViews::notes);
    }

    /** Writes the notes of a project in place of those that it has. */
    public ProjectNotes note(NotesRequest request) throws IOException {
        return ask(HttpRequest.post(API + "/projects/notes", JsonText.of(request)), ProjectViews::notes);
    }

    public ProfileList profiles() throws IOException {
        return ask(HttpRequest.get(API + "/profiles"), ProfileViews::list);
    }

    public TargetList targets() throws IOException {
        return ask(HttpRequest.get(API + "/targets"), TargetViews::list);
    }

    /**
     * What is found about a target: that takes its time.
     *
     * @param image of the job that is tried there; null for the target's own choice
     * @param gpus of that job
     */
    public DoctorView examineTarget(String name, @Nullable String image, int gpus) throws IOException {
        String query = "?gpus=" + gpus + (image == null ? "" : "&image=" + Percent.encoded(image));
        return ask(HttpRequest.post(API + "/targets/" + name + "/doctor" + query, "{}"), DoctorViews::view);
    }

    public GpuList gpus() throws IOException {
        return ask(HttpRequest.get(API + "/gpus"), Views::gpus);
    }

    /**
     * The server, its GPUs' last seconds and the jobs that run and wait.
     *
     * @param seconds how many of them at most
     * @param limit how many jobs that wait at most, up to 1000
     */
    public OverviewView overview(int seconds, int limit) throws IOException {
        return ask(HttpRequest.get(API + "/overview?seconds=" + seconds + "&limit=" + limit), Views::overview);
    }

    /**
     * Takes a GPU out of service.
     *
     * @param gpu its index, its UUID, or the beginning of that
     */
    public GpuView drain(String gpu, @Nullable String reason) throws IOException {
        return ask(HttpRequest.post(gpuPath(gpu) + "/drain", JsonText.of(new DrainRequest(reason))), Views::gpu);
    }

    /** Takes a GPU back into service. */
    public GpuView resumeGpu(String gpu) throws IOException {
        return ask(HttpRequest.post(gpuPath(gpu) + "/resume", "{}"), Views::gpu);
    }

    private static String gpuPath(String gpu) {
        return API + "/gpus/" + Percent.encoded(gpu);
    }

    /** Posts the manifest of a directory; the answer says which contents the server lacks. */
    public SnapshotView manifest(RequestBody manifest) throws IOException {
        return ask(HttpRequest.post(API + "/snapshots", manifest), Views::snapshot);
    }

    /** Posts contents that the snapshot lacks; the answer says which are still missing. */
    public SnapshotView contents(String snapshot, RequestBody contents) throws IOException {
        return ask(HttpRequest.post(API + "/contents?snapshot=" + snapshot, contents), Views::snapshot);
    }

    /** Hands a job in; with a key that came before, the answer is the job of that time. */
    public JobView submit(Map<String, Object> request, String key) throws IOException {
        return ask(HttpRequest.post(API + "/jobs", JsonText.of(request)).with(KEY, key), Views::job);
    }

    /** Several jobs, which are accepted all or none. */
    public JobList submitAll(List<Map<String, Object>> requests, String key) throws IOException {
        return ask(
                HttpRequest.post(API + "/pipelines", JsonText.of(Map.of("jobs", requests)))
                        .with(KEY, key),
                Views::jobs);
    }

    /** The job as it would be; nothing is handed in. */
    public SubmitPlan plan(Map<String, Object> request) throws IOException {
        return ask(HttpRequest.post(API + "/jobs?dryRun=true", JsonText.of(request)), Views::plan);
    }

    /** A task of an array, by such a number as 42_7. */
    public JobView task(String number) throws IOException {
        return ask(HttpRequest.get(API + "/jobs/" + Percent.encoded(number)), Views::job);
    }

    public JobView job(long id) throws IOException {
        return ask(HttpRequest.get(job(id, "")), Views::job);
    }

    public Explanation explain(long id) throws IOException {
        return ask(HttpRequest.get(job(id, "/explanation")), Views::explanation);
    }

    public JobView cancel(long id) throws IOException {
        return ask(HttpRequest.post(job(id, "/cancel"), "{}"), Views::job);
    }

    /** Has a receiver told of all the caller's jobs. */
    public ReceiverView addReceiver(ReceiverRequest request) throws IOException {
        return ask(HttpRequest.post(API + "/receivers", JsonText.of(request)), ReceiverViews::receiver);
    }

    /** The caller's own receivers. */
    public ReceiverList receivers() throws IOException {
        return ask(HttpRequest.get(API + "/receivers"), ReceiverViews::list);
    }

    public TestedReceiver testReceiver(long id) throws IOException {
        return ask(HttpRequest.post(API + "/receivers/" + id + "/test", "{}"), ReceiverViews::tested);
    }

    public ReceiverView removeReceiver(long id) throws IOException {
        return ask(HttpRequest.delete(API + "/receivers/" + id), ReceiverViews::receiver);
    }

    /** Makes a token; its secret is in the answer, and nowhere else. */
    public CreatedToken createToken(TokenRequest request) throws IOException {
        return ask(HttpRequest.post(API + "/tokens", JsonText.of(request)), TokenViews::created);
    }

    /**
     * Makes a link that opens the page once.
     *
     * @param job the job that it shows, null for the first screen
     */
    public LinkView link(@Nullable String job) throws IOException {
        return ask(HttpRequest.post(API + "/links", JsonText.of(new LinkRequest(job))), TokenViews::link);
    }

    /** The caller's own tokens. */
    public TokenList tokens() throws IOException {
        return ask(HttpRequest.get(API + "/tokens"), TokenViews::list);
    }

    /**
     * Takes a token back.
     *
     * @param id letters and digits
     */
    public TokenView revokeToken(String id) throws IOException {
        return ask(HttpRequest.post(API + "/tokens/" + id + "/revoke", "{}"), TokenViews::token);
    }

    public JobView hold(long id) throws IOException {
        return ask(HttpRequest.post(job(id, "/hold"), "{}"), Views::job);
    }

    public JobView release(long id) throws IOException {
        return ask(HttpRequest.post(job(id, "/release"), "{}"), Views::job);
    }

    /**
     * Hands an ended job in again; the answer is the new one. The key is as in {@link #submit}.
     *
     * @param onlyFailed whether of an array those tasks alone that have not COMPLETED
     */
    public JobView resubmit(long id, boolean onlyFailed, String key) throws IOException {
        return ask(
                HttpRequest.post(job(id, onlyFailed ? "/resubmit?failed=true" : "/resubmit"), "{}")
                        .with(KEY, key),
                Views::job);
    }

    public DeletedJob delete(long id) throws IOException {
        return ask(HttpRequest.delete(job(id, "")), Views::deleted);
    }

    /** The difference of the submitted directory from its commit, as {@code git diff} writes it. */
    public ArchiveReader diff(long id) throws IOException {
        Answer answer = open(HttpRequest.get(job(id, "/diff")));
        return new ArchiveReader(answer.exchange, answer.exchange.stream(answer.head));
    }

    /**
     * The files that the job wrote to its output directory, as a tar archive; of {@code path} alone where it is not
     * empty.
     */
    public ArchiveReader output(long id, String path) throws IOException {
        String query = path.isEmpty() ? "" : "?path=" + Percent.encoded(path);
        // Of one user's archives a few are packed at once; the others wait for their turn.
        Answer answer = open(HttpRequest.get(job(id, "/output" + query)), PATIENCE);
        return new ArchiveReader(answer.exchange, answer.exchange.stream(answer.head));
    }

    /** The directory that the job was submitted with, as a tar archive. */
    public ArchiveReader snapshot(long id) throws IOException {
        Answer answer = open(HttpRequest.get(job(id, "/snapshot/archive")), PATIENCE);
        return new ArchiveReader(answer.exchange, answer.exchange.stream(answer.head));
    }

    /** Starts nothing new, or goes on. */
    public ServerView pause(boolean paused) throws IOException {
        return ask(HttpRequest.post(API + "/server/" + (paused ? "pause" : "resume"), "{}"), Views::server);
    }

    /** As many jobs as asked for, page by page; {@link JobList#next} tells whether there are more. */
    public JobList jobs(JobQuery query) throws IOException {
        List<JobView> jobs = new ArrayList<>();
        Long cursor = query.before();
        do {
            JobList page = ask(
                    HttpRequest.get(target(query, Math.min(MAX_PAGE, query.limit() - jobs.size()), cursor)),
                    Views::jobs);
            cursor = page.next();
            if (jobs.isEmpty() && (cursor == null || page.jobs().size() >= query.limit())) {
                return page;
            }
            jobs.addAll(page.jobs());
        } while (cursor != null && jobs.size() < query.limit());
        return new JobList(jobs, cursor);
    }

    private static String target(JobQuery query, int limit, @Nullable Long cursor) {
        return API + (query.isOfTold() ? "/tracked?scope=" : "/jobs?scope=") + query.scope() + "&limit=" + limit
                + query.parameters() + (cursor == null ? "" : "&cursor=" + cursor);
    }

    /** The job's events after the one with the number {@code after}; 0 for all. */
    public EventStream events(long id, long after) throws IOException {
        HttpRequest request = HttpRequest.get(job(id, "/events"));
        Answer answer = open(after == 0 ? request : request.with("Last-Event-ID", Long.toString(after)));
        return new EventStream(answer.exchange, answer.exchange.stream(answer.head), ways.sources);
    }

    /**
     * The events of all jobs, in their order.
     *
     * @param after the number of the last one that is known; {@link EventStream#UNKNOWN} for none: then from now on where
     *     it follows, else all
     * @param follow whether to wait for what still happens
     */
    public EventStream events(long after, boolean follow) throws IOException {
        HttpRequest request = HttpRequest.get(API + "/events?follow=" + follow);
        Answer answer =
                open(after == EventStream.UNKNOWN ? request : request.with("Last-Event-ID", Long.toString(after)));
        return new EventStream(answer.exchange, answer.exchange.stream(answer.head), ways.sources);
    }

    /**
     * The job's log.
     *
     * @param offset how many bytes to leave out
     * @param follow whether to wait for what is still to be written
     */
    public FramedLog log(long id, long offset, boolean follow, LogPart part) throws IOException {
        String target = "/log?format=frames&offset=" + offset + "&follow=" + follow + part.query();
        Answer answer = open(HttpRequest.get(job(id, target)));
        try {
            long begin = offset(answer.head.header("berth-log-begin"), 0);
            long start = offset(answer.head.header("berth-log-start"), 0);
            long first = offset(answer.head.header("berth-log-offset"), offset);
            return new FramedLog(answer.exchange, answer.exchange.stream(answer.head), begin, start, first);
        } catch (IOException broken) {
            answer.exchange.close();
            throw broken;
        }
    }

    private static long offset(@Nullable String header, long otherwise) throws IOException {
        return header == null ? otherwise : HttpHead.number(header, 10);
    }

    /**
     * Waits for a job's GPUs, for a process of this machine.
     *
     * @param pid this process, which waits
     * @param startTicks when that began
     */
    public LeaseEvents lease(long id, long pid, long startTicks) throws IOException {
        Answer answer = open(HttpRequest.get(job(id, "/lease?pid=" + pid + "&startTicks=" + startTicks)));
        return new LeaseEvents(answer.exchange, answer.exchange.stream(answer.head));
    }

    /** Says which process the GPUs are for; it may be said twice. */
    public LeaseState begin(long id, LeaseStart start) throws IOException {
        return ask(HttpRequest.post(job(id, "/lease"), JsonText.of(start)), LeaseViews::state);
    }

    /** Says how the program ended. */
    public LeaseState exited(long id, LeaseExit exit) throws IOException {
        return ask(HttpRequest.post(job(id, "/lease/exit"), JsonText.of(exit)), LeaseViews::state);
    }

    private static String job(long id, String rest) {
        return API + "/jobs/" + id + rest;
    }

    /** Asks without a hurry: the time that a large database takes is no reason to hang up. */
    private <T> T askPatiently(HttpRequest request, Function<JsonObject, T> view) throws IOException {
        Answer answer = open(request, PATIENCE);
        try (HttpExchange exchange = answer.exchange) {
            return read(exchange.whole(answer.head), view);
        }
    }

    private <T> T ask(HttpRequest request, Function<JsonObject, T> view) throws IOException {
        return read(exchange(request), view);
    }

    private <T> T read(byte[] body, Function<JsonObject, T> view) {
        return JsonObject.parse(body, ways.sources).as(view);
    }

    private byte[] exchange(HttpRequest request) throws IOException {
        Answer answer = open(request);
        try {
            byte[] body = answer.exchange.whole(answer.head);
            kept.put(answer.exchange, answer.head);
            return body;
        } catch (IOException | RuntimeException broken) {
            answer.exchange.close();
            throw broken;
        }
    }

    /** An answer that is no refusal, its body still to be read. */
    private Answer open(HttpRequest request) throws IOException {
        return open(request, HttpExchange.IDLE_LIMIT);
    }

    private Answer open(HttpRequest request, Duration idleLimit) throws IOException {
        BusyWait busy = new BusyWait(ways.pause, ways.notices);
        while (true) {
            HttpExchange used = idleLimit.equals(HttpExchange.IDLE_LIMIT) ? kept.take(request) : null;
            HttpExchange exchange = used == null ? connect(idleLimit) : used;
            try {
                HttpHead head = remote == null
                        ? exchange.send(request, ways.userAgent)
                        : exchange.send(request, ways.userAgent, remote.hostLine(), remote.token());
                ways.trace.accept(request.method() + " " + request.target() + ": " + head.status());
                if (head.status() < 300) {
                    return new Answer(exchange, head);
                }
                ApiError error = error(exchange, head);
                exchange.close();
                busy.orThrow(head, error);
            } catch (IOException broken) {
                exchange.close();
                // The server may have closed it while it was not used; that says nothing of the server.
                if (used == null) {
                    throw broken;
                }
            } catch (RuntimeException refused) {
                exchange.close();
                throw refused;
            }
        }
    }

    private HttpExchange connect(Duration idleLimit) throws IOException {
        return remote == null ? HttpExchange.open(socket, idleLimit) : HttpExchange.over(remote.connect(), idleLimit);
    }

    private static ApiError error(HttpExchange exchange, HttpHead head) throws IOException {
        byte[] body = exchange.whole(head);
        String type = head.header("content-type");
        return type != null && type.startsWith("application/json")
                ? Views.error(JsonObject.parse(body))
                : new ApiError("HTTP_" + head.status(), "the server answered " + head.status(), java.util.Map.of());
    }

    private record Answer(HttpExchange exchange, HttpHead head) {}
}
