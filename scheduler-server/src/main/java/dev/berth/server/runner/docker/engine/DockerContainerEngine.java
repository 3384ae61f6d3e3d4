package dev.berth.server.runner.docker.engine;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.ContainerConfig;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Info;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.Signal;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.linux.HostName;
import dev.berth.server.linux.OomKills;
import dev.berth.server.linux.ProcessUse;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineOutage;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.ContainerLogStream;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.runner.docker.ContainerOwner;
import dev.berth.server.runner.docker.ContainerPlan;
import dev.berth.server.runner.docker.EngineFacts;
import dev.berth.server.runner.docker.LogBegin;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The Docker Engine, from API 1.40 on. Safe for any thread. */
public final class DockerContainerEngine implements ContainerEngine {
    private static final Duration QUICK = Duration.ofSeconds(30);
    private static final Duration SLOW = Duration.ofMinutes(5);

    /** The engine looks twice, a second apart. */
    private static final Duration USE = Duration.ofSeconds(10);

    /** The time that the engine takes from KILL to the end. */
    private static final Duration AFTER_KILL = Duration.ofSeconds(10);

    private final DockerConnection connection;
    private final DockerClient docker;
    /** The time for which an engine that begins looks at what is there. */
    private static final Duration RESTORE = Duration.ofMinutes(1);

    /** The time within which an engine that begins has taken over the output of programs that run (moby, "restore"). */
    private static final Duration TAKE_OVER = Duration.ofSeconds(5);

    /** The kernel tells the start of a process by hundredths of a second. */
    private static final Duration CLOCK_STEP = Duration.ofMillis(100);

    private final Optional<EngineProcess> process;
    private final OomKills oomKills;
    private final BackgroundWork background;
    private volatile @Nullable DockerEvents events;

    /** Whether the engine calls its machine what this one is called; null until it was asked. */
    private volatile @Nullable Boolean isHere;

    /**
     * Connects to the engine that {@code DOCKER_HOST} names, else to the usual socket.
     *
     * @param background where its events are heard, and its return is waited for
     * @throws EngineException of kind UNREACHABLE where none answers
     */
    public DockerContainerEngine(Clocks clock, BackgroundWork background) {
        this.background = background;
        this.connection = new DockerConnection(clock, background);
        this.docker = connection.client();
        this.oomKills = new OomKills(Path.of("/proc/vmstat"), clock.steady());
        this.process = connection.isBySocket()
                ? Optional.of(new EngineProcess(connection.socket(), Path.of("/proc"), this::isHere))
                : Optional.empty();
    }

    /** The same for one who asks a few things and goes. */
    public DockerContainerEngine(Clocks clock) {
        this(clock, BackgroundWork.onVirtualThreads(clock.dates()));
    }

    @Override
    public EngineFacts facts() {
        Info info = info();
        Long memory = info.getMemTotal();
        Integer cpus = info.getNCPU();
        return new EngineFacts(
                "Docker Engine " + connection.version().getVersion(),
                info.getRuntimes() == null
                        ? java.util.Set.of()
                        : info.getRuntimes().keySet(),
                memory == null ? 0 : memory,
                cpus == null ? 0 : cpus,
                Path.of(Objects.requireNonNullElse(info.getDockerRootDir(), "/var/lib/docker")),
                connection.socket(),
                DockerSetup.of(info.getRawValues()));
    }

    private Info info() {
        return connection.within(
                QUICK, "describe itself", () -> docker.infoCmd().exec());
    }

    /** A socket may lead elsewhere. Asked once: each start would wait for it. */
    private boolean isHere() {
        Boolean known = isHere;
        if (known == null) {
            known = HostName.ofThisMachine()
                    .filter(name -> name.equals(info().getName()))
                    .isPresent();
            isHere = known;
        }
        return known;
    }

    @Override
    public EngineRun run() {
        return process.map(EngineProcess::run).orElse(EngineRun.UNKNOWN);
    }

    /** The run of the engine that answers now, whatever becomes of its containerd. */
    EngineRun daemon() {
        return process.map(EngineProcess::daemon).orElse(EngineRun.UNKNOWN);
    }

    @Override
    public Optional<String> findImage(String reference) {
        try {
            return Optional.ofNullable(connection
                    .within(
                            QUICK,
                            "look at image " + reference,
                            () -> docker.inspectImageCmd(reference).exec())
                    .getId());
        } catch (EngineException e) {
            return absent(e, Optional.empty());
        }
    }

    @Override
    public Map<String, String> imageEnvironment(String imageId) {
        ContainerConfig config = connection
                .within(
                        QUICK,
                        "look at image " + imageId,
                        () -> docker.inspectImageCmd(imageId).exec())
                .getConfig();
        String[] lines = config == null ? null : config.getEnv();
        Map<String, String> environment = new LinkedHashMap<>();
        for (String line : lines == null ? new String[0] : lines) {
            int equals = line.indexOf('=');
            environment.put(
                    equals < 0 ? line : line.substring(0, equals), equals < 0 ? "" : line.substring(equals + 1));
        }
        return environment;
    }

