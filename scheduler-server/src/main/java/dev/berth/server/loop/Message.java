package dev.berth.server.loop;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Program;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.store.JobStore;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What lies in the inbox. */
sealed interface Message {
    /** A client waits for the answer. */
    sealed interface Asked extends Message {
        /** Completed once the answer is durable. */
        CompletableFuture<Reply> answer();
    }

    /** One more job, where there is room for another of the submitter's. */
    record Submit(
            JobSpec spec,
            Program program,
            Submitter submitter,
            @Nullable SubmitKey key,
            Room room,
            CompletableFuture<Reply> answer)
            implements Asked {}

    /** A person wants something of a job. */
    record Request(JobId job, JobEvent event, CompletableFuture<Reply> answer) implements Asked {}

    record Pause(boolean paused, String by, CompletableFuture<Reply> answer) implements Asked {}

    record StopAll(String by, CompletableFuture<Reply> answer) implements Asked {}

    /** A write that no scheduling follows from, such as of a token; in the batch's transaction. */
    record Write(Consumer<JobStore> work, CompletableFuture<Reply> answer) implements Asked {}

    record News(JobId job, JobEvent event) implements Message {}

    /** The engine was looked at again after it was out of sight. */
    record Seen(Set<Attempt> running, List<Found> containers) implements Message {}

    /** Look at the clock, or at whether to end. */
    record Wake() implements Message {}

    /** Take a GPU out of service, or back into it where the reason is null. */
    record Service(GpuId gpu, String by, @Nullable String reason, CompletableFuture<Reply> answer) implements Asked {}

    /** GPUs that were given to an attempt are in somebody else's hands. */
    record GpusRefused(Attempt attempt, Obstacles obstacles, String sentence) implements Message {}

    /** What is in the way of giving GPUs out now. */
    record GpusSeen(Obstacles obstacles) implements Message {}

    /** An ended attempt's GPUs were looked at; those with a reason are to be drained. */
    record GpusCleaned(Attempt attempt, SortedMap<GpuId, String> drained) implements Message {}
}
