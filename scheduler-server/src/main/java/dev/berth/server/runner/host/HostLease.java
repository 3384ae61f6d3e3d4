package dev.berth.server.runner.host;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.cgroup.Cgroup;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.runner.host.ProcessTree.Root;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A host job and the client that waits for it. Changed by the thread that holds its lock alone, and read by all.
 */
final class HostLease {
    /** The progress of an attempt. */
    enum Phase {
        /** Its turn has not come. */
        WAITING,
        /** The GPUs are given; the client starts the program. */
        GRANTED,
        /** The program is known, and will be in the store before it runs. */
        BEGUN,
        /** Its end was told. */
        OVER
    }

    /** The exit code that the client tells. */
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

    private final CompletableFuture<Boolean> over = new CompletableFuture<>();
    private final Job job;
    private volatile Phase phase = Phase.WAITING;
    private @Nullable Grant grant;
    private volatile @Nullable Started started;
    private volatile @Nullable Instant startedAt;
    private volatile @Nullable ProcessKey client;
    private ProcessKernel.@Nullable Watch clientWatch;
    private ProcessKernel.@Nullable Watch programWatch;
    private @Nullable Root root;
    private @Nullable Cgroup cgroup;
    private int visitors;
    private long visits;
    private Instant absentSince;

    /**
     * One that nobody waits for yet.
     *
     * @param since the time since which its client is expected
     */
    HostLease(Job job, Instant since) {
        this.job = job;
        this.absentSince = since;
    }

    JobId job() {
        return job.id();
    }

    long uid() {
        return job.owner().uid();
    }

    Phase phase() {
        return phase;
    }

    boolean isOver() {
        return phase == Phase.OVER;
    }

    @Nullable
    Grant grant() {
        return phase == Phase.GRANTED ? grant : null;
    }

    void grant(Grant next) {
        phase = Phase.GRANTED;
        grant = next;
    }

    void begin(Started what, Instant at) {
        phase = Phase.BEGUN;
        started = what;
        startedAt = at;
    }

    /** Notes the cgroup that its program was put into, before anything is looked at. */
    void enclosed(Optional<Cgroup> in) {
        cgroup = in.orElse(null);
    }

    boolean isEnclosed() {
        return cgroup != null;
    }

    /** Undoes a beginning of which the store knows nothing. */
    void takeBack() {
        phase = Phase.GRANTED;
        started = null;
        startedAt = null;
        root = null;
        cgroup = null;
    }

    @Nullable
    Started started() {
        return started;
    }

    Instant startedAt() {
        return startedAt == null ? job.submittedAt() : startedAt;
    }

    CompletableFuture<Integer> exitCode() {
        return exitCode;
    }

    CompletableFuture<Boolean> over() {
        return over;
    }

    @Nullable
    ProcessKey client() {
        return client;
    }

    void client(ProcessKey process, ProcessKernel.Watch watch) {
        closeClientWatch();
        client = process;
        clientWatch = watch;
    }

    void programWatch(ProcessKernel.Watch watch) {
        programWatch = watch;
    }

    /** Notes that a client is there; answers which visit it is. */
    long came() {
        visitors++;
        return ++visits;
    }

    void went(Instant at) {
        visitors--;
        absentSince = at;
    }

    /** The time since which no client waits for it. */
    Instant absentSince() {
        return absentSince;
    }

    boolean isVisited() {
        return visitors > 0;
    }

    long visits() {
        return visits;
    }

    /** Whether this is still the visit that was the last one so far. */
    boolean isLast(long visit) {
        return visit == visits;
    }

    /** Ends it: nothing more is watched, and what waits for its end goes on. */
    void end() {
        phase = Phase.OVER;
        closeClientWatch();
        if (programWatch != null) {
            programWatch.close();
        }
        boolean _ = over.complete(true);
    }

    private void closeClientWatch() {
        if (clientWatch != null) {
            clientWatch.close();
        }
    }

    Attempt attempt(int number) {
        return new Attempt(job.id(), number);
    }

    /** The root of what is to be ended; the same each time, as it remembers what it has seen. */
    Root root(Started what, String server) {
        synchronized (this) {
            Root known = root;
            if (known == null) {
                known = Root.of(what.program(), GrantEnvironment.mark(server, job.id(), what.attempt()), uid(), cgroup);
                root = known;
            }
            return known;
        }
    }
}
