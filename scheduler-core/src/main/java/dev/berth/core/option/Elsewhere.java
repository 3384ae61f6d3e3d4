package dev.berth.core.option;

import java.util.List;

/**
 * Words by which other systems call an option of a job.
 *
 * @param slurm options of {@code sbatch}, and so of {@code #SBATCH} lines
 * @param atlas keys of Atlas's {@code job.config.yaml}, with a dot before what stands in a map
 * @param qhub keys of a profile of QHub's, and of its {@code kubespawner_override}
 */
public record Elsewhere(List<String> slurm, List<String> atlas, List<String> qhub) {
    static final Elsewhere NOWHERE = new Elsewhere(List.of(), List.of(), List.of());

    static Elsewhere slurm(String... words) {
        return new Elsewhere(List.of(words), List.of(), List.of());
    }

    static Elsewhere atlas(String... keys) {
        return new Elsewhere(List.of(), List.of(keys), List.of());
    }

    Elsewhere andAtlas(String... keys) {
        return new Elsewhere(slurm, List.of(keys), qhub);
    }

    Elsewhere andQhub(String... keys) {
        return new Elsewhere(slurm, atlas, List.of(keys));
    }
}
