package dev.berth.server.runner.host;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.OfRun;
import dev.berth.core.machine.Effect.ReadPack;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.StopTask;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.SignalSent;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.runner.Runner;
import dev.berth.server.runner.host.HostLease.Phase;
import dev.berth.server.store.HostProcess;
import dev.berth.server.store.JobWarning;
import dev.berth.server.time.Clocks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The runner of jobs that are processes of the machine itself: a creation grants the GPUs to the client that waits, a
 * start is what that client says it started, an end is the end of that process. Safe for any thread; each lease is its
 * own lock.
 */
public final class HostRunner implements Runner {
    /** The time that a client may be out of sight, as between two servers, before it counts as gone. */
    static final Duration ABSENCE = Duration.ofSeconds(10);

    /** The time that a client may take to start its program once it may: until then GPUs stand idle for it. */
    static final Duration BEGIN = Duration.ofSeconds(60);

    private final Map<JobId, HostLease> leases = new ConcurrentHashMap<>();
    private final LeaseParts parts;
    private final ProcessTable table;
    private final LeaseEnds ends;
    private volatile Opening opening = new Opening(Instant.MAX, Duration.ZERO);

    /**
     * The moment from which absence counts.
     *
     * @param at what the steady clock said
     * @param ahead the lead of the date over it
     */
    private record Opening(Instant at, Duration ahead) {}

    public HostRunner(LeaseParts parts) {
        this.parts = parts;
        this.table = new ProcessTable(parts.kernel().proc());
        this.ends = new LeaseEnds(parts, table, new ProcessTree(table, parts.kernel(), parts.tasks()));
    }

    public String server() {
        return parts.server();
    }

    /** The attempt whose leased program a process is, or has come of; empty for any other. */
    public Optional<Attempt> attemptOf(long pid) {
        List<ProcessKey> line = table.ancestry(pid);
        for (HostLease lease : leases.values()) {
            Started started = lease.isOver() ? null : lease.started();
            if (started != null
                    && (line.contains(started.program())
                            || table.isMarked(
                                    pid, lease.root(started, parts.server()).mark(), lease.uid()))) {
                return Optional.of(lease.attempt(started.attempt()));
            }
        }
        return parts.cgroups().attemptOf(pid);
    }

    /** Expects the client of a job since the job was accepted, whether it came yet or not. */
    @Override
    public void expect(OfRun effect) {
        if (effect instanceof CreateRun create) {
            HostLease _ = lease(create.launch());
        }
    }

    private HostLease lease(Job job) {
        return leases.computeIfAbsent(job.id(), _ -> fresh(job));
    }

    /**
     * A lease whose client is expected since the job was accepted. Of those accepted before the date was set nobody knows
     * how long ago that is.
     */
    private HostLease fresh(Job job) {
        Clocks clock = parts.clock();
        if (Clocks.wasSet(clock.ahead(clock.instant()).minus(opening.ahead))) {
            open();
        }
        return new HostLease(job, clock.steadyAt(job.submittedAt()));
    }

    /** Notes that clients find the server from now on: before, no absence counts. */
    public void open() {
        Clocks clock = parts.clock();
        opening = new Opening(clock.steady().instant(), clock.ahead(clock.instant()));
    }

    // What clients do.

    /** A client's stay; closed when its connection ends. */
    public final class Visit implements AutoCloseable {
        private final HostLease lease;
        private final long number;

        private Visit(HostLease lease, long number) {
            this.lease = lease;
            this.number = number;
        }

        /** The grant that it may start its program with, as soon as there is one. */
        public Optional<Grant> grant() {
            synchronized (lease) {
                return Optional.ofNullable(lease.grant());
            }
        }

        @Override
        public void close() {
            synchronized (lease) {
                lease.went(parts.clock().steady().instant());
            }
            parts.tasks().runAfter(ABSENCE, () -> missed(lease, number));
        }
    }

    /**
     * Lets a client wait for this job's turn, or for its end.
     *
     * @param client the process that waits; when it ends before its program runs, its job is finished
     * @param caller whose word this is
     */
    public Visit visit(Job job, ProcessKey client, long caller) throws LeaseException {
        requireOwn("pid", client, caller);
        HostLease lease = lease(job);
        synchronized (lease) {
            if (!client.equals(lease.client()) && !lease.isOver() && !isShell(lease)) {
                lease.client(client, parts.kernel().watch(client, () -> ends.clientEnded(lease)));
            }
            return new Visit(lease, lease.came());
        }
    }

    private static boolean isShell(HostLease lease) {
        Started started = lease.started();
        return started != null && started.isShell();
    }

