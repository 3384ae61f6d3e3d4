package dev.berth.server.simulation;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.runner.host.Grant;
import dev.berth.server.runner.host.GrantEnvironment;
import dev.berth.server.runner.host.HostRunner;
import dev.berth.server.runner.host.LeaseException;
import dev.berth.server.runner.host.Started;
import dev.berth.server.simulation.Fate.End;
import dev.berth.server.store.HostProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The commands berth run and berth lease of this machine's people, and the programs and shells that GPUs are leased to:
 * each asks, waits, says which process it is, lets that go, and says how it ended, to whichever server there is. It may be
 * slow, be cut off, or be killed. Whoever brings an older database back ends all of them first.
 */
final class Commands {
    /** One command in so many is of berth lease. */
    private static final int SHELLS = 3;

    private static final int KILLED = 137;
    private static final int LOST_ANSWERS = 8;

    /** Number of the process above all others. */
    private static final long INIT = 1;

    /** One command, for one job. */
    private static final class Command {
        final int submit;
        final int gpus;
        final boolean isShell;
        final ProcessKey self;

        /** The shell that was there before, or what was started; null until then. */
        @Nullable
        ProcessKey program;

        @Nullable
        JobId job;

        /** What was said last, to any server. */
        @Nullable
        Started started;

        @Nullable
        Fate fate;

        HostRunner.@Nullable Visit visit;

        /** Complete once the server has written down which process it is. */
        @Nullable
        CompletableFuture<Reply> kept;

        @Nullable
        Integer exitCode;

        boolean isLetGo;

        /** This server knows the exit code. */
        boolean isTold;

        boolean isGone;

        /** Nobody waited for a while, so that it counts as gone. */
        boolean wasAway;

        Command(int submit, int gpus, ProcessKey self, @Nullable ProcessKey shell) {
            this.submit = submit;
            this.gpus = gpus;
            this.self = self;
            this.isShell = shell != null;
            this.program = shell;
        }
    }

    private final World world;
    private final SplittableRandom random;
    private final List<Command> there = new ArrayList<>();
    private final Map<JobId, Command> byJob = new HashMap<>();
    private final Map<ProcessKey, Command> byProcess = new LinkedHashMap<>();
    private @Nullable End ending;
    private boolean hasServer;

    Commands(World world) {
        this.world = world;
        this.random = world.random;
    }

    void serverBegan() {
        hasServer = true;
    }

    /** All connections are cut. */
    void serverGone() {
        hasServer = false;
        for (Command command : there) {
            command.visit = null;
            command.kept = null;
            command.isTold = false;
            command.wasAway = true;
        }
    }

    /** What befalls a command: it comes, is cut off, or is killed. */
    void happen() {
        switch (random.nextInt(8)) {
            case 0 -> any().ifPresent(this::kill);
            case 1 -> any().ifPresent(this::cutOff);
            default -> come();
        }
    }

    private void come() {
        boolean isShell = random.nextInt(SHELLS) == 0;
        int gpus = random.nextInt(world.capacity.gpus().size() + 1);
        ProcessKey shell = isShell ? world.kernel.start(INIT, Clients.UID, "") : null;
        ProcessKey self = world.kernel.start(shell == null ? INIT : shell.pid(), Clients.UID, "");
        world.tally.count(isShell ? "berth lease" : "berth run");
        int submit = world.clients.submitHost(world.scheduling(), gpus, isShell);
        Command command = new Command(submit, gpus, self, shell);
        there.add(command);
        byProcess.put(self, command);
        if (shell != null) {
            byProcess.put(shell, command);
        }
    }

    private Optional<Command> any() {
        return there.isEmpty() ? Optional.empty() : Optional.of(there.get(random.nextInt(there.size())));
    }

    private void kill(Command command) {
        world.tally.count("command killed");
        world.trace.say("somebody", "kills the command of submit no.", command.submit);
        command.isGone = true;
        leave(command, End.SOMEBODY, KILLED);
    }

    private void cutOff(Command command) {
        HostRunner.Visit visit = command.visit;
        if (visit != null) {
            world.tally.count("command cut off");
            command.visit = null;
            command.wasAway = true;
            visit.close();
        }
    }

    /** Its process ends; the program goes on. */
    private void leave(Command command, End by, int exitCode) {
        there.remove(command);
        HostRunner.Visit visit = command.visit;
        command.visit = null;
        ending = by;
        world.kernel.end(command.self, exitCode);
        ending = null;
        if (visit != null && hasServer) {
            visit.close();
        }
    }

