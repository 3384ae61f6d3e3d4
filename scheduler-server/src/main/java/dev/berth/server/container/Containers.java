package dev.berth.server.container;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Effect.AdoptContainer;
import dev.berth.core.machine.Effect.ReleaseContainer;
import dev.berth.core.machine.Effect.StartContainer;
import dev.berth.core.machine.Effect.StopContainer;
import dev.berth.core.machine.JobEvent.ContainerExited;
import dev.berth.core.machine.JobEvent.ContainerGone;
import dev.berth.core.machine.JobEvent.ContainerStarted;
import dev.berth.core.machine.JobEvent.ImageVanished;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.Recovery.Condition;
import dev.berth.server.log.JobLog;
import dev.berth.server.mount.Granted;
import dev.berth.server.mount.MountException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One method an effect on a container. Each may be broken off by an unreachable engine at any call and is then done
 * again from its beginning; each returns whether it is done. The effects of one job come one at a time.
 */
final class Containers {
    private static final Logger LOG = LoggerFactory.getLogger(Containers.class);

    /** How long after a container's end its last output may take to arrive. */
    private static final Duration LOG_PATIENCE = Duration.ofSeconds(30);

    /** By how much the engine's time of a line may be later than ours. */
    private static final Duration CLOCK_SLACK = Duration.ofSeconds(5);

    private record Attempt(JobId job, int attempt) {}

    private record OpenLog(JobLog log, LogStream stream) {}

    private final ConcurrentMap<JobId, OpenLog> logs = new ConcurrentHashMap<>();
    private final Set<Attempt> forbidden = ConcurrentHashMap.newKeySet();
    private final ContainerEngine engine;
    private final EffectParts parts;
    private final Notices notices;

    Containers(ContainerEngine engine, EffectParts parts, Notices notices) {
        this.engine = engine;
        this.parts = parts;
        this.notices = notices;
    }

    /** This job's log grows from now on, or may; said at once, so that no reader takes it for complete. */
    void expect(Effect effect) {
        parts.logs().expect(effect.job());
    }

    /** A launch that is still under way shall not come to its start. */
    void forbidStart(StopContainer stop) {
        forbidden.add(new Attempt(stop.job(), stop.attempt()));
    }

    private String name(JobId job, int attempt) {
        return parts.plans().names().of(job, attempt);
    }

    boolean start(StartContainer launch) {
        JobId job = launch.job();
        Attempt attempt = new Attempt(job, launch.attempt());
        String name = name(job, launch.attempt());
        try {
            Optional<Condition> earlier = engine.inspect(name);
            if (earlier.isPresent() && !(earlier.get() instanceof Condition.Created)) {
                // An earlier try, or an earlier server, got that far.
                report(launch, name, earlier.get());
                return true;
            }
            // Else the stop that is owed removes what is there.
            if (!forbidden.contains(attempt)) {
                launch(launch, name, earlier.isPresent());
            }
        } catch (EngineException e) {
            refused(launch, name, e);
        } catch (MountException e) {
            engine.remove(name);
            notices.post(job, new LaunchRefused(launch.attempt(), e.sentence()));
        } catch (IOException | UncheckedIOException e) {
            LOG.error("job={} workspace not laid out", job, e);
            notices.post(
                    job, new LaunchRefused(launch.attempt(), "its workspace could not be laid out: " + e.getMessage()));
        }
        return true;
    }

    /** What is mounted is looked at again for each start, also of a container that an earlier server created. */
    private void launch(StartContainer launch, String name, boolean created) throws IOException {
        Job job = launch.launch();
        try (Granted granted = parts.mounts().grant(name, job.spec().options().mounts(), job.owner())) {
            if (!created) {
                parts.workspaces().prepare(job);
                if (!parts.mounts().actsForOthers()) {
                    MountPoints.make(parts.workspaces().of(job.id()), job, granted.sources());
                }
                engine.create(parts.plans().of(launch, granted.sources()));
            }
            if (!forbidden.contains(new Attempt(job.id(), launch.attempt()))) {
                listen(job.id(), name, false);
                engine.start(name);
                notices.post(
                        job.id(),
                        new ContainerStarted(launch.attempt(), parts.clock().instant()));
            }
        }
    }

    private void report(StartContainer launch, String name, Condition condition) {
        switch (condition) {
            case Condition.Created() -> throw new IllegalStateException(name + " has not run yet");
            case Condition.Alive(Instant startedAt) -> {
                listen(launch.job(), name, true);
                notices.post(launch.job(), new ContainerStarted(launch.attempt(), startedAt));
            }
            case Condition.Exited(int exitCode, boolean oom, Instant endedAt) ->
                notices.post(launch.job(), new ContainerExited(launch.attempt(), exitCode, oom, endedAt));
        }
    }