    /** Requires that a process is there, on this machine, and the caller's own. */
    private void requireOwn(String field, ProcessKey process, long caller) throws LeaseException {
        if (!table.isAlive(process)) {
            throw new LeaseException(
                    field,
                    "is no process that this server sees; berth run and berth lease work on the server's own machine,"
                            + " not in a container, nor with a server that runs in one");
        }
        if (caller != 0 && !table.owner(process.pid()).equals(OptionalLong.of(caller))) {
            throw new LeaseException(field, "is a process of another user");
        }
    }

    /**
     * Takes what a client says it started, before it runs: the caller writes what is answered to the store, together with
     * the {@link #news} of it, and then says so by {@link #begun}. From here on the process is ended when its job is.
     *
     * @param gpus the UUIDs that the client was told; null where it does not say. A job whose client was told by an
     *     earlier server may have gone back to the queue, and have had another turn
     * @throws LeaseException where the process is not what it must be
     */
    public Optional<HostProcess> begin(JobId job, Started started, @Nullable List<String> gpus, long caller)
            throws LeaseException {
        requireOwn("pid", started.program(), caller);
        ProcessKey command = started.command();
        if (command != null) {
            requireOwn("cliPid", command, caller);
            boolean isChild = table.find(started.program().pid())
                    .filter(stat -> stat.parent() == command.pid())
                    .isPresent();
            if (!isChild) {
                throw new LeaseException("pid", "is not what cliPid has started");
            }
        }
        HostLease lease = leases.get(job);
        if (lease == null) {
            return Optional.empty();
        }
        synchronized (lease) {
            boolean isRepeated = lease.phase() == Phase.BEGUN && started.equals(lease.started());
            if (isRepeated) {
                return Optional.of(row(job, started, lease.startedAt()));
            }
            Grant grant = lease.grant();
            if (grant == null
                    || grant.attempt() != started.attempt()
                    || !(gpus == null || gpus.equals(grant.uuids()))) {
                return Optional.empty();
            }
            lease.begin(started, parts.clock().instant());
            enclose(lease, started);
            return Optional.of(row(job, started, lease.startedAt()));
        }
    }

    /**
     * Before it is let go, so that all that comes of it is in there. A shell has started things already, and is left
     * alone.
     */
    private void enclose(HostLease lease, Started started) {
        if (!started.isShell()) {
            lease.enclosed(parts.cgroups()
                    .enclose(
                            lease.attempt(started.attempt()),
                            started.program().pid(),
                            () -> table.isAlive(started.program())));
        }
    }

    /**
     * What should be known of a program that is in no cgroup of its own, of which there are none; empty where it is in
     * one.
     */
    public Optional<JobWarning> warning(HostProcess row) {
        HostLease lease = leases.get(row.job());
        boolean isLoose = lease != null && row.commandPid() != null && !lease.isEnclosed();
        return isLoose
                ? Optional.of(new JobWarning(
                        row.job(),
                        row.attempt(),
                        JobWarning.NO_CGROUP,
                        "",
                        "what its program leaves behind is recognised by descent and environment alone: what gives up"
                                + " both outlives it, on its GPUs too",
                        row.startedAt(),
                        null))
                : Optional.empty();
    }

    /** The warnings for the operator, a sentence each. */
    public List<String> warnings() {
        return parts.cgroups().areThere()
                ? List.of()
                : List.of("what programs of berth run leave behind is recognised "
                        + parts.cgroups().inWords() + "; what gives up both outlives its lease");
    }

    private static HostProcess row(JobId job, Started started, Instant at) {
        ProcessKey command = started.command();
        return new HostProcess(
                job,
                started.attempt(),
                started.program().pid(),
                started.program().startTicks(),
                command == null ? null : command.pid(),
                command == null ? null : command.startTicks(),
                at);
    }

    /**
     * The news of a process for its job, of the same commit: a server that knew the process of a job that has not begun
     * would have to guess whether its program has run, and since when.
     */
    public static RunCreated news(HostProcess row) {
        return new RunCreated(row.attempt(), EngineRun.UNKNOWN);
    }

    /** Notes that the process of a job did not come into the store: its client asks again, or goes. */
    public void notBegun(JobId job, Started started) {
        HostLease lease = leases.get(job);
        if (lease != null) {
            synchronized (lease) {
                if (lease.phase() == Phase.BEGUN && started.equals(lease.started())) {
                    lease.takeBack();
                }
                // What waits in its cgroup is found there when it is asked for again.
            }
        }
    }