    /** The machine goes down, or nobody is to know of them any more. */
    void leave() {
        ending = End.REBOOT;
        for (Map.Entry<ProcessKey, Command> one : List.copyOf(byProcess.entrySet())) {
            one.getValue().isGone = true;
            world.kernel.end(one.getKey(), KILLED);
        }
        ending = null;
        there.clear();
    }

    /** A program ends, by somebody else than Berth. */
    void end(Fate fate, End by, int exitCode) {
        Command command = byJob.get(fate.job);
        ProcessKey program = command == null ? null : command.program;
        if (program != null) {
            ending = by;
            world.kernel.end(program, exitCode);
            ending = null;
        }
    }

    /** A process has ended; whose end nobody else has just decided was ended by Berth. */
    void ended(ProcessKey process, int exitCode) {
        Command command = byProcess.remove(process);
        if (command == null) {
            return;
        }
        End by = ending == null ? End.STOP : ending;
        Law.OTHERS_ALONE.require(
                by != End.STOP || (process.equals(command.program) && !command.isShell),
                () -> "a process was ended that is no program of berth run");
        if (!process.equals(command.program)) {
            return;
        }
        world.trace.say("machine", "ends the program of job", command.job, by, exitCode);
        command.exitCode = exitCode;
        Fate fate = command.fate;
        if (fate != null && fate.runs()) {
            world.ground.ended(fate, by, exitCode, false);
        }
    }

    /** One command does what it can do next; false where all of them wait. */
    boolean act() {
        if (!hasServer) {
            return false;
        }
        if (there.isEmpty()) {
            return world.isLast() && closesShell();
        }
        int first = random.nextInt(there.size());
        for (int i = 0; i < there.size(); i++) {
            if (goesOn(there.get((first + i) % there.size()))) {
                return true;
            }
        }
        return false;
    }

    /** Whoever sits at a shell whose command was killed before it said that its turn has come closes it in the end. */
    private boolean closesShell() {
        Optional<ProcessKey> shell = byProcess.entrySet().stream()
                .filter(one -> !one.getValue().isLetGo && one.getValue().isShell)
                .map(Map.Entry::getKey)
                .findFirst();
        ending = End.ITSELF;
        shell.ifPresent(it -> world.kernel.end(it, 0));
        ending = null;
        return shell.isPresent();
    }

    private boolean goesOn(Command command) {
        JobId id = command.job;
        if (id == null) {
            return isAsking(command);
        }
        Optional<Job> job = world.server().queries().find(id);
        if (job.isEmpty() || job.get().state() instanceof Finished) {
            ProcessKey program = command.program;
            if (program != null && !command.isLetGo && !command.isShell) {
                ending = End.ITSELF;
                world.kernel.end(program, 0);
                ending = null;
            }
            leave(command, End.ITSELF, 0);
            return true;
        }
        if (command.visit == null) {
            try {
                command.visit = world.server().hosts().visit(job.get(), command.self, Clients.UID);
            } catch (LeaseException e) {
                throw new Violation(Law.STANDS, e.sentence(), e);
            }
            return true;
        }
        return command.isLetGo
                ? hasTold(command, id)
                : hasBegun(command, job.get(), command.visit) || hasTold(command, id);
    }

    private boolean isAsking(Command command) {
        Optional<JobId> told = world.clients.job(command.submit);
        if (told.isPresent()) {
            command.job = told.get();
            byJob.put(told.get(), command);
            return true;
        }
        if (world.clients.isWaiting(command.submit)) {
            return false;
        }
        if (world.isLast()) {
            command.isGone = true;
            leave(command, End.ITSELF, 1);
            return true;
        }
        world.clients.submit(world.scheduling(), command.submit, command.gpus);
        return true;
    }

    /** Says which process it is, and lets it go when that is written down. */
    private boolean hasBegun(Command command, Job job, HostRunner.Visit visit) {
        CompletableFuture<Reply> kept = command.kept;
        if (kept != null) {
            if (kept.isDone()) {
                command.kept = null;
                world.server().hosts().begun(job.id());
                letGo(command);
                return true;
            }
            return false;
        }
        visit.grant().ifPresent(grant -> prepare(command, job, grant));
        Started started = command.started;
        if (started == null || command.exitCode != null) {
            return false;
        }
        Optional<HostProcess> row = begun(job, started);
        if (row.isPresent()) {
            if (command.fate != null) {
                command.fate.start = world.time.passed();
            }
            command.kept = world.scheduling().write(store -> store.keepProcess(row.get()));
        }
        return row.isPresent();
    }

