package dev.berth.server.simulation;

import dev.berth.core.job.EngineRun;
import dev.berth.core.job.Signal;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition;
import dev.berth.server.linux.ProcessUse;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineOutage;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.ContainerLogStream;
import dev.berth.server.runner.docker.ContainerOwner;
import dev.berth.server.runner.docker.ContainerPlan;
import dev.berth.server.runner.docker.EngineFacts;
import dev.berth.server.runner.docker.LogBegin;
import dev.berth.server.simulation.Weather.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The engine as the server meets it: between the two is the weather. */
final class StormyEngine implements ContainerEngine {
    private record Request(String verb, String subject, Supplier<?> work) {}

    /** So many readings of a log's beginning are between two that break off. */
    private static final int BROKEN_BEGINNING = 13;

    final Weather weather;
    private final Ground ground;
    private final VirtualTime time;
    private final SplittableRandom random;
    private final Tally tally;
    private final Trace trace;
    private final Consumer<Fate> starts;
    private final List<Request> underWay = new ArrayList<>();
    private final List<StormyLog> logs = new ArrayList<>();
    private int beginnings;
    private int hanging;
    private @Nullable NewsWire wire;
    private @Nullable SignalOrder signals;

    /**
     * An engine.
     *
     * @param starts hears of each start before the weather meets it
     */
    StormyEngine(
            Ground ground, VirtualTime time, SplittableRandom random, Tally tally, Trace trace, Consumer<Fate> starts) {
        this.starts = starts;
        this.ground = ground;
        this.time = time;
        this.random = random;
        this.tally = tally;
        this.trace = trace;
        this.weather = new Weather(random);
    }

    /** From now on the law about signals is held. */
    void hold(SignalOrder order) {
        signals = order;
    }

    private SignalOrder signals() {
        return Objects.requireNonNull(signals);
    }

    private <T> T call(String verb, String subject, Supplier<T> work) {
        time.requireAlive();
        Fault fault = weather.next(verb);
        if (fault != Fault.NONE && fault != Fault.HANGS_BEFORE) {
            trace.say("weather", verb, subject, fault);
            tally.count((weather.isAway() ? "engine away: " : fault + " ") + verb);
        }
        switch (fault) {
            case HANGS_BEFORE -> hang(verb, subject);
            case REQUEST_LOST -> throw new EngineException(Kind.UNREACHABLE, "the engine did not " + verb);
            case REFUSED -> throw refusal(verb, subject);
            case CRASH_BEFORE -> throw new Crash();
            case DONE_LATER -> {
                underWay.add(new Request(verb, subject, work));
                throw new EngineException(Kind.UNREACHABLE, "the engine took too long to " + verb);
            }
            case CRASH_MEANWHILE -> {
                underWay.add(new Request(verb, subject, work));
                throw new Crash();
            }
            default -> {}
        }
        finish(subject);
        T answer = work.get();
        switch (fault) {
            case HANGS_AFTER -> hang(verb, subject);
            case ANSWER_LOST -> throw new EngineException(Kind.UNREACHABLE, "no answer from the engine to " + verb);
            case REFUSED_YET_DONE -> {
                if (verb.equals("start") && random.nextBoolean()) {
                    // A short one has ended before the answer comes.
                    ground.find(subject)
                            .filter(Fate::runs)
                            .ifPresent(fate -> ground.end(fate, Fate.End.ITSELF, 0, false));
                }
                throw refusal(verb, subject);
            }
            case CRASH_AFTER -> throw new Crash();
            case FORGOTTEN -> {
                dieAt(subject);
                throw new EngineException(Kind.UNREACHABLE, "the engine was killed when it was to " + verb);
            }
            case FORGOTTEN_WITH_SERVER -> {
                dieAt(subject);
                throw new Crash();
            }
            case UNCLEAR -> {
                loseSight(subject);
                throw new EngineException(Kind.BEGUN, "the engine lost what it had asked to " + verb);
            }
            case UNCLEAR_WITH_SERVER -> {
                loseSight(subject);
                throw new Crash();
            }
            default -> {}
        }
        return answer;
    }

