package dev.berth.cli.output;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Jobs side by side.
 *
 * @param jobs the jobs in their order
 * @param differences in what they differ
 * @param same how many values are the same in all
 */
public record Comparison(List<Run> jobs, List<Difference> differences, int same) {
    /**
     * A job.
     *
     * @param id what people call it
     * @param value its value of the metric by which they are ranked; null where they are not, or it has none
     * @param step the step of that value
     */
    public record Run(
            String id,
            String name,
            String state,
            @Nullable Double value,
            @Nullable Long step) {}

    /**
     * Something in which they differ.
     *
     * @param name as a condition names it
     * @param values of each job in their order, null of one that has none; long ones are cut
     */
    public record Difference(String name, List<@Nullable String> values) {}
}
