package dev.berth.server.target;

import dev.berth.server.runner.slurm.SlurmSettings;
import dev.berth.server.runner.target.TargetSettings;

/** Target as the configuration has it. */
public record TargetConfig(TargetSettings settings, EngineSettings engine) {
    /** What is said of the engine. */
    public sealed interface EngineSettings {
        /** Whether a job can be left to wait there for others that the engine has. */
        boolean keepsDependencies();

        record Slurm(SlurmSettings settings) implements EngineSettings {
            @Override
            public boolean keepsDependencies() {
                return true;
            }
        }

        record Kubernetes(KubernetesFields fields) implements EngineSettings {
            @Override
            public boolean keepsDependencies() {
                return false;
            }
        }
    }
}
