package dev.berth.server.simulation;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.runner.host.Grant;
import dev.berth.server.runner.host.GrantEnvironment;
import dev.berth.server.runner.host.HostRunner;
import dev.berth.server.runner.host.LeaseException;
import dev.berth.server.runner.host.Started;
import dev.berth.server.simulation.Fate.End;
import dev.berth.server.store.HostProcess;
import dev.berth.server.store.JobStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

    /** One program in so many starts another one, which does not end with it. */
    private static final int PARENTS = 4;

    private static final int LOST_ANSWERS = 8;

    /** Number of the process above all others. */
    private static final long INIT = 1;

    /** How long a command may be out of sight, and how long it may take to start its program, as Berth says. */
    private static final Duration ABSENCE = Duration.ofSeconds(10);

    private static final Duration BEGIN = Duration.ofSeconds(60);

    /** The time that a command that lives has to tell how its program ended. */
    private static final Duration LAST_WORD = Duration.ofMillis(1_500);

    /** The same for one whose program an earlier server saw begin. */
    private static final Duration LAST_WORD_TO_A_NEW_SERVER = Duration.ofSeconds(6);

    /** One command, for one job. */
    private static final class Command {
        final int submit;
        final Submitter user;
        final boolean isShell;
        final ProcessKey self;

        /** The shell that was there before, or what was started; null until then. */
        @Nullable
        ProcessKey program;

        @Nullable
        JobId job;

        /** What it was granted first, and uses, whatever another server grants later. */
        @Nullable
        Fate fate;

        /** The variable by which what comes of its program is known; empty until it is granted anything. */
        String mark = "";

        /** What it says of that to any server. */
        @Nullable
        Started started;

        /** What it heard of the server that there is. */
        @Nullable
        Grant heard;

        HostRunner.@Nullable Visit visit;

        /** Since when nobody waits, where nobody does. */
        Duration awaySince;

        /** A server is asked to write down which process it is. */
        boolean isSaying;

        @Nullable
        Integer exitCode;

        /** Who has ended its program. */
        @Nullable
        End end;

        boolean isLetGo;

        /** This server knows the exit code. */
        boolean isTold;

        boolean isGone;

        /** Which server its program began under, of all there have been. */
        int server;

        /** When its program ended, by the time that has passed in all. */
        @Nullable
        Duration programEnd;

        /** A server could not hear how its program ended. */
        boolean isUnheard;

        Command(int submit, Submitter user, ProcessKey self, @Nullable ProcessKey shell, Duration now) {
            this.submit = submit;
            this.user = user;
            this.self = self;
            this.isShell = shell != null;
            this.program = shell;
            this.awaySince = now;
        }
    }

    /** What a server has begun to do for a command; it ends it whether that waits for it or not. */
    private record Request(Command command, JobId job, Started started, Fate fate, CompletableFuture<Reply> kept) {}

    private final World world;
    private final SplittableRandom random;
    private final List<Command> there = new ArrayList<>();
    private final Map<JobId, Command> byJob = new HashMap<>();
    private final Map<ProcessKey, Command> byProcess = new LinkedHashMap<>();
    private final List<Request> requests = new ArrayList<>();

    /** What programs have started that may outlive them, by their job. */
    private final Map<JobId, ProcessKey> children = new HashMap<>();

    /** When the server that there is was to grant jobs their GPUs. */
    private final Map<JobId, Duration> owed = new HashMap<>();

    /** Jobs whose command a server gave up, with reason. */
    private final Set<JobId> givenUp = new HashSet<>();

    private @Nullable End ending;

    /** There is a server, which may not be open to commands yet. */
    private boolean hasBegun;

    private boolean hasServer;

    /** How many servers there have been. */
    private int servers;

    /** Since when the server that there is can be asked. */
    private Duration open = Duration.ZERO;

    Commands(World world) {
        this.world = world;
        this.random = world.random;
    }

    /** A server looks at what the one before it has left. */
    void serverBegins(JobStore store) {
        hasBegun = true;
        for (HostProcess row : store.processes()) {
            Command command = byJob.get(row.job());
            if (command != null && command.fate != null) {
                command.fate.isKnown = true;
            }
        }
        byJob.values().forEach(command -> command.isUnheard |= canBeUnheard(command));
    }

    void serverBegan() {
        hasServer = true;
        servers++;
        open = world.time.passed();
    }

    /** All connections are cut. */
    void serverGone() {
        hasBegun = false;
        hasServer = false;
        requests.clear();
        owed.clear();
        byJob.values().forEach(command -> command.isTold = false);
        for (Command command : there) {
            if (command.visit != null) {
                command.awaySince = world.time.passed();
            }
            command.visit = null;
            command.heard = null;
            command.isSaying = false;
        }
    }

    /** The server owes a job its GPUs. */
    void owed(CreateRun create) {
        owed.put(create.job(), world.time.passed());
    }

    /** Keeps whether the runners had reason to say what they say of a job. */
    void told(JobId job, JobEvent event) {
        Command command = byJob.get(job);
        boolean isMissing = command == null ? hasPassed(ABSENCE, open) : isMissing(command);
        if ((event instanceof CancelRequested && isMissing)
                || (event instanceof LaunchRefused && (isMissing || isSlow(job)))) {
            givenUp.add(job);
        }
        if (event instanceof RunGone && command != null) {
            // Of a server that is not open yet nobody can be heard.
            command.isUnheard |= canBeUnheard(command) || isSilent(command) || (!hasServer && isProgramGone(command));
        }
    }

    private boolean hasPassed(Duration time, Duration since) {
        return world.time.passed().minus(since).compareTo(time) >= 0;
    }

    private boolean isMissing(Command command) {
        Duration since = command.awaySince.compareTo(open) > 0 ? command.awaySince : open;
        return command.isGone || (command.visit == null && hasPassed(ABSENCE, since));
    }

    private boolean isSlow(JobId job) {
        Duration since = owed.get(job);
        return since != null && hasPassed(BEGIN, since);
    }

    /** Its program has ended, and nobody is there who could say how; of a shell nobody can once it has. */
    private boolean canBeUnheard(Command command) {
        return isProgramGone(command) && (command.isShell || (command.isGone && !command.isTold));
    }

    /** It could have said how its program ended, and has let the time pass that this server gives it. */
    private boolean isSilent(Command command) {
        Duration end = command.programEnd;
        if (end == null || command.isTold || !isProgramGone(command)) {
            return false;
        }
        Duration patience = command.server == servers ? LAST_WORD : LAST_WORD_TO_A_NEW_SERVER;
        return hasPassed(patience, end.compareTo(open) > 0 ? end : open);
    }

    private boolean isProgramGone(Command command) {
        ProcessKey program = command.program;
        return program != null && !world.kernel.isAlive(program);
    }

    /** What befalls a command: it comes, is cut off, or is killed. */
    void happen() {
        switch (random.nextInt(9)) {
            case 0 -> any().ifPresent(this::kill);
            case 1 -> any().ifPresent(this::cutOff);
            case 2 -> {
                boolean _ = closesShell();
            }
            default -> come();
        }
    }

    private void come() {
        boolean isShell = random.nextInt(SHELLS) == 0;
        int gpus = random.nextInt(world.capacity.gpus().size() + 1);
        Submitter user = world.clients.anybody();
        ProcessKey shell = isShell ? world.kernel.start(INIT, user.uid(), "") : null;
        ProcessKey self = world.kernel.start(shell == null ? INIT : shell.pid(), user.uid(), "");
        world.tally.count(isShell ? "berth lease" : "berth run");
        int submit = world.clients.submitHost(world.scheduling(), user, gpus, isShell);
        Command command = new Command(submit, user, self, shell, world.time.passed());
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
        giveUp(command, End.SOMEBODY);
    }

    /** It goes without having told anything; a program that it holds back goes with it, sooner or later. */
    private void giveUp(Command command, End by) {
        command.isGone = true;
        leave(command, by, KILLED);
        if (!command.isShell && !command.isLetGo && random.nextBoolean()) {
            endProgram(command, End.ITSELF, KILLED);
        }
    }

    /** A terminal is closed: a command goes with the program that it has let go, and what that started stays. */
    void closeTerminal() {
        there.stream()
                .filter(command -> command.isLetGo && !command.isShell)
                .findFirst()
                .ifPresent(command -> {
                    world.tally.count("terminal closed while there is no server");
                    giveUp(command, End.SOMEBODY);
                    endProgram(command, End.SOMEBODY, KILLED);
                });
    }

    private void endProgram(Command command, End by, int exitCode) {
        ProcessKey program = command.program;
        if (program != null) {
            ending = by;
            world.kernel.end(program, exitCode);
            ending = null;
        }
    }

    private void cutOff(Command command) {
        HostRunner.Visit visit = command.visit;
        if (visit != null) {
            world.tally.count("command cut off");
            command.visit = null;
            command.awaySince = world.time.passed();
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
        children.values().forEach(child -> world.kernel.end(child, KILLED));
        children.clear();
        there.clear();
    }

    /** An older copy of the books was brought back: a number that they forgot may be another job's by now. */
    void forgetAllBut(Set<Long> known) {
        byJob.clear();
        givenUp.removeIf(job -> !known.contains(job.value()));
    }

    /** A program ends, by somebody else than Berth. */
    void end(Fate fate, End by, int exitCode) {
        Command command = byJob.get(fate.job);
        if (command != null) {
            endProgram(command, by, exitCode);
        }
    }

    /** Whether a process takes note of a signal and goes on: one that is not to end it. */
    boolean heeds(ProcessKey process, int number) {
        if (number != Signal.USR1.number()) {
            return false;
        }
        Command command = byProcess.get(process);
        Fate fate = command == null ? null : command.fate;
        Law.OTHERS_ALONE.require(
                command != null && process.equals(command.program) && !command.isShell && fate != null,
                () -> "a process was sent a signal that is no program of berth run");
        if (fate != null) {
            world.signals.sent(fate);
            world.ground.signalled(fate);
            world.signals.answered(fate);
        }
        return true;
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
        command.programEnd = world.time.passed();
        command.end = by;
        Fate fate = command.fate;
        if (fate != null && fate.runs()) {
            world.ground.ended(fate, by, exitCode, false);
        }
    }

    /** One command does what it can do next, or a server for it; false where all of them wait. */
    boolean act() {
        if (!hasServer) {
            return false;
        }
        boolean isServers = random.nextBoolean();
        return (isServers && isAnswered())
                || (!there.isEmpty() && anyGoesOn())
                || isAnswered()
                || (world.isLast() && closesShell());
    }

    private boolean anyGoesOn() {
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
        Optional<Command> left = byProcess.values().stream()
                .filter(command -> command.isShell && command.isGone && !command.isLetGo)
                .findFirst();
        left.ifPresent(command -> endProgram(command, End.ITSELF, 0));
        return left.isPresent();
    }

    private boolean goesOn(Command command) {
        JobId id = command.job;
        if (id == null) {
            return isAsking(command);
        }
        Optional<Job> job = world.server().queries().find(id);
        if (job.isEmpty() || job.get().state() instanceof Finished) {
            if (!command.isLetGo && !command.isShell) {
                endProgram(command, End.ITSELF, 0);
            }
            leave(command, End.ITSELF, 0);
            return true;
        }
        if (command.visit == null) {
            try {
                command.visit = world.server().hosts().visit(job.get(), command.self, command.user.uid());
            } catch (LeaseException e) {
                throw new Violation(Law.STANDS, e.sentence(), e);
            }
            return true;
        }
        command.visit
                .grant()
                .filter(grant -> !grant.equals(command.heard))
                .ifPresent(grant -> hear(command, job.get(), grant));
        return (!command.isLetGo && hasSaid(command, job.get())) || hasTold(command, id);
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
        world.clients.send(world.scheduling(), command.submit);
        return true;
    }

    /** Says which process it is; where it is refused, it gives up. */
    private boolean hasSaid(Command command, Job job) {
        Started started = command.started;
        Fate fate = command.fate;
        if (started == null || fate == null || command.exitCode != null || command.isSaying) {
            return false;
        }
        Optional<HostProcess> row = begun(job, started, fate, command.user);
        if (row.isEmpty()) {
            world.tally.count("program of a command refused");
            giveUp(command, End.ITSELF);
            return true;
        }
        if (!fate.isSaid) {
            // Its time counts from here, whichever server lets it go.
            fate.isSaid = true;
            fate.start = world.time.passed();
        }
        command.isSaying = true;
        CompletableFuture<Reply> kept =
                world.scheduling().request(job.id(), HostRunner.news(row.get()), store -> store.keepProcess(row.get()));
        // From then on its job has begun, whether it has heard of that or not.
        var _ = kept.thenRun(() -> fate.isKnown = true);
        requests.add(new Request(command, job.id(), started, fate, kept));
        return true;
    }

    /** What a server was asked for is written down: it says so, whether the command is still there or not. */
    private boolean isAnswered() {
        Optional<Request> done =
                requests.stream().filter(request -> request.kept().isDone()).findFirst();
        done.ifPresent(request -> {
            requests.remove(request);
            boolean mayGoOn = world.server().hosts().begun(request.job(), request.started());
            Command command = request.command();
            if (there.contains(command)) {
                command.isSaying = false;
                if (mayGoOn) {
                    letGo(command, request.fate());
                } else {
                    world.tally.count("process refused whose lease was stopped");
                    giveUp(command, End.ITSELF);
                }
            }
        });
        return done.isPresent();
    }

    private Optional<HostProcess> begun(Job job, Started started, Fate fate, Submitter user) {
        try {
            return world.server().hosts().begin(job.id(), started, fate.gpus, user.uid());
        } catch (LeaseException e) {
            throw new Violation(Law.STANDS, e.sentence(), e);
        }
    }

    /** The first grant is used; that there is a second one, of another server, it does not even see. */
    private void hear(Command command, Job job, Grant grant) {
        command.heard = grant;
        Attempt attempt = new Attempt(job.id(), grant.attempt());
        world.ground.granted(attempt, grant.uuids());
        if (command.fate != null) {
            world.tally.count("GPUs granted once more to a command");
            return;
        }
        Fate fate = new Fate(attempt, grant.uuids());
        world.ground.add(fate);
        command.fate = fate;
        String mark =
                "BERTH_LEASE=" + GrantEnvironment.of(job, grant, World.SERVER).get("BERTH_LEASE");
        command.mark = mark;
        ProcessKey program = command.program;
        if (program == null) {
            program = world.kernel.start(command.self.pid(), command.user.uid(), mark);
            command.program = program;
            byProcess.put(program, command);
        }
        command.started = new Started(grant.attempt(), program, command.isShell ? null : command.self);
        command.server = servers;
    }

    private void letGo(Command command, Fate fate) {
        if (!world.isLast() && random.nextInt(LOST_ANSWERS) == 0) {
            world.tally.count("answer to a command lost");
        } else if (command.exitCode == null) {
            command.isLetGo = true;
            world.ground.begin(fate);
            ProcessKey program = command.program;
            if (command.isShell) {
                leave(command, End.ITSELF, 0);
            } else if (program != null && random.nextInt(PARENTS) == 0) {
                world.tally.count("program of a command starts another");
                children.put(fate.job, world.kernel.start(program.pid(), command.user.uid(), command.mark));
            }
        }
    }

    private boolean hasTold(Command command, JobId job) {
        Integer exitCode = command.exitCode;
        Started started = command.started;
        if (exitCode == null || started == null || command.isShell || command.isTold) {
            return false;
        }
        command.isTold = true;
        boolean _ = world.server().hosts().exited(job, started.attempt(), exitCode);
        return true;
    }

    /** A shell is not ended with its lease: whoever sits at it has no GPUs any more, and uses none. */
    boolean hasGivenUp(Fate fate) {
        Command command = byJob.get(fate.job);
        return command != null && command.isShell && isFinished(fate.job) && mayLose(fate.job);
    }

    private boolean mayLose(JobId job) {
        return world.clients.wantedTheEndOf(job)
                || world.clients.acknowledged().get(job.value()).timeLimit() != null;
    }

    private boolean isFinished(JobId job) {
        return hasBegun
                && !world.machine().live().containsKey(job)
                && world.server()
                        .queries()
                        .find(job)
                        .filter(found -> found.state() instanceof Finished)
                        .isPresent();
    }

    /** No program outlives its job, nor does what it started; but for a shell, which is not ended with it. */
    void check() {
        children.values().removeIf(child -> !world.kernel.isAlive(child));
        children.keySet()
                .forEach(job -> Law.NOTHING_LEFT.require(
                        !isFinished(job),
                        () -> "what the program of job " + job + " started, although its job is over"));
        for (Fate fate : world.ground.running()) {
            Law.NOTHING_LEFT.require(
                    !fate.isHost || fate.hasGivenUp || !isFinished(fate.job), () -> fate + " although its job is over");
        }
    }

    /** How a job ended, against what became of its program and of its command. */
    void checkEnd(JobSpec spec, Job job, Finished end, List<Fate> attempts) {
        Command command = byJob.get(job.id());
        Optional<Fate> last =
                attempts.stream().filter(fate -> fate.attempt == end.attempt()).findFirst();
        String what = job.id() + " " + end + " with " + attempts
                + (command == null || command.isGone ? ", its command is gone" : "");
        Law.NOTHING_LEFT.require(attempts.stream().noneMatch(fate -> fate.runs() && !fate.hasGivenUp), () -> what);
        boolean holds = switch (end.outcome().reason()) {
            case EXITED, EXITED_NONZERO -> command != null && hasEnded(command, end);
            case TIME_LIMIT -> {
                Duration limit = spec.timeLimit();
                yield limit != null
                        && last.filter(fate -> fate.end != End.STOP || fate.ran.compareTo(limit) >= 0)
                                .isPresent();
            }
            case CANCELLED_BY_USER -> world.clients.wantedTheEndOf(job.id()) || givenUp.contains(job.id());
            case START_FAILED -> last.filter(fate -> fate.starts > 0).isEmpty() && givenUp.contains(job.id());
            case CONTAINER_LOST -> command != null && command.isUnheard;
            case MACHINE_REBOOTED ->
                last.filter(fate -> fate.sawReboot && world.books.lastReboot(job.id()) > fate.beforeReboot)
                        .isPresent();
            case OUT_OF_MEMORY,
                    IMAGE_UNAVAILABLE,
                    ENGINE_STOPPED,
                    IDLE_TIMEOUT,
                    DEVICE_LOST,
                    NODE_LOST,
                    PREEMPTED,
                    CANCELLED_AT_TARGET,
                    TARGET_LOST,
                    DEPENDENCY_FAILED,
                    TASKS_FAILED,
                    NEVER_FITS -> false;
        };
        Law.TRUE_END.require(holds, () -> what);
    }

    /** Nobody asks how a shell ended; that it did is said of one that was written down, though its command knew of nothing. */
    private static boolean hasEnded(Command command, Finished end) {
        Fate fate = command.fate;
        boolean byItself = command.end == End.ITSELF || command.end == End.SOMEBODY;
        Integer exitCode = command.exitCode;
        return byItself
                && fate != null
                && fate.isKnown
                && exitCode != null
                && (command.isShell
                        || (fate.starts > 0 && exitCode.equals(end.outcome().exitCode())));
    }
}
