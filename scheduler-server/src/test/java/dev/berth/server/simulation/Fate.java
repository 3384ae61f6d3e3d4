package dev.berth.server.simulation;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.runner.docker.ContainerPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What really became of one container and its program, whatever anybody believes. */
final class Fate {
    /** Who ended a program. */
    enum End {
        ITSELF,
        STOP,
        /** Somebody with docker kill, or docker rm -f. */
        SOMEBODY,
        /** The engine, which ended and took its containers along. */
        ENGINE,
        REBOOT
    }

    final String name;
    final JobId job;
    final int attempt;
    final String server;
    final boolean requeue;

    /** What its job asks for where it fails. */
    final RetryTerms retry;

    /** The array that its job is a task of, 0 where it is none. */
    final long array;

    /** The index of the task, -1 of another job. */
    final int index;

    /** How many tasks of its array may run at once. */
    final int atOnce;

    /** A program of berth run, or a shell of berth lease. */
    final boolean isHost;

    /** What the container of a pack runs, that there is or was last; null in any other. */
    @Nullable
    PackScript script;

    /** That of the container that a task of a pack is in; null where it has one of its own. */
    final @Nullable Fate pack;

    /** How the files of its pack say that a task has ended; null where they do not. */
    PackScript.@Nullable How told;

    /** How they said so before the machine lost its power, and that with it; a server may have read it. */
    PackScript.@Nullable How toldBefore;

    /** Of the container that there is, or was last. */
    List<String> gpus;

    final String workspace;
    private final Map<Stream, StringBuilder> written = new EnumMap<>(Stream.class);

    /** How often the program was started; more than once is once too often. */
    int starts;

    /** How often its signal reached it. */
    int signals;

    int lines;

    @Nullable
    Instant startedAt;

    @Nullable
    Instant endedAt;

    /** How much time had passed since the beginning of the day when it started. */
    Duration start = Duration.ZERO;

    /** How long it ran, whatever the dates say. */
    Duration ran = Duration.ZERO;

    /** How often somebody had set the clock when it ended. */
    int settings;

    @Nullable
    Integer exitCode;

    boolean outOfMemory;

    /** Berth knows which process it is; only of the machine itself it may not have begun by then. */
    boolean isKnown;

    /** A server was told which process it is, perhaps one that was killed before it wrote that down. */
    boolean isSaid;

    /** What the files of its pack say of a task was lost with the power of the machine. */
    boolean isCut;

    @Nullable
    End end;

    /** Somebody removed the container behind everybody's back. */
    boolean takenAway;

    boolean removed;

    /** Of a time that the books know nothing of: an older copy of them was brought back. */
    boolean forgotten;

    /** The engine ended while the container was there. */
    boolean sawEngineEnd;

    /** And it did not know any more that it had started it. */
    boolean wasForgotten;

    /** The machine went down while the container was there, or after GPUs were granted to a command. */
    boolean sawReboot;

    /** The last event of the books when it first did. */
    long beforeReboot;

    /** A shell whose lease is over: it uses the GPUs no more. */
    boolean hasGivenUp;

    Fate(ContainerPlan plan) {
        name = plan.name();
        job = new JobId(Long.parseLong(plan.labels().getOrDefault(ContainerNames.JOB_LABEL, "")));
        attempt = Integer.parseInt(plan.labels().getOrDefault(ContainerNames.ATTEMPT_LABEL, ""));
        server = plan.labels().getOrDefault(ContainerNames.SERVER_LABEL, "");
        isHost = false;
        pack = null;
        script = PackScript.of(plan);
        // What its tasks ask for is no matter of a pack.
        requeue = script == null && plan.environment().containsKey(World.REQUEUE);
        retry = script == null ? RetryTerms.parse(plan.environment().get(World.RETRY)) : RetryTerms.NONE;
        array = Long.parseLong(plan.environment().getOrDefault("BERTH_ARRAY_ID", "0"));
        index = Integer.parseInt(plan.environment().getOrDefault("BERTH_ARRAY_TASK", "-1"));
        atOnce = Integer.parseInt(plan.environment().getOrDefault(World.AT_ONCE, Integer.toString(Integer.MAX_VALUE)));
        gpus = gpus(plan);
        workspace =
                plan.mounts().isEmpty() ? "" : plan.mounts().getFirst().source().toString();
    }

    /** That of a program on the machine itself, which its command has not started yet. */
    Fate(Attempt of, List<String> gpus) {
        name = "host-" + of.job() + "-" + of.number();
        job = of.job();
        attempt = of.number();
        server = World.SERVER;
        requeue = false;
        retry = RetryTerms.NONE;
        array = 0;
        index = -1;
        atOnce = Integer.MAX_VALUE;
        isHost = true;
        pack = null;
        script = null;
        this.gpus = gpus;
        workspace = "";
    }

    /** That of a task in a pack, which was told these variables. */
    Fate(Fate pack, JobId task, Map<String, String> environment) {
        name = pack.name + " task " + task;
        job = task;
        attempt = 1;
        server = pack.server;
        isHost = false;
        this.pack = pack;
        script = null;
        requeue = environment.containsKey(World.REQUEUE);
        retry = RetryTerms.parse(environment.get(World.RETRY));
        array = Long.parseLong(environment.getOrDefault("BERTH_ARRAY_ID", "0"));
        index = Integer.parseInt(environment.getOrDefault("BERTH_ARRAY_TASK", "-1"));
        atOnce = Integer.parseInt(environment.getOrDefault(World.AT_ONCE, Integer.toString(Integer.MAX_VALUE)));
        gpus = List.of();
        workspace = pack.workspace;
        forgotten = pack.forgotten;
    }

    static List<String> gpus(ContainerPlan plan) {
        String devices = plan.environment().getOrDefault("NVIDIA_VISIBLE_DEVICES", "");
        return devices.startsWith("GPU-") ? List.of(devices.split(",")) : List.of();
    }

    boolean isThere() {
        return !removed && !takenAway;
    }

    /**
     * Somebody took it away; or Berth did, as it gave up a start that the engine knew nothing of, and a server that was
     * killed then did not come to say so.
     */
    boolean isNowhere() {
        return takenAway || (wasForgotten && removed);
    }

    boolean runs() {
        return starts > 0 && end == null;
    }

    /** A task whose container ended, or went, before its files told of its own end. */
    boolean isUntold() {
        return pack != null && end != null && (told == null || told == PackScript.How.STOPPED);
    }

    /** Its job may be started once more where it asked for that. */
    boolean mayHaveBeenLost() {
        return isUntold() || takenAway || wentDown() || sawEngineEnd;
    }

    /** The engine was away when it ended, and says 255 of it. */
    boolean isEndUnknown() {
        return end == End.ENGINE && exitCode != null && exitCode == EngineStopped.UNKNOWN_EXIT;
    }

    /** The machine took it along, or may have: nobody can tell a signal of the machine's own end from another. */
    boolean wentDown() {
        boolean bySignal = !outOfMemory && exitCode != null && exitCode > 128;
        return end == End.REBOOT || (sawReboot && (starts == 0 || wasForgotten || bySignal));
    }

    void wrote(Stream stream, String text) {
        written.computeIfAbsent(stream, _ -> new StringBuilder()).append(text);
        lines++;
    }

    String written(Stream stream) {
        StringBuilder text = written.get(stream);
        return text == null ? "" : text.toString();
    }

    @Override
    public String toString() {
        return name
                + (starts == 0 ? " never started" : end == null ? " runs" : " ended by " + end + " with " + exitCode)
                + (takenAway ? ", taken away" : removed ? ", removed" : "");
    }
}