    /**
     * Notes that the process of a job is in the store, and that its job has heard of it; answers whether it may go on. A
     * program whose lease was stopped meanwhile is ended with it; a shell would use GPUs of another job.
     */
    public boolean begun(JobId job, Started what) {
        HostLease lease = leases.get(job);
        if (lease == null) {
            return false;
        }
        synchronized (lease) {
            if (!what.equals(lease.started())) {
                return false;
            }
            ends.observe(lease, what);
            return !lease.isOver() || !what.isShell();
        }
    }

    /**
     * Takes the exit code that a client tells; it counts once the process has ended. That of a shell ends the lease at once:
     * the shell goes on without its GPUs.
     */
    public boolean exited(JobId job, int attempt, int exitCode) {
        HostLease lease = leases.get(job);
        Started started = lease == null ? null : lease.started();
        if (lease == null || started == null || started.attempt() != attempt) {
            return false;
        }
        // Said twice, it counts as it was said first.
        boolean _ = lease.exitCode().complete(exitCode);
        if (started.isShell()) {
            ends.tellEnd(lease, started, exitCode);
        }
        return true;
    }

    /** Ends the wait of a client whose connection ended, and which was not seen since. */
    private void missed(HostLease lease, long visit) {
        Phase phase;
        Grant grant;
        synchronized (lease) {
            if (lease.isVisited() || !lease.isLast(visit)) {
                return;
            }
            phase = lease.phase();
            grant = lease.grant();
            if (phase == Phase.WAITING || phase == Phase.GRANTED) {
                lease.end();
            }
        }
        if (phase == Phase.WAITING) {
            leases.remove(lease.job(), lease);
            ends.post(lease, new CancelRequested(LeaseEnds.GONE));
        } else if (grant != null) {
            ends.post(lease, new LaunchRefused(grant.attempt(), LeaseEnds.WAITER_GONE));
        }
    }

    // What the scheduler owes.

    /** The one place where GPUs are given to a host job: whatever looks at them first does so here. */
    @Override
    public boolean create(CreateRun creation) {
        HostLease lease = lease(creation.launch());
        synchronized (lease) {
            if (lease.phase() != Phase.WAITING) {
                // An earlier try, or it is stopped already.
                return true;
            }
            Grant grant = new Grant(
                    creation.attempt().number(),
                    creation.allocation(),
                    parts.track().apply(creation.launch()));
            if (lease.isVisited()) {
                lease.grant(grant);
                parts.tasks().runAfter(BEGIN, () -> overdue(lease, grant));
            } else if (!isAbsentTooLong(lease)) {
                lease.grant(grant);
                long visit = lease.visits();
                parts.tasks().runAfter(leftOfAbsence(lease), () -> missed(lease, visit));
                parts.tasks().runAfter(BEGIN, () -> overdue(lease, grant));
            } else {
                // It has had its time in the queue: those behind it do not wait for it now.
                lease.end();
                ends.post(lease, new LaunchRefused(grant.attempt(), LeaseEnds.WAITER_GONE));
            }
        }
        ends.wake();
        return true;
    }

    private Duration leftOfAbsence(HostLease lease) {
        Instant open = opening.at;
        Instant since = lease.absentSince().isAfter(open) ? lease.absentSince() : open;
        Duration absent = Duration.between(since, parts.clock().steady().instant());
        return absent.isNegative() ? ABSENCE : ABSENCE.minus(absent);
    }

    private boolean isAbsentTooLong(HostLease lease) {
        return !leftOfAbsence(lease).isPositive();
    }

    /** A client that is there and starts nothing has no time limit that runs. */
    private void overdue(HostLease lease, Grant grant) {
        synchronized (lease) {
            if (!grant.equals(lease.grant())) {
                return;
            }
            lease.end();
        }
        ends.post(lease, new LaunchRefused(grant.attempt(), LeaseEnds.NEVER_BEGUN));
    }

    /** Its client has started it already, or is about to. */
    @Override
    public boolean start(StartRun launch) {
        HostLease lease = leases.get(launch.job());
        if (lease == null || lease.started() == null) {
            parts.notices().post(launch.job(), new RunGone(launch.attempt().number()));
        } else {
            ends.post(lease, new RunStarted(launch.attempt().number(), lease.startedAt()));
        }
        return true;
    }

    @Override
    public boolean stop(StopRun stop) {
        HostLease lease = leases.get(stop.job());
        Started started = null;
        if (lease != null) {
            synchronized (lease) {
                started = lease.isOver() ? null : lease.started();
                if (started == null || started.isShell()) {
                    lease.end();
                }
            }
        }
        if (lease == null || started == null || started.isShell()) {
            parts.notices().post(stop.job(), new RunGone(stop.attempt().number()));
            ends.wake();
            return true;
        }
        return ends.isStopped(lease, started, stop.graceOr(parts.stopGrace()));
    }

