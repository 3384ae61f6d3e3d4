package dev.berth.server.runner.docker;

import dev.berth.core.job.EngineRun;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Signal;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.linux.ProcessUse;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineOutage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An engine that runs nothing and keeps the truth: which containers there are, which were ever started, what they
 * hold. Programs run until a test ends them, unless {@link Script} says otherwise. Held to the behaviour of the real
 * engine by {@link ContainerEngineContract}. Safe for any thread.
 */
public final class FakeContainerEngine implements ContainerEngine {
    /** What a program does by itself once it is started. */
    @FunctionalInterface
    public interface Script {
        void started(FakeContainerEngine engine, ContainerPlan plan);

        /** Whether a signal ends it. */
        default boolean isEndedBy(String container, Signal signal) {
            return true;
        }
    }

    /** Stands before and behind every call, and may throw. */
    public interface Faults {
        Faults NONE = (_, _) -> {};

        /**
         * Called around each call.
         *
         * @param done whether the engine has already done what it was asked
         */
        void strike(String verb, boolean done);
    }

    private static final class Container {
        private final ContainerPlan plan;
        private final FakeLog log;
        private Condition condition = new Condition.Created();

        /** The engine ended before it had written down that it started this one. */
        private boolean forgotten;

        /** Its start failed as far as the engine knows. */
        private boolean failed;

        Container(ContainerPlan plan, FakeLog log) {
            this.plan = plan;
            this.log = log;
        }

        boolean isOver() {
            return condition instanceof Condition.Exited;
        }

        /** What the engine says of it. */
        Condition known() {
            return forgotten || condition instanceof Condition.Created ? new Condition.Created(failed) : condition;
        }
    }

    private final Map<String, Container> containers = new LinkedHashMap<>();
    private final Set<String> images = new HashSet<>();
    private final Map<String, PullListener> pulls = new ConcurrentHashMap<>();
    private final Set<String> pullable = new HashSet<>();
    private final Map<String, Map<String, String>> environments = new LinkedHashMap<>();
    private final List<String> startedEver = new ArrayList<>();
    private final List<String> stopped = new ArrayList<>();
    private final Map<String, ContainerListener> listeners = new LinkedHashMap<>();
    private final InstantSource clock;
    private static final int SIGNAL_BASE = 128;

    private final Script script;
    private Faults faults = Faults.NONE;
    private int runs = 1;
    private Instant runBegan = Instant.MIN;
    private Instant cutAt = Instant.MIN;
    private boolean beginningIsBrokenOff;
    private boolean deaf;
    private @Nullable EngineOutage outage;

    public FakeContainerEngine(InstantSource clock, Script script) {
        this.clock = clock;
        this.script = script;
    }

    /** Puts an image on the machine. */
    public synchronized FakeContainerEngine withImage(String reference) {
        images.add(reference);
        return this;
    }

    /** Puts an image into the registry. */
    public synchronized FakeContainerEngine withPullable(String reference) {
        pullable.add(reference);
        return this;
    }

    public synchronized void removeImage(String reference) {
        images.remove(reference);
    }

    public synchronized void strikeWith(Faults next) {
        faults = next;
    }

    /** From now on exits are told to nobody; ended by {@link #hearAgain}. */
    public synchronized void breakEvents() {
        deaf = true;
    }

    public void hearAgain() {
        List<ContainerListener> told;
        synchronized (this) {
            deaf = false;
            told = List.copyOf(listeners.values());
        }
        told.forEach(ContainerListener::resumed);
    }

    /** Anyone who listened is gone: its process has died. */
    public synchronized void forgetListeners() {
        listeners.clear();
        containers.values().forEach(container -> container.log.forgetReaders());
    }

    /** Names of the containers whose program runs now. */
    public synchronized List<String> running() {
        return containers.values().stream()
                .filter(container -> container.condition instanceof Condition.Alive)
                .map(container -> container.plan.name())
                .toList();
    }

    public synchronized List<String> all() {
        return List.copyOf(containers.keySet());
    }

    /** Names of all containers whose program was ever started, in order, also of those removed since. */
    public synchronized List<String> startedEver() {
        return List.copyOf(startedEver);
    }

    public synchronized ContainerPlan plan(String name) {
        return required(name).plan;
    }

    /** The program writes. */
    public void print(String name, LogSink.Stream stream, String text) {
        print(name, stream, text.getBytes(StandardCharsets.UTF_8));
    }

    /** The program writes bytes, which may be no text. */
    public synchronized void print(String name, LogSink.Stream stream, byte[] bytes) {
        required(name).log.write(stream, bytes).run();
    }