    @Override
    public void pull(String reference, PullListener listener) {
        DockerPull pull = new DockerPull(listener);
        pull.run(docker, reference, connection);
    }

    @Override
    public String create(ContainerPlan plan) {
        return connection.within(QUICK, "create container " + plan.name(), () -> {
            try {
                return DockerPlan.toCommand(docker, plan).exec().getId();
            } catch (ConflictException e) {
                return made(plan, e);
            }
        });
    }

    /**
     * The container whose name is taken. It may not be there yet: the engine is still making it. It may also be another
     * one, which a server that is gone asked for, with other GPUs, and which the engine came late to make.
     */
    private String made(ContainerPlan plan, ConflictException taken) {
        try {
            InspectContainerResponse there =
                    docker.inspectContainerCmd(plan.name()).exec();
            if (!DockerPlan.isOf(plan, labels(there))) {
                throw new EngineException(Kind.LATE, "container " + plan.name() + " was made otherwise before", taken);
            }
            return there.getId();
        } catch (NotFoundException e) {
            throw new EngineException(Kind.LATE, Failures.messageOf(taken), e);
        }
    }

    @Override
    public ContainerLogStream attach(String name, LogSink sink) {
        return connection.within(
                QUICK,
                "attach to container " + name,
                () -> DockerLog.started(docker.attachContainerCmd(name)
                        .withStdOut(true)
                        .withStdErr(true)
                        .withFollowStream(true)
                        .exec(log(name, sink))));
    }

    @Override
    public ContainerLogStream readLog(String name, LogSink sink) {
        return ofLog(
                "read the log of container " + name,
                () -> DockerLog.started(docker.logContainerCmd(name)
                        .withStdOut(true)
                        .withStdErr(true)
                        .withTailAll()
                        .withFollowStream(true)
                        .exec(log(name, sink))));
    }

    @Override
    public Optional<LogBegin> logBegins(String name) {
        return ofLog("read the beginning of the log of container " + name, () -> {
            try (DockerLogBegin begin = docker.logContainerCmd(name)
                    .withStdOut(true)
                    .withStdErr(true)
                    .withTailAll()
                    .withTimestamps(true)
                    .exec(new DockerLogBegin())) {
                return begin.await();
            }
        });
    }

    @Override
    public ContainerLogStream readLogSince(String name, Instant since, LogSink sink) {
        return ofLog(
                "read the log of container " + name,
                () -> DockerLog.started(docker.logContainerCmd(name)
                        .withStdOut(true)
                        .withStdErr(true)
                        .withTailAll()
                        .withSince(Math.toIntExact(since.getEpochSecond()))
                        .withFollowStream(true)
                        .exec(log(name, sink))));
    }

    /**
     * The answer of a call about a log. A container that is dead, as after a removal that was broken off, is there
     * still, and its log is not.
     */
    private <T> T ofLog(String verb, Callable<T> call) {
        try {
            return connection.within(QUICK, verb, call);
        } catch (EngineException e) {
            throw e.getCause() instanceof ConflictException ? new EngineException(Kind.NOT_FOUND, e.sentence(), e) : e;
        }
    }

    /** The copying of a log; where it breaks off before the program's end, the watch is told. */
    private DockerLog log(String name, LogSink sink) {
        return new DockerLog(connection.clock(), sink, ended -> {
            DockerEvents watching = events;
            if (watching != null) {
                watching.logEnded(name, ended);
            }
        });
    }

    @Override
    public void start(String name) {
        var _ = oomKills.mayBeLately();
        connection.within(SLOW, "start container " + name, () -> {
            try {
                return docker.startContainerCmd(name).exec();
            } catch (NotModifiedException e) {
                return null;
            } catch (DockerException e) {
                Optional<String> network = Failures.networkWithLeftover(e, name);
                if (network.isPresent()) {
                    docker.disconnectFromNetworkCmd()
                            .withContainerId(name)
                            .withNetworkId(network.get())
                            .withForce(true)
                            .exec();
                    throw new EngineException(Kind.FAILING, Failures.messageOf(e), e);
                }
                String id = docker.inspectContainerCmd(name).exec().getId();
                if (Failures.mayHaveBegun(e, id, !run().equals(EngineRun.UNKNOWN))) {
                    throw new EngineException(Kind.BEGUN, Failures.messageOf(e), e);
                }
                throw e;
            }
        });
    }