    private void refused(StartContainer launch, String name, EngineException failure) {
        if (failure.kind() == EngineException.Kind.UNREACHABLE) {
            throw failure;
        }
        boolean imageGone = failure.kind() == EngineException.Kind.NOT_FOUND
                && engine.findImage(launch.imageId()).isEmpty();
        engine.remove(name);
        notices.post(
                launch.job(),
                imageGone
                        ? new ImageVanished(launch.attempt())
                        : new LaunchRefused(
                                launch.attempt(), "the container could not be started: " + failure.sentence()));
    }

    boolean stop(StopContainer stop) {
        String name = name(stop.job(), stop.attempt());
        engine.stop(name, parts.stopGrace());
        Optional<Condition> condition = engine.inspect(name);
        if (condition.orElse(null) instanceof Condition.Exited(int exitCode, boolean oom, Instant endedAt)) {
            notices.post(stop.job(), new ContainerExited(stop.attempt(), exitCode, oom, endedAt));
        } else if (condition.orElse(null) instanceof Condition.Alive) {
            return false;
        } else {
            engine.remove(name);
            notices.post(stop.job(), new ContainerGone(stop.attempt()));
        }
        return true;
    }

    boolean adopt(AdoptContainer adopt) {
        listen(adopt.job(), name(adopt.job(), adopt.attempt()), true);
        return true;
    }

    boolean release(ReleaseContainer release) {
        JobId job = release.job();
        String name = name(job, release.attempt());
        if (engine.inspect(name).isPresent()) {
            if (!logs.containsKey(job)) {
                listen(job, name, true);
            }
            if (!logEnded(job)) {
                LOG.warn("job={} its log broke off; it is read once more", job);
                listen(job, name, true);
                sayWhatIsMissing(job, logEnded(job));
            }
        }
        sayWhatWasCut(job);
        closeLog(job);
        engine.remove(name);
        try {
            parts.workspaces().discard(job);
        } catch (IOException e) {
            LOG.warn("job={} its workspace could not be removed: {}", job, e.getMessage());
        }
        parts.logs().finish(job);
        forbidden.remove(new Attempt(job, release.attempt()));
        return true;
    }

    private boolean logEnded(JobId job) {
        OpenLog open = logs.get(job);
        return open == null
                || (open.stream().awaitEnd(LOG_PATIENCE) && open.log().isWhole());
    }

    /** The second reading was the last chance: what it did not bring is not in the log. */
    private void sayWhatIsMissing(JobId job, boolean ended) {
        if (!ended) {
            LOG.error("job={} the end of its log could not be kept", job);
            closeLog(job);
            try (JobLog log = parts.logs().append(job)) {
                log.say("the end of this log could not be kept; the server's log says why");
            }
        }
    }

    private void sayWhatWasCut(JobId job) {
        OpenLog open = logs.get(job);
        if (open != null && open.log().missing() > 0) {
            LOG.warn("job={} the engine's copy of its log is shorter than what is kept", job);
            open.log()
                    .say("the container engine had cut its copy of this log when the server came back;"
                            + " up to that moment nothing is missing, what was written since may be");
        }
    }

    /** A log that cannot be opened is no reason to leave the program alone: it takes nothing, and has said why. */
    private void listen(JobId job, String name, boolean fromItsBeginning) {
        closeLog(job);
        try {
            parts.workspaces().open(job);
        } catch (IOException e) {
            LOG.error("job={} its directory could not be made", job, e);
        }
        JobLog log = fromItsBeginning ? parts.logs().replay(job) : parts.logs().append(job);
        try {
            LogStream stream = fromItsBeginning ? reread(name, log) : engine.attach(name, log);
            logs.put(job, new OpenLog(log, stream));
        } catch (EngineException e) {
            log.close();
            throw e;
        }
    }

    /** The engine's copy has a bound of its own; where its beginning is gone, no counting tells what is new in it. */
    private LogStream reread(String name, JobLog log) {
        Optional<Instant> began = log.began();
        boolean cut = began.isPresent()
                && engine.logBegins(name)
                        .map(begin -> begin.isAfter(began.get().plus(CLOCK_SLACK)))
                        .orElse(true);
        if (!cut) {
            return engine.readLog(name, log);
        }
        LOG.warn("{}: the engine has cut its copy of the log; it is read on from the last second that is kept", name);
        Instant latest = log.giveReplayUp();
        log.say("the server came back, and the container engine had cut its own copy of this log: up to a second of"
                + " output may be missing here");
        return engine.readLogSince(name, latest.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1), log);
    }

    private void closeLog(JobId job) {
        OpenLog open = logs.remove(job);
        if (open != null) {
            open.stream().close();
            open.log().close();
        }
    }
}
