package dev.berth.server.loop;

import dev.berth.core.machine.Step;
import dev.berth.core.machine.Step.Reply;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A message that waits for its turn.
 *
 * @param work its step, made when its turn comes: only then its time and the jobs it is about are known
 * @param answer completed once the answer is durable; null where nobody waits for one
 */
record Message(Work work, @Nullable CompletableFuture<Reply> answer) {
    /** Steps on the loop's thread. */
    @FunctionalInterface
    interface Work {
        Step on(SchedulingLoop loop, Instant now);
    }
}
