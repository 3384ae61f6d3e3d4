package dev.berth.server.loop;

import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.Step.Reply;
import java.util.concurrent.CompletableFuture;

/** What lies in the inbox. */
sealed interface Message {
    /** A client waits for the answer. */
    sealed interface Asked extends Message {
        /** Completed once the answer is durable. */
        CompletableFuture<Reply> answer();
    }

    record Submit(JobSpec spec, Submitter submitter, CompletableFuture<Reply> answer) implements Asked {}

    record Cancel(JobId job, String by, CompletableFuture<Reply> answer) implements Asked {}

    record StopAll(String by, CompletableFuture<Reply> answer) implements Asked {}

    record News(JobId job, JobEvent event) implements Message {}

    /** Look at the clock, or at whether to end. */
    record Wake() implements Message {}
}
