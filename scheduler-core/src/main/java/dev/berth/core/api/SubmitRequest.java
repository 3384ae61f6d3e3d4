package dev.berth.core.api;

import dev.berth.core.parameter.Parameters;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /api/v1/jobs}: what somebody wants to run.
 *
 * @param command the program and its arguments; without an entry point a first word that ends in {@code .py} is run by
 *     the image's Python
 * @param snapshot the digest that {@code POST /api/v1/snapshots} answered; null for an empty workspace
 * @param gpuMilli thousandths of one GPU, 1 to 999, in place of {@code gpus}
 * @param host whether it runs on the machine itself, started by the client ({@code berth run}), and in no container
 * @param directory where a program of the machine itself is started
 * @param shell whether it is a shell that is there already ({@code berth lease})
 * @param parameters those of a sweep's tasks, set by set, in place of the options {@code sweep}, {@code zip} and {@code
 *     sample}
 * @param target where it goes, one of those at {@code GET /api/v1/targets}; null for this machine's own queue
 * @param options what else it says, by the fields of {@link dev.berth.core.option.JobOption}; what is not there is as the
 *     server's configuration says. Texts, lists of them, numbers, flags, and of variables a map, as the option's kind asks
 */
public record SubmitRequest(
        @Nullable List<String> command,
        @Nullable String snapshot,
        @Nullable Integer gpuMilli,
        boolean host,
        @Nullable String directory,
        boolean shell,
        @Nullable Parameters parameters,
        @Nullable String target,
        OptionValues options) {
    /** The same with other options. */
    public SubmitRequest with(OptionValues others) {
        return new SubmitRequest(command, snapshot, gpuMilli, host, directory, shell, parameters, target, others);
    }
}
