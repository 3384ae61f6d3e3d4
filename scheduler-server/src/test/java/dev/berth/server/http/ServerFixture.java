package dev.berth.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Label;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.QueueRules;
import dev.berth.core.machine.Step.Reply;
import dev.berth.core.machine.TargetRules;
import dev.berth.server.Occupancy;
import dev.berth.server.ServerAssembly;
import dev.berth.server.cgroup.LeaseCgroups;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.config.Settings;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.gpu.nvidia.Driver;
import dev.berth.server.gpu.nvidia.GpuMode;
import dev.berth.server.gpu.occupy.ProcessIdentity;
import dev.berth.server.http.access.RoleNames;
import dev.berth.server.http.access.Roles;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.route.ApiParts;
import dev.berth.server.http.view.ServerFacts;
import dev.berth.server.linux.Users;
import dev.berth.server.log.LogSink;
import dev.berth.server.log.LogStore;
import dev.berth.server.loop.Room;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.loop.SchedulingLoop;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.notify.CommandRules;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.runner.docker.FakeContainerEngine;
import dev.berth.server.runner.docker.GpuHandover;
import dev.berth.server.runner.host.LinuxKernel;
import dev.berth.server.runner.target.HandoverLinks;
import dev.berth.server.runner.target.TargetDirectory;
import dev.berth.server.runner.target.TargetEngine;
import dev.berth.server.runner.target.Targets;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A server as it is, on a real socket, a real database and real files; only the engine runs nothing. Four GPUs, four
 * workers, programs that run until the test ends them.
 */
public final class ServerFixture implements AutoCloseable {
    static final String IMAGE = "berth-job:latest";
    static final Duration PATIENCE = Duration.ofSeconds(30);

    /** How soon it is looked again for what no change tells. */
    private static final Duration LOOK = Duration.ofMillis(50);

    private static final int GPUS = 4;
    private static final Duration LOOK_EVERY = Duration.ofMillis(50);

    /** What images are held against. */
    volatile Driver driver = Driver.UNKNOWN;

    /** How far somebody has set the date ahead. */
    volatile Duration ahead = Duration.ZERO;

    private final ContainerNames names;
    private final FakeContainerEngine engine;
    private final ServerAssembly server;
    private final Scheduling scheduling;
    private final JobQueries queries;
    private final ConcurrentMap<GpuId, GpuReading> readings = new ConcurrentHashMap<>();
    private final Thread loopThread;
    private final AutoCloseable watch;
    private final HttpServer http;
    private final HttpLimits limits;
    private final InetSocketAddress tcp;
    private final Path socket;
    private final ApiParts parts;
    private final HandoverLinks links = HandoverLinks.passing();
    private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();

    public ServerFixture(Path directory) {
        this(directory, 0, 0);
    }

    /** With another server user than root, or a lane for jobs without GPUs. */
    public ServerFixture(Path directory, long serverUid, int cpuWorkers) {
        this(
                directory,
                serverUid,
                capacity(cpuWorkers),
                Settings.of(),
                listening -> listening,
                Scheduling.MAX_REQUESTS,
                Targets.NONE,
                null);
    }

    /** With another order of the queue. */
    public ServerFixture(Path directory, QueueRules order) {
        this(
                directory,
                0,
                inOrder(order),
                Settings.of(),
                listening -> listening,
                Scheduling.MAX_REQUESTS,
                Targets.NONE,
                null);
    }

    /** With what an administrator decided. */
    public ServerFixture(Path directory, Settings settings) {
        this(directory, settings, Scheduling.MAX_REQUESTS);
    }

    /** The same with another number of requests that may wait. */
    public ServerFixture(Path directory, Settings settings, int maxRequests) {
        this(directory, 0, capacity(0), settings, listening -> listening, maxRequests, Targets.NONE, null);
    }

