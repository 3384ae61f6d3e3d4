package dev.berth.server.runner.docker;

import dev.berth.core.job.EngineRun;
import dev.berth.core.job.Signal;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition;
import dev.berth.server.linux.ProcessUse;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.EngineOutage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The verbs that Berth needs of a container engine. Every verb may be called again with the same arguments and then
 * does what is left to do, so that a crash between two calls harms nothing. All calls block, may be made from any
 * thread, and throw {@link EngineException}.
 */
public interface ContainerEngine extends AutoCloseable {

    /** The facts that the engine says of itself and its machine. */
    EngineFacts facts();

    /**
     * The run of the engine that answers now. One that ends between this answer and the next call leaves that call
     * without an answer, or it is another run that answers it.
     *
     * @return UNKNOWN where runs cannot be told apart, as with an engine on another machine
     * @throws EngineException of kind UNREACHABLE where it does not run
     */
    EngineRun run();

    /** The id of an image that is on this machine, empty where it is not. */
    Optional<String> findImage(String reference);

    /**
     * The variables that an image sets by itself.
     *
     * @throws EngineException of kind NOT_FOUND where the image is not here
     */
    Map<String, String> imageEnvironment(String imageId);

    /**
     * Pulls an image; returns when it is here.
     *
     * @throws EngineException of kind REFUSED where it cannot be had, FAILING where it may be had another time,
     *     INTERRUPTED where the listener gave up
     */
    void pull(String reference, PullListener listener);

    /**
     * Creates a container, or finds the one of that name that was made of this very plan, and answers its id. Nothing
     * runs yet.
     *
     * @throws EngineException of kind LATE where one of that name is there, or is being made, that this is not known
     *     of
     */
    String create(ContainerPlan plan);

    /**
     * Reads what a created, not yet started container is going to write. Returns once attached.
     */
    ContainerLogStream attach(String name, LogSink sink);

    /** Reads all a container has written from its beginning, and what it still writes, until it ends. */
    ContainerLogStream readLog(String name, LogSink sink);

    /**
     * The first message that the engine still has of a container's output; empty where it has none. Another than the first
     * that we have means that the engine has cut its copy.
     */
    Optional<LogBegin> logBegins(String name);

    /** Reads the log as {@link #readLog(String, LogSink)} does, for what was written since, to the second. */
    ContainerLogStream readLogSince(String name, Instant since, LogSink sink);

    /**
     * Starts a created container; does nothing where it runs.
     *
     * @throws EngineException of kind BEGUN where it may have begun all the same: an engine that died at it may have
     *     started it before, or what starts programs for it has died at it
     */
    void start(String name);

    /**
     * TERM, grace, KILL; returns when no process of it is left, those that the engine has lost sight of included. Does
     * nothing where none runs, or no container is.
     */
    void stop(String name, Duration grace);

    /**
     * Sends a container's program a signal: the first process, which passes it on.
     *
     * @return whether it was sent; false where no program runs, or no container is
     */
    boolean signal(String name, Signal signal);

    /** Removes a container that does not run, and what it wrote into its own layer. */
    void remove(String name);

    /** The condition of a container, empty where there is none of that name. */
    Optional<Condition> inspect(String name);

    /** What a container uses, after a second or two; empty where none of that name runs. */
    Optional<ProcessUse> use(String name);

    /**
     * The owner of the container of this id, empty where the engine knows none; the id is that of its control group.
     */
    Optional<ContainerOwner> owner(String server, String containerId);

    /** All containers with the labels of one server, whatever their condition. */
    List<Found> list(String server);

    /** The names of all containers that run and bear this label, of whichever server, in alphabetical order. */
    List<String> running(String label, String value);

    /**
     * Tells of every container of the server that starts or ends from now on, until closed. Returns once it listens.
     */
    AutoCloseable watch(String server, ContainerListener listener);

    /**
     * Whether a program that has ended may have done so while no engine was there: what it wrote after the last one went was
     * read by nobody then. False where the engine's beginning is not known.
     */
    boolean mayHaveMissed(Condition.Exited end);

    /**
     * Whether a stream that ended then may have been broken off with the engine, or with the connection to it, rather than
     * ended with its program: the two look the same.
     */
    boolean mayHaveBroken(Instant ended);

    /** The outage of the engine, as far as it was noticed; empty while it answers. */
    Optional<EngineOutage> outage();

    @Override
    void close();

    /** Hears how a pull goes. */
    interface PullListener {
        /** The progress of a pull that the engine lets wait for other downloads, which may be anybody's. */
        String QUEUED = "waits for other downloads of the engine";

        /**
         * Called for each piece of news, and now and then in between.
         *
         * @param progress a few words for people
         * @return whether to go on
         */
        boolean progressed(String progress);
    }

    /** Hears of starts and exits; called on threads of the engine's. */
    interface ContainerListener {

        /** A container's program runs. */
        void started(Attempt attempt, Instant at);

        /** A container has stopped, by itself or because the engine was stopped and ended what ran in it. */
        void exited(Attempt attempt, Condition.Exited end);

        /** Hears that a container was removed under its program. */
        void removed(Attempt attempt);

        /** A program goes on, and what it writes is not heard any more. */
        void unheard(Found container);

        /** Tells that some news may have been missed: look for yourself. */
        void resumed();
    }
}