    @Override
    public void stop(String name, Duration grace) {
        connection.within(grace.plus(SLOW), grace.plus(AFTER_KILL), "stop container " + name, () -> {
            try {
                return docker.stopContainerCmd(name)
                        .withTimeout(Math.toIntExact(grace.toSeconds()))
                        .exec();
            } catch (NotModifiedException e) {
                // None runs, as far as it knows.
                OrphanProcesses.end(docker.inspectContainerCmd(name).exec().getId());
                return null;
            } catch (NotFoundException e) {
                return null;
            }
        });
    }

    @Override
    public boolean signal(String name, Signal signal) {
        return connection.within(SLOW, "send container " + name + " a signal", () -> {
            try {
                docker.killContainerCmd(name).withSignal(signal.inFull()).exec();
                return true;
            } catch (NotFoundException | ConflictException e) {
                // The engine's answer to a signal for a container that does not run (moby, containerKill).
                return false;
            }
        });
    }

    @Override
    public void remove(String name) {
        var _ = oomKills.mayBeLately();
        connection.within(SLOW, "remove container " + name, () -> {
            try {
                return docker.removeContainerCmd(name).withRemoveVolumes(true).exec();
            } catch (NotFoundException e) {
                return null;
            }
        });
    }

    @Override
    public Optional<Condition> inspect(String name) {
        try {
            return Optional.of(condition(look(name).getState()));
        } catch (EngineException e) {
            return absent(e, Optional.empty());
        }
    }

    @Override
    public Optional<ProcessUse> use(String name) {
        return connection.within(USE, "say what a container uses", () -> ContainerStats.of(docker, name));
    }

    private Condition condition(ContainerState state) {
        Condition condition = conditionOf(state, connection.clock().instant());
        return condition instanceof Condition.Exited exited && isUnseen(exited) ? exited.byEngine() : condition;
    }

    /** Whether the end is the engine's own doing as it began, or is not known to it. */
    private boolean isUnseen(Condition.Exited exited) {
        boolean isUnknown = exited.exitCode() == EngineStopped.UNKNOWN_EXIT;
        return (isUnknown || exited.isBySignal())
                && process.map(it -> it.beginnings(connection.clock().instant())).orElse(List.of()).stream()
                        .anyMatch(start -> isFoundEnded(exited, start))
                && (isUnknown || !keepsContainers());
    }

    /** Whether an engine that begins leaves what an earlier run of it left as it is (dockerd, "live-restore"). */
    private boolean keepsContainers() {
        return Boolean.TRUE.equals(info().getRawValues().get("LiveRestoreEnabled"));
    }

    /** Whether an engine that begins leaves what an earlier run of it left as it is; false where it does not say. */
    boolean isToKeepContainers() {
        try {
            return keepsContainers();
        } catch (EngineException e) {
            return false;
        }
    }

    /**
     * Whether it ended in the moment in which an engine that has just begun looks at what an earlier run of it left:
     * what is over then it calls 255, and over now; what goes on it ends by a signal, if it does not keep it (dockerd,
     * "restore").
     *
     * @param start when the engine began
     */
    static boolean isFoundEnded(Condition.Exited exited, Instant start) {
        Instant startedAt = exited.startedAt();
        return (startedAt == null || startedAt.isBefore(start))
                && exited.endedAt().isAfter(start.minus(CLOCK_STEP))
                && exited.endedAt().isBefore(start.plus(RESTORE));
    }

    @Override
    public boolean mayHaveMissed(Condition.Exited end) {
        return process.map(it -> it.beginnings(connection.clock().instant())).orElse(List.of()).stream()
                .anyMatch(start -> isMissed(end, start));
    }

    @Override
    public boolean mayHaveBroken(Instant ended) {
        DockerEvents watching = events;
        return watching != null && watching.mayHaveBroken(ended);
    }

    /**
     * Whether it ended before an engine that began then read what programs wrote.
     *
     * @param start when the engine began
     */
    static boolean isMissed(Condition.Exited end, Instant start) {
        Instant startedAt = end.startedAt();
        return (startedAt == null || startedAt.isBefore(start)) && end.endedAt().isBefore(start.plus(TAKE_OVER));
    }

    /**
     * The condition of a container as the engine tells it. The engine keeps the error of a start that failed. One that
     * runs since no time is one that a killed engine was about to start: the next one finds its first process, and
     * knows neither whether the program has begun nor that it will. One that has ended since no time is one that it was
     * about to make, or to remove: the next one calls it dead, with exit code 0. What it does not say of an end, the exit
     * code or when, nobody knows.
     */
    static Condition conditionOf(ContainerState state, Instant now) {
        Instant startedAt = told(state.getStartedAt());
        if (startedAt == null) {
            String error = state.getError();
            return new Condition.Created(error != null && !error.isEmpty());
        }
        if (Boolean.TRUE.equals(state.getRunning())) {
            return new Condition.Alive(startedAt);
        }
        Long exitCode = state.getExitCodeLong();
        Instant endedAt = told(state.getFinishedAt());
        return exitCode == null || endedAt == null
                ? new Condition.Exited(
                        EngineStopped.UNKNOWN_EXIT, false, startedAt, endedAt == null ? now : endedAt, true)
                : new Condition.Exited(
                        exitCode.intValue(), Boolean.TRUE.equals(state.getOOMKilled()), startedAt, endedAt);
    }