    /** With other settings of the listeners. */
    public ServerFixture(Path directory, UnaryOperator<HttpSettings> change) {
        this(directory, 0, capacity(0), Settings.of(), change, Scheduling.MAX_REQUESTS, Targets.NONE, null);
    }

    /** With targets beside its own queue. */
    public ServerFixture(Path directory, TargetDirectory targets) {
        this(
                directory,
                0,
                capacity(0),
                Settings.of(),
                listening -> listening,
                Scheduling.MAX_REQUESTS,
                Targets.NONE,
                targets);
    }

    /** With targets to which jobs are handed over. */
    public ServerFixture(Path directory, Targets targets) {
        this(directory, Settings.of(), targets);
    }

    /** The same with other settings. */
    public ServerFixture(Path directory, Settings settings, Targets targets) {
        this(
                directory,
                0,
                capacity(0).with(rules(targets)),
                settings,
                listening -> listening,
                Scheduling.MAX_REQUESTS,
                targets,
                null);
        server.targets().watch(server.background(), LOOK_EVERY);
    }

    private static SortedMap<String, TargetRules> rules(Targets targets) {
        SortedMap<String, TargetRules> rules = new TreeMap<>();
        targets.all()
                .forEach((name, target) -> rules.put(
                        name,
                        new TargetRules(
                                target.settings().atOnce(),
                                target.engine().abilities().has(TargetEngine.Ability.ARRAYS))));
        return rules;
    }