    /** The program writes, and the engine keeps it; who listens hears of it once what is answered is run. */
    public synchronized Runnable printOnItsWay(String name, LogSink.Stream stream, String text) {
        return required(name).log.write(stream, text.getBytes(StandardCharsets.UTF_8));
    }

    /** The program ends. */
    public void end(String name, int exitCode) {
        end(name, exitCode, false);
    }

    public void end(String name, int exitCode, boolean outOfMemory) {
        List<ContainerListener> told;
        Map<String, String> labels;
        Instant now = clock.instant();
        synchronized (this) {
            Container container = required(name);
            Instant startedAt = container.condition instanceof Condition.Alive(Instant began) ? began : null;
            container.condition =
                    new Condition.Exited(exitCode, outOfMemory, startedAt, now, exitCode == EngineStopped.UNKNOWN_EXIT);
            container.log.end();
            labels = container.plan.labels();
            told = deaf || container.forgotten
                    ? List.of()
                    : listening(labels.getOrDefault(ContainerNames.SERVER_LABEL, ""));
        }
        told.forEach(
                listener -> listener.exited(attempt(labels), new Condition.Exited(exitCode, outOfMemory, null, now)));
    }

    /** The engine is stopped, and ends what runs. */
    public void endAllWithEngine() {
        for (String name : running()) {
            List<ContainerListener> told;
            Map<String, String> labels;
            Instant now = clock.instant();
            synchronized (this) {
                Container container = required(name);
                Instant startedAt = container.condition instanceof Condition.Alive(Instant began) ? began : null;
                container.condition = new Condition.Exited(143, false, startedAt, now);
                container.log.end();
                labels = container.plan.labels();
                told = listening(labels.getOrDefault(ContainerNames.SERVER_LABEL, ""));
            }
            told.forEach(listener ->
                    listener.exited(attempt(labels), new Condition.Exited(143, false, null, now).byEngine()));
        }
    }

    private List<ContainerListener> listening(String server) {
        ContainerListener listener = listeners.get(server);
        return listener == null ? List.of() : List.of(listener);
    }

    /** Nobody can tell its runs apart. */
    public synchronized void hideRuns() {
        runs = 0;
    }

    /** Names of the containers whose program was ended by a stop, in order. */
    public synchronized List<String> stopped() {
        return List.copyOf(stopped);
    }

    /** Another process is the engine from now on. */
    public synchronized void beginRun() {
        runs++;
        runBegan = clock.instant();
    }

    @Override
    public synchronized boolean mayHaveMissed(Condition.Exited end) {
        Instant startedAt = end.startedAt();
        return end.endedAt().isBefore(runBegan) && (startedAt == null || startedAt.isBefore(runBegan));
    }

    @Override
    public synchronized boolean mayHaveBroken(Instant ended) {
        return Duration.between(cutAt, ended).abs().compareTo(Duration.ofMillis(500)) < 0;
    }

    @Override
    public EngineRun run() {
        strike("run", false);
        synchronized (this) {
            return runs == 0 ? EngineRun.UNKNOWN : new EngineRun("run " + runs);
        }
    }

    /** The engine is killed between the start of the container's program and its own record of it; the program goes on. */
    public synchronized void forgetStart(String name) {
        Container container = required(name);
        container.forgotten = true;
        container.log.forgetReaders();
    }

    /** A start of this container fails as far as the engine knows, whatever has come of it. */
    public synchronized void failStart(String name) {
        required(name).failed = true;
    }

    /** Somebody removes the container behind everybody's back. */
    public synchronized void vanish(String name) {
        containers.remove(name);
    }

    private static Attempt attempt(Map<String, String> labels) {
        return new Attempt(
                new JobId(Long.parseLong(labels.getOrDefault(ContainerNames.JOB_LABEL, ""))),
                Integer.parseInt(labels.getOrDefault(ContainerNames.ATTEMPT_LABEL, "")));
    }

    private synchronized Container required(String name) {
        Container container = containers.get(name);
        if (container == null) {
            throw new EngineException(Kind.NOT_FOUND, "No such container: " + name);
        }
        return container;
    }

    private void strike(String verb, boolean done) {
        Faults now;
        synchronized (this) {
            now = faults;
        }
        try {
            now.strike(verb, done);
            answered();
        } catch (EngineException e) {
            if (e.kind() != Kind.UNREACHABLE) {
                answered();
            } else {
                away(e.sentence());
            }
            throw e;
        }
    }

    private synchronized void answered() {
        outage = null;
    }

    private synchronized void away(String sentence) {
        outage = outage == null ? new EngineOutage(clock.instant(), sentence) : outage;
    }

