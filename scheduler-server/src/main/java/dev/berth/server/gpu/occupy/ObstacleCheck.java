package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Obstacle;
import dev.berth.server.gpu.GpuException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Check of what keeps a GPU from being allocated, by the operator's policy. Safe for any thread.
 *
 * @param names what people call a GPU, such as "GPU 0"
 */
public record ObstacleCheck(GpuOccupants look, ForeignPolicy policy, Function<GpuId, String> names) {
    private static final int MAX_NAMED = 3;

    String name(GpuId gpu) {
        return names.apply(gpu);
    }

    /**
     * The state of a GPU when it is to be allocated.
     *
     * @param obstacle null where nothing is in the way
     * @param memoryUsedBytes null where the driver does not tell
     */
    record Finding(@Nullable Obstacle obstacle, @Nullable Long memoryUsedBytes) {}

    /** The obstacle that is in the way now; empty where the GPU may be allocated. */
    Optional<Obstacle> on(GpuId gpu) {
        if (policy instanceof ForeignPolicy.Off) {
            return Optional.empty();
        }
        try {
            return blocking(look.foreign(gpu));
        } catch (GpuException e) {
            return Optional.of(sick(e));
        }
    }

    /** The obstacle in the way, with what else is to be known of a GPU that is allocated. */
    Finding find(GpuId gpu) {
        boolean isOff = policy instanceof ForeignPolicy.Off;
        try {
            GpuOccupants.Inspection inspection = look.inspect(gpu);
            Obstacle obstacle =
                    isOff ? null : blocking(look.foreign(gpu, inspection)).orElse(null);
            return new Finding(obstacle, inspection.reading().memoryUsedBytes());
        } catch (GpuException e) {
            return new Finding(isOff ? null : sick(e), null);
        }
    }

    private static Obstacle sick(GpuException failure) {
        return new Obstacle.Sick(String.valueOf(failure.getMessage()));
    }

    private Optional<Obstacle> blocking(List<ForeignProcess> foreign) {
        List<ForeignProcess> blocking = foreign.stream()
                .filter(process -> policy.blocks(process.there()))
                .toList();
        return blocking.isEmpty() ? Optional.empty() : Optional.of(new Obstacle.Foreign(sentence(blocking)));
    }

    private static String sentence(List<ForeignProcess> processes) {
        String named = String.join(
                ", ",
                processes.stream()
                        .limit(MAX_NAMED)
                        .map(ForeignProcess::sentence)
                        .toList());
        return processes.size() <= MAX_NAMED ? named : named + ", and " + (processes.size() - MAX_NAMED) + " more";
    }
}