    @Override
    public boolean stopTask(StopTask stop) {
        throw noPack(stop);
    }

    @Override
    public boolean readPack(ReadPack read) {
        throw noPack(read);
    }

    /** Programs of the machine itself are in no pack. */
    private static IllegalStateException noPack(OfRun effect) {
        return new IllegalStateException("job " + effect.job() + " is a pack without a container");
    }

    /** The machine itself has no queue. */
    @Override
    public boolean hold(HoldRun hold) {
        throw new IllegalStateException("job " + hold.job() + " has left the queue and cannot be set aside");
    }

    @Override
    public boolean signal(SignalRun signal) {
        HostLease lease = leases.get(signal.job());
        Started started = lease == null || lease.isOver() ? null : lease.started();
        if (lease != null && started != null && !started.isShell()) {
            boolean isSent =
                    parts.kernel().signal(started.program(), signal.signal().number());
            if (isSent) {
                ends.post(lease, new SignalSent(signal.attempt().number(), signal.signal()));
            }
        }
        return true;
    }

    @Override
    public boolean adopt(AdoptRun adoption) {
        HostLease lease = leases.get(adoption.job());
        Started started = lease == null ? null : lease.started();
        if (lease == null || started == null) {
            parts.notices().post(adoption.job(), new RunGone(adoption.attempt().number()));
        } else {
            synchronized (lease) {
                ends.observeAnew(lease, started);
            }
        }
        return true;
    }

    @Override
    public boolean release(ReleaseRun release) {
        HostLease lease = leases.remove(release.job());
        if (lease != null) {
            synchronized (lease) {
                lease.end();
            }
        }
        ends.clear(parts.cgroups().orphans(attempt -> !attempt.job().equals(release.job())));
        return true;
    }

    /** Ends a program that no job owns, and tells of its end. */
    @Override
    public boolean sweep(SweepRun sweep) {
        HostLease lease = leases.get(sweep.job());
        Started started = lease == null || lease.isOver() ? null : lease.started();
        if (lease != null && started != null && !started.isShell()) {
            synchronized (lease) {
                ends.observeAnew(lease, started);
            }
            if (!ends.isStopped(lease, started, parts.stopGrace())) {
                return false;
            }
        }
        parts.notices().post(sweep.job(), new RunGone(sweep.attempt().number()));
        return true;
    }

    /**
     * What is left of the programs that an earlier server knew: those that run, those whose end their command can
     * still tell, and those that have left something behind. Nothing where the machine was started anew.
     */
    @Override
    public List<Found> list() {
        if (!parts.isSameBoot()) {
            ends.clear(parts.cgroups().orphans(_ -> false));
            return List.of();
        }
        List<Job> live = parts.live().get();
        List<Found> found = new ArrayList<>();
        Set<Attempt> left = new HashSet<>();
        for (HostProcess row : parts.processes().get()) {
            for (Job job : live) {
                if (job.id().equals(row.job()) && isLeft(known(fresh(job), row), started(row))) {
                    HostLease lease = known(lease(job), row);
                    lease.begin(started(row), row.startedAt());
                    left.add(lease.attempt(row.attempt()));
                    found.add(new Found(
                            RunnerKind.HOST,
                            lease.attempt(row.attempt()),
                            new Found.Condition.Alive(row.startedAt()),
                            allocation(job).gpus()));
                }
            }
        }
        ends.clear(parts.cgroups().orphans(left::contains));
        return found;
    }

    private static Allocation allocation(Job job) {
        return job.state() instanceof JobState.Live live ? live.allocation() : Allocation.NONE;
    }

    private HostLease known(HostLease lease, HostProcess row) {
        lease.enclosed(parts.cgroups().find(lease.attempt(row.attempt())));
        return lease;
    }

    /** Whether anything of it is left: program or command, or what came of the program and may be on the GPUs. */
    private boolean isLeft(HostLease lease, Started started) {
        ProcessKey command = started.command();
        boolean isKnown = table.isAlive(started.program()) || (command != null && table.isAlive(command));
        return isKnown || (command != null && ends.hasLeft(lease, started));
    }

    private static Started started(HostProcess row) {
        Long commandPid = row.commandPid();
        Long commandTicks = row.commandStartTicks();
        return new Started(
                row.attempt(),
                new ProcessKey(row.pid(), row.startTicks()),
                commandPid == null || commandTicks == null ? null : new ProcessKey(commandPid, commandTicks));
    }
}