    private ServerFixture(
            Path directory,
            long serverUid,
            Capacity capacity,
            Settings settings,
            UnaryOperator<HttpSettings> change,
            int maxRequests,
            Targets targets,
            @Nullable TargetDirectory listed) {
        InstantSource clock = InstantSource.system();
        Clocks clocks = new Clocks(() -> clock.instant().plus(ahead), clock);
        socket = directory.resolve("berth.sock");
        engine = new FakeContainerEngine(clock, (_, _) -> {}).withImage(IMAGE);
        JobStore store = new JobStore(directory.resolve("berth.db"));
        names = new ContainerNames(store.serverId(() -> "harbour1"));
        BackgroundWork background = BackgroundWork.onVirtualThreads(clock);
        ServerAssembly.Machinery machinery = new ServerAssembly.Machinery(
                engine,
                this::read,
                _ -> Occupancy.none(this::identify),
                new GpuHandover(GpuMode.RUNTIME, null, List.of(), () -> driver),
                Mounts.asUser(new MountRules(settings, Path.of("/run/docker.sock"), List.of())),
                new LinuxKernel(background),
                LeaseCgroups.none("a test"),
                CommandRules.none("a test"),
                targets,
                links,
                background,
                clocks);
        scheduling = Scheduling.of(capacity, store, maxRequests);
        server = ServerAssembly.of(
                new ServerAssembly.Parts(
                        settings,
                        new ServerAssembly.Places(
                                directory.resolve("berth.db"),
                                made(directory.resolve("snapshots")),
                                made(directory.resolve("jobs"))),
                        scheduling,
                        scheduling::tell,
                        machinery,
                        store,
                        null,
                        true,
                        fatal -> {
                            throw new AssertionError(fatal);
                        }),
                names);
        queries = server.queries();
        watch = server.watch();
        SchedulingLoop loop = server.recover(null, server.effects()::accept);
        loopThread = Thread.ofPlatform().name("loop").start(() -> turn(loop));
        HttpSettings listening =
                change.apply(HttpSettings.of(socket, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        limits = listening.limits();
        try {
            http = new HttpServer(listening, background);
            tcp = new InetSocketAddress(InetAddress.getLoopbackAddress(), http.bind());
            ServerFacts facts = new ServerFacts(
                    "1.2.3",
                    4711,
                    serverUid,
                    socket,
                    listening.url(tcp.getPort()),
                    directory,
                    Instant.EPOCH,
                    IMAGE,
                    "Fake Engine",
                    true,
                    null,
                    null,
                    "",
                    List.of("a warning"));
            ApiParts api = server.api(facts, stopped::complete);
            parts = listed == null ? api : api.with(listed);
            http.start(parts, true);
            server.hosts().open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Capacity inOrder(QueueRules order) {
        Capacity usual = capacity(0);
        return new Capacity(
                usual.gpus(),
                usual.workers(),
                usual.cpuWorkers(),
                usual.rules(),
                usual.topology(),
                usual.cpus(),
                usual.memoryBytes(),
                order);
    }

    private static Capacity capacity(int cpuWorkers) {
        return new Capacity(SimulatedGpus.of(GPUS), GPUS, cpuWorkers);
    }

    /** All that is on a GPU here belongs to the one job that runs. */
    private ProcessIdentity identify(long pid) {
        return new ProcessIdentity(
                "ada",
                "python",
                "python " + pid,
                null,
                scheduling.machine().live().keySet().stream().findFirst().orElse(null));
    }

    private GpuReading read(GpuId gpu) {
        GpuReading reading = readings.get(gpu);
        if (reading == null) {
            throw new GpuException(GpuException.Kind.LOST, gpu + " has fallen off the bus");
        }
        return reading;
    }

    /** What a GPU shows from now on; until then it cannot be read. */
    void show(int gpu, GpuReading reading) {
        readings.put(Jobs.gpu(gpu), reading);
    }

    /** Somebody looks at the GPUs once. */
    void look() {
        Objects.requireNonNull(server.usage().sampler()).look();
    }

    private static Path made(Path directory) {
        try {
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void turn(SchedulingLoop loop) {
        try {
            loop.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    Path socket() {
        return socket;
    }

    public InetSocketAddress tcp() {
        return tcp;
    }

    FakeContainerEngine engine() {
        return engine;
    }

    Scheduling scheduling() {
        return scheduling;
    }

    /** Begins to send notices, which no other test is about. */
    void sendNotices() {
        server.notices().start();
    }

    List<Router.Route> routes() {
        Roles roles = new Roles(0, new RoleNames(List.of(), List.of()), new Users());
        try {
            return parts.router(limits.streamsPerUser(), parts.logins(roles, false, limits.wrongTokenDelay()))
                    .routes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    HandoverLinks links() {
        return links;
    }

    SnapshotStore snapshots() {
        return server.snapshots();
    }

    JobQueries queries() {
        return queries;
    }

    /** Complete once somebody asked for the server's end, with whether after the jobs. */
    CompletableFuture<Boolean> stopped() {
        return stopped;
    }

    public Answer get(String target) {
        return Wire.get(socket, target);
    }

    public Answer post(String target, String body) {
        return Wire.post(socket, target, body);
    }

    public Answer upload(byte[] manifest) {
        return send("/api/v1/snapshots", manifest);
    }

    Answer send(String target, byte[] body) {
        return Wire.ask(UnixDomainSocketAddress.of(socket), "POST", target, body);
    }

    /** The name of a directory with an empty main.py, which is on the server. */
    String snapshot() {
        return snapshot(new Draft().file("main.py", ""));
    }

    /** The name of a directory, once all of it is on the server. */
    String snapshot(Draft draft) {
        JsonNode view = upload(draft.bytes()).json();
        List<String> missing = new ArrayList<>();
        view.path("missing").forEach(digest -> missing.add(digest.asText()));
        if (!missing.isEmpty()) {
            send("/api/v1/contents?snapshot=" + draft.id(), draft.contents(missing));
        }
        return view.path("snapshot").asText();
    }

    /** Submits a job that asks for so many GPUs. */
    JsonNode submit(int gpus) {
        return submit("\"gpus\": " + gpus).expect(201).json();
    }

    /** Submits a job of an empty main.py with these fields. */
    Answer submit(String fields) {
        return post(
                "/api/v1/jobs", "{\"command\": [\"main.py\"], \"snapshot\": \"%s\", %s}".formatted(snapshot(), fields));
    }

    /** Has somebody else of this machine submit a job. */
    long submitted(String user, String name, int gpus) {
        Submitter owner = new Users().find(user).orElse(new Submitter(54_321, 54_321, List.of(), user));
        JobSpec spec =
                Jobs.with(Jobs.with(Jobs.spec(gpus), InContainer.of("", IMAGE)), new Label(name, "p", List.of()));
        Program program = new Program(List.of("true"), Map.of());
        Reply reply = scheduling
                .submit(now -> new SubmitJob(now, spec, program, owner, null), Room.UNBOUNDED)
                .join();
        return reply instanceof Reply.Accepted(Job job) ? job.id().value() : -1;
    }

    long submitted(int gpus) {
        return submit(gpus).path("id").asLong();
    }

    /** A job by its number: an id, or one such as {@code 42_7}. */
    JsonNode job(Object number) {
        return get("/api/v1/jobs/" + number).expect(200).json();
    }

    String state(Object number) {
        return job(number).path("state").asText();
    }

    /** Asks something of a job, such as {@code hold}. */
    Answer verb(Object number, String verb) {
        return post("/api/v1/jobs/" + number + "/" + verb, "");
    }

    Answer delete(Object number) {
        return Wire.ask(UnixDomainSocketAddress.of(socket), "DELETE", "/api/v1/jobs/" + number, new byte[0]);
    }

    /** The numbers of the jobs in a list. */
    List<String> listed(String parameters) {
        return get("/api/v1/jobs" + parameters).expect(200).json().path("jobs").findValuesAsText("number");
    }

    String container(long id) {
        return queries.find(new JobId(id)).map(Attempt::of).map(names::of).orElseThrow();
    }

    LogStore logs() {
        return parts.logs();
    }

    /** Waits until the job is in that state. */
    void await(long id, StateName state) {
        await(
                "job " + id + " in " + state,
                () -> queries.find(new JobId(id)).orElseThrow().state().name() == state);
    }

    /** The same of a task that may be no job of its own yet. */
    void await(String number, StateName state) {
        await("job " + number + " in " + state, () -> state(number).equals(state.name()));
    }

    /** Waits for what a committed change brings, or what follows from one by the work of another thread. */
    void await(String what, BooleanSupplier isThere) {
        try {
            Instant end = Instant.now().plus(PATIENCE);
            while (!isThere.getAsBoolean()) {
                if (Instant.now().isAfter(end)) {
                    throw new AssertionError(what + " did not come; there is " + scheduling.machine());
                }
                boolean _ =
                        scheduling.changes().awaitBeyond(scheduling.changes().count(), LOOK);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Waits until the job's sentence says this; nothing tells of a change of what is said about the engine. */
    void awaitSentence(long id, String words) {
        Instant end = InstantSource.system().instant().plus(PATIENCE);
        while (!job(id).path("sentence").asText().contains(words)) {
            if (InstantSource.system().instant().isAfter(end)) {
                throw new AssertionError("job " + id + " does not say " + words + " but " + job(id));
            }
            Thread.onSpinWait();
        }
    }

    long running(int gpus) {
        long id = submitted(gpus);
        await(id, StateName.RUNNING);
        return id;
    }

    void print(long id, String text) {
        print(id, LogSink.Stream.OUT, text);
    }

    void print(long id, LogSink.Stream stream, String text) {
        engine.print(container(id), stream, text);
    }

    void end(long id, int exitCode) {
        engine.end(container(id), exitCode);
    }

    @Override
    public void close() {
        try {
            watch.close();
            server.notices().close();
            http.stop();
            scheduling.end();
            loopThread.join(PATIENCE);
            // A start that is under way still lays files out in the directory that the test is about to delete.
            if (!server.effects().awaitDone(PATIENCE)) {
                throw new AssertionError("effects are still being carried out");
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        server.close();
    }
}
