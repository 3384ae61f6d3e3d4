package dev.berth.server.runner.docker;

import dev.berth.core.machine.Effect.CleanGpus;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.runner.EffectParts;
import dev.berth.server.runner.EffectRunner;
import dev.berth.server.runner.EngineHealth;
import dev.berth.server.runner.Notices;
import dev.berth.server.runner.Runners;
import dev.berth.server.runner.docker.image.Images;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;

/** Effects on containers, for tests that need no whole server: GPUs are given on as they are. */
final class ContainerEffects {
    private ContainerEffects() {}

    static EffectRunner on(ContainerEngine engine, ContainerParts parts, Tasks tasks, Notices notices) {
        DockerRunner containers = new DockerRunner(engine, parts, notices, tasks);
        CudaCheck cuda = new CudaCheck(engine, parts.plans().gpus().driver());
        Images.Parts imageParts = new Images.Parts(
                parts.starts(), cuda, parts.programs(), parts.clock().steady());
        EffectParts effects = new EffectParts(
                new Runners(containers, containers, containers),
                new Images(engine, imageParts, tasks, notices)::accept,
                GpuGate.OPEN,
                ContainerEffects::clean,
                new EngineHealth(engine::outage, parts.clock()),
                Duration.ZERO);
        return new EffectRunner(effects, tasks, notices);
    }

    private static void clean(CleanGpus clean) {
        throw new AssertionError("job " + clean.job() + " has left GPUs that nobody looks at");
    }
}