    /** The real one finds out by pings; this one knows by its latest call. */
    @Override
    public synchronized Optional<EngineOutage> outage() {
        return Optional.ofNullable(outage);
    }

    @Override
    public EngineFacts facts() {
        return new EngineFacts(
                "Fake Engine",
                Set.of("runc", EngineFacts.NVIDIA_RUNTIME),
                8L << 30,
                16,
                Path.of("/var/lib/fake"),
                Path.of("/run/fake.sock"));
    }

    @Override
    public Optional<String> findImage(String reference) {
        strike("findImage", false);
        synchronized (this) {
            return images.contains(reference) || images.contains(reference.replaceFirst("^id-of-", ""))
                    ? Optional.of("id-of-" + reference.replaceFirst("^id-of-", ""))
                    : Optional.empty();
        }
    }

    /** The same for each image, as long as nobody bakes anything in. */
    public synchronized FakeContainerEngine withEnvironment(String image, Map<String, String> variables) {
        environments.put("id-of-" + image, Map.copyOf(variables));
        return this;
    }

    @Override
    public Map<String, String> imageEnvironment(String imageId) {
        strike("imageEnvironment", false);
        synchronized (this) {
            if (findImage(imageId).isEmpty()) {
                throw new EngineException(Kind.NOT_FOUND, "No such image: " + imageId);
            }
            return environments.getOrDefault(imageId, Map.of("PATH", "/usr/bin:/bin"));
        }
    }

    /** A pull under way has brought something. */
    public void bring(String reference, String progress) {
        boolean _ = Objects.requireNonNull(pulls.get(reference)).progressed(progress);
    }

    @Override
    public void pull(String reference, PullListener listener) {
        pulls.put(reference, listener);
        strike("pull", false);
        if (!listener.progressed("being pulled, 1 of 2 MB")) {
            throw new EngineException(Kind.INTERRUPTED, "given up");
        }
        synchronized (this) {
            if (!pullable.contains(reference)) {
                throw new EngineException(Kind.REFUSED, "pull access denied for " + reference);
            }
            images.add(reference);
        }
        strike("pull", true);
    }

    @Override
    public String create(ContainerPlan plan) {
        strike("create", false);
        synchronized (this) {
            Container there = containers.get(plan.name());
            if (there != null && !there.plan.equals(plan)) {
                throw new EngineException(Kind.LATE, "container " + plan.name() + " was made otherwise before");
            }
            if (there == null) {
                plan.mounts().forEach(FakeContainerEngine::requireSource);
                if (!images.contains(plan.imageId().replaceFirst("^id-of-", ""))) {
                    throw new EngineException(Kind.NOT_FOUND, "No such image: " + plan.imageId());
                }
                containers.put(plan.name(), new Container(plan, new FakeLog(clock)));
            }
        }
        strike("create", true);
        return idOf(plan.name());
    }