    private Optional<HostProcess> begun(Job job, Started started) {
        try {
            return world.server().hosts().begin(job.id(), started, Clients.UID);
        } catch (LeaseException e) {
            throw new Violation(Law.STANDS, e.sentence(), e);
        }
    }

    private void prepare(Command command, Job job, Grant grant) {
        List<String> gpus = grant.allocation().gpus().stream().map(GpuId::uuid).toList();
        Fate fate = new Fate(new Attempt(job.id(), grant.attempt()), gpus);
        world.ground.granted(fate);
        command.fate = fate;
        if (command.program == null) {
            String mark = GrantEnvironment.of(job, grant, World.SERVER).get("BERTH_LEASE");
            ProcessKey program = world.kernel.start(command.self.pid(), Clients.UID, "BERTH_LEASE=" + mark);
            command.program = program;
            byProcess.put(program, command);
        }
        command.started = new Started(grant.attempt(), command.program, command.isShell ? null : command.self);
    }

    private void letGo(Command command) {
        Fate fate = command.fate;
        if (fate == null) {
            return;
        }
        fate.isKnown = true;
        if (!world.isLast() && random.nextInt(LOST_ANSWERS) == 0) {
            world.tally.count("answer to a command lost");
        } else if (command.exitCode == null) {
            command.isLetGo = true;
            Duration since = fate.start;
            world.ground.begin(fate);
            fate.start = since;
            if (command.isShell) {
                leave(command, End.ITSELF, 0);
            }
        }
    }

    private boolean hasTold(Command command, JobId job) {
        Integer exitCode = command.exitCode;
        Started started = command.started;
        if (exitCode == null || started == null || command.isTold) {
            return false;
        }
        command.isTold = true;
        boolean _ = world.server().hosts().exited(job, started.attempt(), exitCode);
        return true;
    }

    /** A shell is not ended with its lease: whoever sits at it has no GPUs any more, and uses none. */
    boolean hasGivenUp(Fate fate) {
        Command command = byJob.get(fate.job);
        return command != null
                && command.isShell
                && (world.clients.wantedTheEndOf(fate.job)
                        || world.clients.acknowledged().get(fate.job.value()).timeLimit() != null);
    }

    /** How a job ended, against what became of its program and of its command. */
    void checkEnd(JobSpec spec, Job job, Finished end, List<Fate> attempts) {
        Command command = byJob.get(job.id());
        boolean isGone = command == null || command.isGone;
        boolean isShell = command != null && command.isShell;
        Optional<Fate> last =
                attempts.stream().filter(fate -> fate.attempt == end.attempt()).findFirst();
        String what = job.id() + " " + end + " with " + attempts + (isGone ? ", its command is gone" : "");
        Law.NOTHING_LEFT.require(isShell || attempts.stream().noneMatch(Fate::runs), () -> what);
        boolean holds =
                switch (end.outcome().reason()) {
                    case EXITED, EXITED_NONZERO ->
                        last.filter(fate -> fate.end == End.ITSELF || fate.end == End.SOMEBODY)
                                .filter(fate -> isShell
                                        || fate.exitCode.equals(end.outcome().exitCode()))
                                .isPresent();
                    case TIME_LIMIT -> {
                        Duration limit = spec.timeLimit();
                        yield limit != null
                                && last.filter(fate -> fate.end != End.STOP || fate.ran.compareTo(limit) >= 0)
                                        .isPresent();
                    }
                    case CANCELLED_BY_USER -> isGone || command.wasAway || world.clients.wantedTheEndOf(job.id());
                    case START_FAILED -> last.filter(fate -> fate.starts > 0).isEmpty();
                    case CONTAINER_LOST ->
                        isGone
                                || (isShell
                                        && last.filter(fate -> fate.end != null).isPresent());
                    case MACHINE_REBOOTED ->
                        isGone || last.filter(fate -> fate.sawReboot).isPresent();
                    case OUT_OF_MEMORY, IMAGE_UNAVAILABLE, ENGINE_STOPPED, IDLE_TIMEOUT, DEVICE_LOST, NEVER_FITS ->
                        false;
                };
        Law.TRUE_END.require(holds, () -> what);
    }
}
