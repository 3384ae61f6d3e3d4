package dev.berth.server.loop;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.loop.Message.Asked;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where everything comes in. Clients are refused when too many wait; news of the engine's never is, and is bounded by
 * the number of jobs that run. Safe for any thread.
 */
public final class Inbox {
    /** How many clients' messages may wait where nobody says otherwise. */
    private static final int MAX_ASKED = 4_096;

    /** How many messages share one commit. */
    static final int MAX_BATCH = 256;

    private final LinkedBlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final int maxAsked;
    private volatile boolean closed;

    public Inbox() {
        this(MAX_ASKED);
    }

    /** One in which so many messages of clients may wait. */
    public Inbox(int maxAsked) {
        this.maxAsked = maxAsked;
    }

    int maxAsked() {
        return maxAsked;
    }

    /** Puts a message of the server's own in that is answered as a client's is: it is never refused. */
    void insist(Asked message) {
        asked.incrementAndGet();
        messages.add(message);
    }

    /** Puts a client's message in; false where too many wait already, or nobody takes them any more. */
    boolean ask(Asked message) {
        if (asked.incrementAndGet() > maxAsked) {
            asked.decrementAndGet();
            return false;
        }
        messages.add(message);
        // Looked at last: what came in behind the last look into a closed inbox would never be answered.
        return !closed || !messages.remove(message);
    }

    /** News of a job, from the engine or from whoever carries effects out. */
    public void post(JobId job, JobEvent event) {
        tell(new Message.News(job, event));
    }

    void tell(Message message) {
        messages.add(message);
    }

    /** Takes what is there; waits for the first, but not longer than that. */
    List<Message> take(Duration patience) throws InterruptedException {
        List<Message> batch = new ArrayList<>();
        Message first = messages.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
        if (first != null) {
            batch.add(first);
            messages.drainTo(batch, MAX_BATCH - 1);
        }
        batch.forEach(message -> asked.addAndGet(message instanceof Asked ? -1 : 0));
        return batch;
    }

    /** Takes nothing new from clients, and tells those who wait that nobody will answer. */
    void close(RuntimeException reason) {
        closed = true;
        List<Message> left = new ArrayList<>();
        messages.drainTo(left);
        for (Message message : left) {
            if (message instanceof Asked waiting) {
                CompletableFuture<Reply> answer = waiting.answer();
                answer.completeExceptionally(reason);
            }
        }
    }
}
