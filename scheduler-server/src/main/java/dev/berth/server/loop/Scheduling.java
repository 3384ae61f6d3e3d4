package dev.berth.server.loop;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.Step;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.log.Signal;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.Renaming;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The way to the scheduling thread, and the state that it has committed. Requests are refused where too many wait; news
 * never is, and is bounded by the number of jobs that run. Made before all that uses it. Safe for any thread.
 */
public final class Scheduling {
    /** The number of requests that may wait where nobody says otherwise. */
    public static final int MAX_REQUESTS = 4_096;

    /** The number of messages that share one commit. */
    static final int MAX_BATCH = 256;

    private final LinkedBlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    private final AtomicInteger requests = new AtomicInteger();
    private final Signal changes = new Signal();
    private final LoopFigures figures = new LoopFigures();
    private final int maxRequests;
    private volatile Machine committed;
    private volatile boolean ending;
    private volatile boolean closed;

    private Scheduling(Machine committed, int maxRequests) {
        this.committed = committed;
        this.maxRequests = maxRequests;
    }

    /**
     * The scheduling of a machine whose jobs are in a store.
     *
     * @param maxRequests how many requests may wait
     */
    public static Scheduling of(Capacity capacity, JobStore store, int maxRequests) {
        return new Scheduling(
                Machine.idle(capacity, store.lastId())
                        .with(store.starts())
                        .with(store.gpus())
                        .withDateAhead(store.dateAhead()),
                maxRequests);
    }

    /** The state as last committed. */
    public Machine machine() {
        return committed;
    }

    /** What the loop measures of itself. */
    public LoopFigures figures() {
        return figures;
    }

    /** The number of messages that wait for the loop. */
    public int waiting() {
        return messages.size();
    }

    /** Whether nobody has asked the loop to end, and it has not ended. */
    public boolean isOpen() {
        return !ending && !closed;
    }

    /** Raised after each commit that changed something. */
    public Signal changes() {
        return changes;
    }

    /**
     * Asks for a step; answered once it is durable.
     *
     * @param input made at the time of its turn
     * @throws BusyException where too many requests wait, or the server ends
     */
    public CompletableFuture<Reply> request(Function<Instant, Input> input) {
        return ask((loop, now) -> loop.apply(input.apply(now)));
    }

    /**
     * Asks something of a job; answered once it is durable.
     *
     * @throws BusyException where too many requests wait, or the server ends
     */
    public CompletableFuture<Reply> request(JobId job, JobEvent event) {
        return ask((loop, now) -> loop.happen(job, event, now));
    }

    /**
     * Tells a job something together with what is written about it, in one commit: no server knows the one without the
     * other. Answered once it is durable.
     *
     * @throws BusyException where too many requests wait, or the server ends
     */
    public CompletableFuture<Reply> request(JobId job, JobEvent event, Consumer<JobStore> work) {
        return ask((loop, now) -> {
            Step _ = loop.write(work);
            return loop.happen(job, event, now);
        });
    }

    /**
     * Hands a job in; answered once it is durable.
     *
     * @param room how much the submitter's jobs may take. It is counted where the job is accepted, so that requests of
     *     the same instant cannot pass a bound together
     * @throws BusyException where too many requests wait, or the server ends
     */
    public CompletableFuture<Reply> submit(Function<Instant, SubmitJob> job, Room room) {
        return ask((loop, now) -> loop.submit(job.apply(now), room));
    }

    /**
     * Hands the jobs of a pipeline in, all or none; answered once it is durable.
     *
     * @throws BusyException where too many requests wait, or the server ends
     */
    public CompletableFuture<Reply> submit(Pipeline pipeline, Room room) {
        return ask((loop, now) -> loop.submit(pipeline, now, room));
    }

    /**
     * Writes what no scheduling follows from; answered once it is durable. What {@code work} throws ends the server.
     *
     * @throws BusyException where too many requests wait, or the server ends
     */
    public CompletableFuture<Reply> write(Consumer<JobStore> work) {
        return ask((loop, _) -> loop.write(work));
    }

    /**
     * Gives a few jobs another project; answered once it is durable.
     *
     * @throws BusyException where too many requests wait, or the server ends
     */
    public CompletableFuture<Reply> rename(Renaming renaming) {
        return ask((loop, _) -> loop.rename(renaming));
    }

    /** Tells of what nobody waits for an answer to. */
    public void tell(Function<Instant, Input> input) {
        put((loop, now) -> loop.apply(input.apply(now)));
    }

    /** News of a job, from its engine or from the one who carries effects out. */
    public void tell(JobId job, JobEvent event) {
        put((loop, now) -> loop.happen(job, event, now));
    }

    /** The engine was out of sight and has been looked at; {@code running} are the attempts that ran before it. */
    public void seen(Set<Attempt> running, List<Found> containers) {
        put((loop, now) -> loop.apply(new Input.EngineSeen(now, running, loop.sightings(containers))));
    }

    /** Ends the loop after the step it is in; from here on requests are refused. */
    public void end() {
        ending = true;
        put((loop, _) -> loop.nothing());
    }

    boolean isEnding() {
        return ending;
    }

    private CompletableFuture<Reply> ask(Message.Work work) {
        if (ending || closed) {
            throw BusyException.stopping();
        }
        if (requests.incrementAndGet() > maxRequests) {
            requests.decrementAndGet();
            throw BusyException.full(maxRequests);
        }
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        Message message = new Message(work, answer);
        messages.add(message);
        // Looked at last: what came in behind the last look would never be answered.
        if (closed && messages.remove(message)) {
            throw BusyException.stopping();
        }
        return answer;
    }

    private void put(Message.Work work) {
        messages.add(new Message(work, null));
    }

    /** Takes what is there; waits for the first, but not longer than that. */
    List<Message> take(Duration patience) throws InterruptedException {
        List<Message> batch = new ArrayList<>();
        Message first = messages.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
        if (first != null) {
            batch.add(first);
            messages.drainTo(batch, MAX_BATCH - 1);
        }
        batch.forEach(message -> requests.addAndGet(message.answer() == null ? 0 : -1));
        return batch;
    }

    void publish(Machine machine) {
        committed = machine;
    }

    /**
     * Takes no requests any more, and tells those who wait that nobody will answer.
     *
     * @param taken what was taken out, and not answered
     */
    void close(List<Message> taken, RuntimeException reason) {
        closed = true;
        List<Message> left = new ArrayList<>(taken);
        messages.drainTo(left);
        for (Message message : left) {
            CompletableFuture<Reply> answer = message.answer();
            if (answer != null) {
                answer.completeExceptionally(reason);
            }
        }
    }
}