    private EngineException refusal(String verb, String subject) {
        ground.refused(verb, subject);
        // Of an image it must be known whether a 500 or a wrong name was the answer: the adapter tells them apart.
        Kind kind = verb.equals("findImage") ? Kind.UNREACHABLE : Kind.REFUSED;
        return new EngineException(kind, "the engine refuses to " + verb);
    }

    /** The engine lets it wait; it may be away when its turn comes. */
    private void hang(String verb, String subject) {
        if (isPaused()) {
            trace.say("weather", verb, subject, "hung");
            tally.count("hung " + verb);
            requireThere(verb);
        }
    }

    private void requireThere(String verb) {
        if (weather.isAway()) {
            throw new EngineException(Kind.UNREACHABLE, "the engine went away when it was to " + verb);
        }
    }

    private boolean isPaused() {
        hanging++;
        try {
            return time.pause();
        } finally {
            hanging--;
        }
    }

    /** Whether any call waits for an engine that is there: nobody can know of it yet. */
    boolean isHanging() {
        return hanging > 0;
    }

    /** What the engine was asked earlier about the same thing comes first: it takes requests in their order. */
    private void finish(String subject) {
        List<Request> mine =
                underWay.stream().filter(one -> one.subject().equals(subject)).toList();
        underWay.removeAll(mine);
        mine.forEach(this::carryOut);
    }

    private void carryOut(Request request) {
        trace.say("engine", "does at last", request.verb(), request.subject());
        tally.count("done late: " + request.verb());
        try {
            Object _ = request.work().get();
        } catch (EngineException e) {
            trace.say("engine", "cannot", e.sentence());
        }
    }

    /** One request that is still under way is carried out, whoever asked; false where there is none. */
    boolean finishOne() {
        if (underWay.isEmpty() || weather.isAway()) {
            return false;
        }
        finish(underWay.get(random.nextInt(underWay.size())).subject());
        return true;
    }

    /** It is killed in the middle of a start, and comes back without knowing of it; what runs goes on. */
    private void dieAt(String container) {
        ground.startForgotten(container);
        goAway(true);
    }

    /** The engine takes for failed what has begun, and goes on. */
    private void loseSight(String container) {
        ground.startForgotten(container);
        ground.engine.failStart(container);
    }

    /** The engine is no more there for anybody; what it was still to do is forgotten. */
    void goAway(boolean takingRequestsAlong) {
        tally.count("outage");
        weather.away(true);
        if (takingRequestsAlong) {
            underWay.clear();
            ground.engineEnded();
        }
        if (wire != null) {
            wire.breakOff();
        }
        logs.forEach(StormyLog::breakOff);
    }

    /** The whole machine goes down. */
    void goDown() {
        underWay.clear();
        ground.engineEnded();
        weather.away(false);
    }

    void comeBack() {
        weather.away(false);
        if (wire != null) {
            wire.mend();
        }
    }

    void breakEvents() {
        if (wire != null) {
            wire.breakOff();
        }
    }

    /** What programs wrote arrives now. */
    void deliverLogs() {
        logs.forEach(StormyLog::arrive);
    }

    void breakLogs() {
        tally.count("log streams broken");
        logs.forEach(StormyLog::breakOff);
    }

    boolean deliver() {
        return wire != null && wire.deliver();
    }

    /** The server that asked and listened is gone. */
    void forgetServer() {
        ground.engine.forgetListeners();
        wire = null;
        logs.clear();
    }

    @Override
    public EngineFacts facts() {
        return ground.engine.facts();
    }

    @Override
    public EngineRun run() {
        return call("run", "", ground.engine::run);
    }

    @Override
    public Optional<String> findImage(String reference) {
        return call("findImage", reference, () -> ground.engine.findImage(reference));
    }

    @Override
    public Map<String, String> imageEnvironment(String imageId) {
        return call("findImage", imageId, () -> ground.engine.imageEnvironment(imageId));
    }

    @Override
    public void pull(String reference, PullListener listener) {
        call("pull", reference, () -> {
            ground.engine.pull(reference, listener);
            return true;
        });
    }