    /** Null where it says nothing, or the year 1, which is its word for never. */
    private static @Nullable Instant told(@Nullable String time) {
        Instant at = time == null || time.isEmpty() ? Instant.EPOCH : Instant.parse(time);
        return at.isAfter(Instant.EPOCH) ? at : null;
    }

    @Override
    public List<Found> list(String server) {
        return containers(ContainerNames.SERVER_LABEL, server, true).stream()
                .flatMap(container -> found(new ContainerNames(server), container).stream())
                .toList();
    }

    @Override
    public List<String> running(String label, String value) {
        return containers(label, value, false).stream()
                .map(DockerContainerEngine::nameOf)
                .sorted()
                .toList();
    }

    private List<Container> containers(String label, String value, boolean isAll) {
        return connection.within(
                SLOW,
                "list the containers",
                () -> docker.listContainersCmd()
                        .withShowAll(isAll)
                        .withLabelFilter(Map.of(label, value))
                        .exec());
    }

    private static String nameOf(Container container) {
        String[] given = container.getNames();
        return given == null || given.length == 0 ? "" : given[0].replaceFirst("^/", "");
    }

    private Optional<Found> found(ContainerNames names, Container container) {
        return names.owner(nameOf(container), container.getLabels())
                .flatMap(owner -> inspect(container.getId())
                        .map(condition -> new Found(
                                RunnerKind.CONTAINER, owner, condition, ContainerNames.gpus(container.getLabels()))));
    }

    @Override
    public AutoCloseable watch(String server, ContainerListener listener) {
        DockerEvents watching = new DockerEvents(connection, new ContainerNames(server), this, listener, background);
        events = watching;
        return watching;
    }

    @Override
    public Optional<EngineOutage> outage() {
        return connection.watch().outage();
    }

    @Override
    public Optional<ContainerOwner> owner(String server, String containerId) {
        try {
            InspectContainerResponse there = look(containerId);
            // Names are looked up as well as ids, and a container's name is chosen by its maker.
            return containerId.equals(there.getId())
                    ? Optional.of(new ContainerOwner(
                            nameOf(there),
                            new ContainerNames(server)
                                    .owner(nameOf(there), labels(there))
                                    .orElse(null)))
                    : Optional.empty();
        } catch (EngineException e) {
            return absent(e, Optional.empty());
        }
    }

    private InspectContainerResponse look(String container) {
        return connection.within(
                QUICK,
                "look at container " + container,
                () -> docker.inspectContainerCmd(container).exec());
    }

    /**
     * Whether a container is being removed, or was: one that runs is marked so before its program is killed for that.
     */
    boolean isBeingRemoved(String container) {
        try {
            return "removing".equals(look(container).getState().getStatus());
        } catch (EngineException e) {
            return e.kind() == Kind.NOT_FOUND;
        }
    }

    /**
     * Whether the kernel may have ended its program for the memory that it took, whatever the engine has heard of it
     * yet.
     */
    boolean mayBeOutOfMemory(String container) {
        try {
            InspectContainerResponse there = look(container);
            HostConfig host = there.getHostConfig();
            Long limit = host == null ? null : host.getMemory();
            return limit != null && limit > 0 && (!isHere() || oomKills.mayBeLately());
        } catch (EngineException e) {
            return false;
        }
    }

    private static String nameOf(InspectContainerResponse container) {
        return container.getName().replaceFirst("^/", "");
    }

    private static Map<String, String> labels(InspectContainerResponse container) {
        return Objects.requireNonNullElse(container.getConfig().getLabels(), Map.of());
    }

    /** The container that is there under a name, where it is one of the server's own. */
    Optional<Found> find(ContainerNames names, String name) {
        try {
            InspectContainerResponse there = look(name);
            Map<String, String> labels = labels(there);
            return names.owner(nameOf(there), labels)
                    .map(owner -> new Found(
                            RunnerKind.CONTAINER, owner, condition(there.getState()), ContainerNames.gpus(labels)));
        } catch (EngineException e) {
            return absent(e, Optional.empty());
        }
    }

    private static <T> T absent(EngineException failure, T answer) {
        if (failure.kind() != Kind.NOT_FOUND) {
            throw failure;
        }
        return answer;
    }

    @Override
    public void close() {
        connection.close();
    }
}