    /** In the form of the real one's. */
    private static String idOf(String name) {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8))
                .toString()
                .replace("-", "")
                .repeat(2);
    }

    @Override
    public Optional<ContainerOwner> owner(String server, String containerId) {
        strike("owner", false);
        synchronized (this) {
            return containers.entrySet().stream()
                    .filter(entry -> idOf(entry.getKey()).equals(containerId))
                    .map(entry -> new ContainerOwner(
                            entry.getKey(),
                            attempt(server, entry.getValue().plan.labels())))
                    .findFirst();
        }
    }

    private static @Nullable Attempt attempt(String server, Map<String, String> labels) {
        return server.equals(labels.get(ContainerNames.SERVER_LABEL)) ? attempt(labels) : null;
    }

    /** The real one makes no source either; Berth's own are not looked for, as some tests have no workspaces. */
    private static void requireSource(ContainerPlan.Mount mount) {
        if (mount.target().equals("/data") && !Files.exists(mount.source())) {
            throw new EngineException(Kind.REFUSED, "bind source path does not exist: " + mount.source());
        }
    }

    @Override
    public ContainerLogStream attach(String name, LogSink sink) {
        strike("attach", false);
        synchronized (this) {
            Container container = required(name);
            return container.log.attach(sink, container.isOver());
        }
    }

    @Override
    public ContainerLogStream readLog(String name, LogSink sink) {
        strike("readLog", false);
        return read(name, sink, Instant.MIN);
    }

    @Override
    public synchronized Optional<LogBegin> logBegins(String name) {
        if (beginningIsBrokenOff) {
            beginningIsBrokenOff = false;
            return Optional.empty();
        }
        return required(name).log.begin();
    }

    @Override
    public ContainerLogStream readLogSince(String name, Instant since, LogSink sink) {
        return read(name, sink, since.truncatedTo(ChronoUnit.SECONDS));
    }

    /** The connection is cut as the beginning of a log is asked for the next time: it looks like an empty one. */
    public synchronized void breakOffNextBeginning() {
        beginningIsBrokenOff = true;
    }

    /** The server that read what programs write is gone. */
    public synchronized void forgetReaders() {
        containers.values().forEach(container -> container.log.forgetReaders());
    }

    /** All streams of a container's output end, as they do when a connection is cut. */
    public synchronized void cutStreams(String name) {
        cutAt = clock.instant();
        required(name).log.cutReaders();
    }

    /** The engine was killed before the last piece, which it had handed out, was in its own copy. */
    public synchronized void loseLastPiece(String name) {
        FakeLog log = required(name).log;
        log.lose(log.isUnfinished() ? 0 : 1);
    }

    /** The engine was killed before what it had of lines that are not whole, and so many messages, were in its own copy. */
    public synchronized void loseLastMessages(String name, int messages) {
        required(name).log.lose(messages);
    }

    /** The engine's copy of what a program wrote has become too long. */
    public synchronized void cutLog(String name) {
        required(name).log.cut();
    }

    private synchronized ContainerLogStream read(String name, LogSink sink, Instant since) {
        Container container = required(name);
        return container.log.read(sink, since, container.isOver());
    }

    @Override
    public void start(String name) {
        strike("start", false);
        ContainerPlan plan;
        List<ContainerListener> told;
        Instant now = clock.instant();
        synchronized (this) {
            Container container = required(name);
            if (container.condition instanceof Condition.Alive && !container.forgotten) {
                return;
            }
            container.forgotten = false;
            container.failed = false;
            container.condition = new Condition.Alive(now);
            startedEver.add(name);
            plan = container.plan;
            told = deaf ? List.of() : listening(plan.labels().getOrDefault(ContainerNames.SERVER_LABEL, ""));
        }
        told.forEach(listener -> listener.started(attempt(plan.labels()), now));
        try {
            script.started(this, plan);
        } catch (EngineException e) {
            startFailed(name);
            throw e;
        }
        strike("start", true);
    }

    private synchronized void startFailed(String name) {
        Container container = required(name);
        container.condition = new Condition.Created();
        container.failed = true;
        startedEver.remove(name);
    }

    @Override
    public void stop(String name, Duration grace) {
        strike("stop", false);
        if (running().contains(name)) {
            end(name, 143);
            synchronized (this) {
                stopped.add(name);
            }
        }
        strike("stop", true);
    }

    @Override
    public boolean signal(String name, Signal signal) {
        strike("signal", false);
        boolean isSent = running().contains(name);
        if (isSent && script.isEndedBy(name, signal)) {
            end(name, SIGNAL_BASE + signal.number());
        }
        strike("signal", true);
        return isSent;
    }

    @Override
    public void remove(String name) {
        strike("remove", false);
        synchronized (this) {
            Container container = containers.get(name);
            if (container != null && container.known() instanceof Condition.Alive) {
                throw new EngineException(Kind.REFUSED, "You cannot remove a running container " + name);
            }
            containers.remove(name);
        }
        strike("remove", true);
    }

    @Override
    public Optional<Condition> inspect(String name) {
        strike("inspect", false);
        synchronized (this) {
            return Optional.ofNullable(containers.get(name)).map(Container::known);
        }
    }

    @Override
    public Optional<ProcessUse> use(String name) {
        strike("use", false);
        synchronized (this) {
            return Optional.ofNullable(containers.get(name))
                    .filter(container -> container.known() instanceof Condition.Alive)
                    .map(_ -> new ProcessUse(1_000_000, 1 << 20));
        }
    }

    @Override
    public synchronized List<Found> list(String server) {
        return containers.values().stream()
                .filter(container -> server.equals(container.plan.labels().get(ContainerNames.SERVER_LABEL)))
                .map(container -> new Found(
                        RunnerKind.CONTAINER,
                        attempt(container.plan.labels()),
                        container.known(),
                        ContainerNames.gpus(container.plan.labels())))
                .toList();
    }

    @Override
    public synchronized List<String> running(String label, String value) {
        return containers.entrySet().stream()
                .filter(entry -> value.equals(entry.getValue().plan.labels().get(label)))
                .filter(entry -> entry.getValue().known() instanceof Condition.Alive)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    @Override
    public synchronized AutoCloseable watch(String server, ContainerListener listener) {
        listeners.put(server, listener);
        return () -> listeners.remove(server, listener);
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
