package dev.berth.server.runner.docker;

import dev.berth.core.job.Job;
import dev.berth.core.job.Program;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.ImageVanished;
import dev.berth.core.machine.JobEvent.LaunchPutOff;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.parameter.TaskParameters;
import dev.berth.server.mount.Granted;
import dev.berth.server.mount.MountException;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.Runner;
import dev.berth.server.store.database.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the containers of attempts. Safe for any thread, as far as {@link Runner} asks for it. */
final class ContainerCreation {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerCreation.class);

    /** The time after which an engine makes too late, or never, what it was asked for. */
    private static final Duration LATEST_CREATION = Duration.ofMinutes(5);

    private final ContainerAttempts attempts;
    private final ContainerEngine engine;
    private final ContainerParts parts;
    private final CudaCheck cuda;
    private final BiConsumer<Duration, BooleanSupplier> later;

    /**
     * Creation by an engine.
     *
     * @param later has work done after a while, until it is done
     */
    ContainerCreation(
            ContainerAttempts attempts,
            ContainerEngine engine,
            ContainerParts parts,
            BiConsumer<Duration, BooleanSupplier> later) {
        this.attempts = attempts;
        this.engine = engine;
        this.parts = parts;
        this.cuda = new CudaCheck(engine, parts.plans().gpus().driver());
        this.later = later;
    }

    boolean create(CreateRun creation) {
        Attempt attempt = creation.attempt();
        String name = attempts.name(attempt);
        Optional<Condition> earlier = engine.inspect(name);
        if (earlier.isPresent() && !(earlier.get() instanceof Condition.Created)) {
            // An earlier server got that far.
            attempts.report(attempt, earlier.get());
        } else if (!attempts.isForbidden(attempt) && !isPutOff(attempt, earlier.isPresent())) {
            boolean isReady = earlier.isPresent() && attempts.isFresh(attempt);
            if (earlier.isPresent() && !isReady) {
                // What an earlier server made may have been made of other files, or with other GPUs.
                attempts.discard(attempt, name);
            }
            if (isReady || isMade(creation, name)) {
                attempts.tell(attempt, new RunCreated(attempt.number(), engine.run()));
            }
        }
        // Else the stop that is owed removes what is there.
        return true;
    }

    /** While the engine starts no container at all, none is made: its start would be the job's end. */
    private boolean isPutOff(Attempt attempt, boolean isMade) {
        Optional<String> complaint = parts.starts().complaint();
        if (complaint.isPresent()) {
            if (isMade) {
                attempts.discard(attempt, attempts.name(attempt));
            }
            attempts.tell(attempt, new LaunchPutOff(attempt.number(), complaint.get()));
        }
        return complaint.isPresent();
    }

    /** Whether it was made; where it was not, the job has heard why. */
    private boolean isMade(CreateRun creation, String name) {
        Attempt attempt = creation.attempt();
        try {
            Optional<String> unfit = make(creation, name);
            unfit.ifPresent(sentence -> attempts.tell(attempt, new LaunchRefused(attempt.number(), sentence)));
            return unfit.isEmpty();
        } catch (EngineException e) {
            creationRefused(creation, name, e);
        } catch (MountException e) {
            attempts.tell(attempt, new LaunchRefused(attempt.number(), e.sentence()));
        } catch (StoreException e) {
            if (!e.isUnreadable()) {
                throw e;
            }
            // Without the cause, which may quote a variable's value.
            LOG.error("job={} its program in the database is none that Berth wrote", attempt.job());
            attempts.tell(
                    attempt,
                    new LaunchRefused(
                            attempt.number(),
                            "its program cannot be read from the database, which holds what Berth cannot have written;"
                                    + " submit it anew, or restore a backup (berth server restore)"));
        } catch (IOException | UncheckedIOException e) {
            LOG.error("job={} workspace not laid out", attempt.job(), e);
            attempts.tell(
                    attempt,
                    new LaunchRefused(attempt.number(), "its workspace could not be laid out: " + e.getMessage()));
        }
        return false;
    }

    /** Makes it, and returns why it was not made where its image does not suit the driver. */
    private Optional<String> make(CreateRun creation, String name) throws IOException {
        Job job = creation.launch();
        Attempt attempt = creation.attempt();
        try (Granted granted = parts.mounts().grant(name, job.spec().container().mounts(), job.owner())) {
            Program program = parts.programs().apply(job.id()).orElseThrow();
            PackPlan pack = new PackPlan(job.isPack() ? parts.packed().apply(job.id()) : List.of(), parts.stopGrace());
            ContainerPlan plan = parts.plans().of(creation, program, granted.sources(), pack);
            Optional<String> unfit = plan.gpus() instanceof GpuAccess.None
                    ? Optional.empty()
                    : cuda.refusal(job.spec().image(), plan.imageId(), plan.environment());
            if (unfit.isPresent()) {
                return unfit;
            }
            parts.workspaces().prepare(job);
            TaskParameters parameters = program.of(job);
            if (parameters != null) {
                parts.workspaces().writeParameters(attempt, parameters.json());
            }
            if (job.isPack()) {
                parts.workspaces().preparePack(attempt, PackPlan.script(), pack.packed(program));
            }
            if (!parts.mounts().actsForOthers()) {
                MountPoints.make(parts.workspaces(), job, granted.sources());
            }
            String id = engine.create(plan);
            parts.gate().made(attempt, name, id);
        }
        attempts.addFresh(attempt);
        return Optional.empty();
    }

    private void creationRefused(CreateRun creation, String name, EngineException failure) {
        Attempt attempt = creation.attempt();
        long owner = creation.launch().owner().uid();
        boolean isPutOff = attempts.verdict(attempt, owner, failure) == LaunchFailures.Verdict.PUT_OFF;
        boolean imageIsGone = failure.kind() == EngineException.Kind.NOT_FOUND
                && engine.findImage(creation.imageId()).isEmpty();
        engine.remove(name);
        if (failure.kind() == EngineException.Kind.LATE) {
            later.accept(LATEST_CREATION, () -> sweepLate(name));
        }
        JobEvent news;
        if (isPutOff) {
            attempts.forgetFailures(attempt);
            news = new LaunchPutOff(attempt.number(), failure.sentence());
        } else {
            news = imageIsGone
                    ? new ImageVanished(attempt.number())
                    : attempts.refusal(attempt, creation.allocation(), failure);
        }
        attempts.tell(attempt, news);
    }

    /** An engine may make what was given up: its job is finished, and no other attempt has its name. */
    private boolean sweepLate(String name) {
        if (engine.inspect(name).isPresent()) {
            engine.stop(name, parts.stopGrace());
            engine.remove(name);
            LOG.info("container {}, which the engine made after it was given up, is removed", name);
        }
        return true;
    }
}
