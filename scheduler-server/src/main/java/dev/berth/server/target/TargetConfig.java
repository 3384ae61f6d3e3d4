package dev.berth.server.target;

import dev.berth.server.runner.slurm.SlurmSettings;
import dev.berth.server.runner.target.TargetSettings;

/** Target as the configuration has it. */
public record TargetConfig(TargetSettings settings, EngineSettings engine) {
    /** What is said of the engine. */
    public sealed interface EngineSettings {
        record Slurm(SlurmSettings settings) implements EngineSettings {}

        record Kubernetes(KubernetesFields fields) implements EngineSettings {}
    }
}