    @Override
    public String create(ContainerPlan plan) {
        // It may be done for a server that is gone, on books that have been replaced.
        long turn = ground.turnOf(plan);
        return call("create", plan.name(), () -> {
            String id = ground.engine.create(plan);
            ground.created(plan, turn);
            return id;
        });
    }

    @Override
    public Optional<ContainerOwner> owner(String server, String containerId) {
        return call("owner", containerId, () -> ground.engine.owner(server, containerId));
    }

    @Override
    public ContainerLogStream attach(String name, LogSink sink) {
        return read("attach", name, sink, into -> ground.engine.attach(name, into));
    }

    @Override
    public ContainerLogStream readLog(String name, LogSink sink) {
        return read("readLog", name, sink, into -> ground.engine.readLog(name, into));
    }

    @Override
    public ContainerLogStream readLogSince(String name, Instant since, LogSink sink) {
        return read("readLog", name, sink, into -> ground.engine.readLogSince(name, since, into));
    }

    private ContainerLogStream read(
            String verb, String name, LogSink sink, Function<LogSink, ContainerLogStream> open) {
        return call(verb, name, () -> {
            StormyLog log = new StormyLog(sink, random);
            log.follows(open.apply(log));
            logs.add(log);
            return log;
        });
    }

    @Override
    public boolean mayHaveMissed(Condition.Exited end) {
        return ground.engine.mayHaveMissed(end);
    }

    @Override
    public boolean mayHaveBroken(Instant ended) {
        return ground.engine.mayHaveBroken(ended);
    }

    @Override
    public Optional<LogBegin> logBegins(String name) {
        return call("logBegins", name, () -> {
            // A connection that is cut now looks like an empty log.
            boolean isBrokenOff = ++beginnings % BROKEN_BEGINNING == 0;
            tally.count(isBrokenOff ? "beginnings of logs broken off" : "beginnings of logs");
            return isBrokenOff ? Optional.empty() : ground.engine.logBegins(name);
        });
    }

    @Override
    public void start(String name) {
        time.requireAlive();
        ground.find(name).ifPresent(starts);
        call("start", name, () -> {
            ground.engine.start(name);
            return true;
        });
    }

    @Override
    public void stop(String name, Duration grace) {
        call("stop", name, () -> {
            if (weather.isStill() && ground.find(name).filter(Fate::runs).isPresent() && time.sleep(grace)) {
                requireThere("stop");
            }
            ground.stop(name);
            return true;
        });
    }

    @Override
    public boolean signal(String name, Signal signal) {
        time.requireAlive();
        // That a pack is to look which of its tasks are to end is said as often as anybody likes.
        Optional<Fate> signalled = ground.find(name).filter(fate -> fate.script == null);
        signalled.ifPresent(signals()::sent);
        boolean isSent = call("signal", name, () -> ground.engine.signal(name, signal));
        if (isSent) {
            signalled.ifPresent(signals()::answered);
        }
        return isSent;
    }

    @Override
    public void remove(String name) {
        call("remove", name, () -> {
            ground.engine.remove(name);
            ground.removed(name);
            return true;
        });
    }

    @Override
    public Optional<Condition> inspect(String name) {
        return call("inspect", name, () -> ground.engine.inspect(name));
    }

    @Override
    public Optional<ProcessUse> use(String name) {
        return call("use", name, () -> ground.engine.use(name));
    }

    @Override
    public List<Found> list(String server) {
        return call("list", "", () -> ground.engine.list(server));
    }

    @Override
    public List<String> running(String label, String value) {
        return call("list", "", () -> ground.engine.running(label, value));
    }

    @Override
    public AutoCloseable watch(String server, ContainerListener listener) {
        NewsWire own = new NewsWire(listener, random, tally);
        wire = own;
        return ground.engine.watch(server, own);
    }

    @Override
    public Optional<EngineOutage> outage() {
        return weather.isAway()
                ? Optional.of(new EngineOutage(time.instant(), "the engine is away"))
                : Optional.empty();
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
