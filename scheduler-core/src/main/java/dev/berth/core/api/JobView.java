package dev.berth.core.api;

import dev.berth.core.api.TrackingView.ProgressView;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job as the API shows it.
 *
 * @param state one of the state names
 * @param reason the stable code of why it waits or how it ended; null while it runs
 * @param sentence one true sentence about where it stands
 * @param details all that was said where the sentence is short for it, such as the container engine's error; else null
 * @param command the program and its arguments; of one job, null in lists, which do not grow with what jobs run
 * @param gpus how many GPUs it asked for
 * @param gpuUuids the GPUs it holds, or its pack does in which it runs; of a finished job shown alone those that it held last
 * @param gpuIndices the same by index, for people; "other" for one that this server does not allocate
 * @param attempt which start this is, 0 before the first
 * @param exitCode the program's exit code, null where there is none
 * @param position its place in the queue from 1, null where it does not wait
 * @param environment the names of the variables it was given, never their values; of one job, null in lists
 * @param resubmitOf the job that this one repeats, of a task its array; null for none
 * @param latestStart when its program starts at the latest, null where nobody can tell
 * @param expectedStart about when its program starts by what those that run tell of their ends, null where they do not tell enough
 * @param outputDirectory where on the server's machine its output lands; empty for an array or a pack, each of whose tasks has
 *     one
 * @param ranSeconds for how long its program has run, or ran, by a clock that nobody sets; null where it did not
 * @param progress what the program that runs tells of how far it is, for who may read what it wrote; else null
 * @param git what git said of the submitted directory, of one job asked for by its number; null in lists, and where it lay
 *     in no work tree
 * @param gpuMilli how much GPU it asked for, in thousandths of one
 * @param host whether it runs on the machine itself and in no container
 * @param cpus the cores that are its own while it runs, by the kernel's numbers
 * @param warnings what somebody should know of it beside its state, those that are finished included; of one job asked for
 *     by its number, and of those that run in lists; of an array those about its tasks
 * @param usage what it made of its GPUs, null for one that has never held any; of an array the sums over its tasks
 * @param machineUsage what it used of the cores and the memory; of one job asked for by its number, and in lists of
 *     jobs of targets; null where nobody looked
 * @param number what people call it: its id, or {@code 42_7} for task 7 of array 42
 * @param arrayId the id of the array that it is a task of, null for others
 * @param taskIndex its index in that, null for others
 * @param packNumber what people call the pack in whose container it runs, is to run or ended, as {@code 42_[0-4]}; null for
 *     others
 * @param tasks those of an array, null for others
 * @param sweep the names of a sweep's parameters that differ between its tasks, null for others; null in lists of jobs
 * @param parameters the values of those for a task of a sweep, by their names, as its command has them; null for others
 * @param earlierAttempts how those attempts ended after which it began another; of one job asked for by its number, empty in lists
 * @param values what the job told by the names that a list was asked for, by these; null where it was asked for none, or the
 *     job is another's
 * @param target where it goes, or went; null for this machine's own queue
 * @param targetKind the name of the engine there, as {@link TargetView} has it; null where that is
 * @param options what was asked for, or is so where nobody asked, by the fields of {@link SubmitRequest}
 */
public record JobView(
        long id,
        String state,
        @Nullable String reason,
        String sentence,
        @Nullable String details,
        String user,
        @Nullable List<String> command,
        String snapshot,
        int gpus,
        List<String> gpuUuids,
        List<String> gpuIndices,
        int attempt,
        @Nullable Integer exitCode,
        @Nullable Long position,
        @Nullable List<String> environment,
        @Nullable Long resubmitOf,
        @Nullable String latestStart,
        @Nullable String expectedStart,
        String outputDirectory,
        String submittedAt,
        @Nullable String startedAt,
        @Nullable String endedAt,
        @Nullable Long ranSeconds,
        @Nullable ProgressView progress,
        @Nullable GitView git,
        int gpuMilli,
        boolean host,
        List<Integer> cpus,
        List<WarningView> warnings,
        @Nullable UsageView usage,
        @Nullable MachineUsageView machineUsage,
        String number,
        @Nullable Long arrayId,
        @Nullable Integer taskIndex,
        @Nullable String packNumber,
        @Nullable TasksView tasks,
        @Nullable List<String> sweep,
        @Nullable Map<String, String> parameters,
        List<AttemptView> earlierAttempts,
        @Nullable Map<String, String> values,
        @Nullable String target,
        @Nullable String targetKind,
        OptionValues options) {
    /** The index of a GPU that this server does not allocate. */
    public static final String OTHER_GPU = "other";

    public String name() {
        return options.text("name");
    }

    public String project() {
        return options.text("project");
    }

    public String image() {
        return options.text("image");
    }
}
