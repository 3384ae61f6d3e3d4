package dev.berth.server.http.submit;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Program;
import dev.berth.core.job.PullPolicy;
import dev.berth.server.config.Settings;
import dev.berth.server.mount.Mounts;
import dev.berth.server.profile.Profiles;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.ContainerPlans;
import dev.berth.server.runner.docker.CudaCheck;
import dev.berth.server.runner.docker.EngineFacts;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The parts that a submit is checked against.
 *
 * @param machine what the engine said of its machine at the server's start
 */
public record SubmitParts(
        Settings settings,
        EngineFacts machine,
        Mounts mounts,
        ContainerPlans plans,
        ContainerEngine engine,
        CudaCheck cuda,
        Profiles profiles) {
    /** An engine that answers, answers sooner; a submit waits for no other. */
    private static final long PATIENCE_SECONDS = 1;

    /**
     * The reason why the image of a job with GPUs could not run on this machine's driver; empty where it can, and where
     * nobody knows: it is not here yet, or is pulled anew, or the engine does not say. Then it is looked at once it is
     * here.
     */
    public Optional<String> imageRefusal(JobSpec spec, Program program) {
        if (spec.gpus().isNone()
                || spec.needsNoImage()
                || spec.place().pull() == PullPolicy.ALWAYS
                || !cuda.isNeeded()
                || engine.outage().isPresent()) {
            return Optional.empty();
        }
        return CompletableFuture.supplyAsync(() -> lookedAt(spec, program), Thread::startVirtualThread)
                .completeOnTimeout(Optional.empty(), PATIENCE_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    private Optional<String> lookedAt(JobSpec spec, Program program) {
        try {
            return engine.findImage(spec.image()).flatMap(id -> cuda.refusal(spec.image(), id, program.environment()));
        } catch (EngineException e) {
            return Optional.empty();
        }
    }
}
