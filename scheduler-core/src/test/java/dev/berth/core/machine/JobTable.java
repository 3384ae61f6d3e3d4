package dev.berth.core.machine;

import static dev.berth.core.machine.Expectation.Owed.ABANDON_IMAGE;
import static dev.berth.core.machine.Expectation.Owed.CREATE_CONTAINER;
import static dev.berth.core.machine.Expectation.Owed.FETCH_IMAGE;
import static dev.berth.core.machine.Expectation.Owed.RELEASE_CONTAINER;
import static dev.berth.core.machine.Expectation.Owed.SIGNAL_PROGRAM;
import static dev.berth.core.machine.Expectation.Owed.START_CONTAINER;
import static dev.berth.core.machine.Expectation.Owed.STOP_AT_LIMIT;
import static dev.berth.core.machine.Expectation.Owed.STOP_CONTAINER;
import static dev.berth.core.machine.Expectation.ends;
import static dev.berth.core.machine.Expectation.ignored;
import static dev.berth.core.machine.Expectation.impossible;
import static dev.berth.core.machine.Expectation.moves;
import static dev.berth.core.machine.Expectation.nextAttempt;
import static dev.berth.core.machine.News.ALLOCATED;
import static dev.berth.core.machine.News.BEGIN_REACHED;
import static dev.berth.core.machine.News.CANCEL_REQUESTED;
import static dev.berth.core.machine.News.CONTAINER_CREATED;
import static dev.berth.core.machine.News.CONTAINER_GONE;
import static dev.berth.core.machine.News.CONTAINER_STARTED;
import static dev.berth.core.machine.News.DEPENDENCIES_HANDED_OVER;
import static dev.berth.core.machine.News.DEPENDENCY_BROKEN;
import static dev.berth.core.machine.News.DEPENDENCY_MET;
import static dev.berth.core.machine.News.DEVICE_LOST;
import static dev.berth.core.machine.News.ENGINE_STOPPED;
import static dev.berth.core.machine.News.EXITED_BY_SIGNAL;
import static dev.berth.core.machine.News.EXITED_NONZERO;
import static dev.berth.core.machine.News.EXITED_OUT_OF_MEMORY;
import static dev.berth.core.machine.News.EXITED_TIMED;
import static dev.berth.core.machine.News.EXITED_ZERO;
import static dev.berth.core.machine.News.FOUND_TOO_LARGE;
import static dev.berth.core.machine.News.GPUS_CONFIRMED;
import static dev.berth.core.machine.News.GPUS_TAKEN;
import static dev.berth.core.machine.News.GPUS_WITHDRAWN;
import static dev.berth.core.machine.News.HOLD_REQUESTED;
import static dev.berth.core.machine.News.IDLE_TIMEOUT_REACHED;
import static dev.berth.core.machine.News.IMAGE_ARRIVED;
import static dev.berth.core.machine.News.IMAGE_REFUSED;
import static dev.berth.core.machine.News.IMAGE_VANISHED;
import static dev.berth.core.machine.News.LAUNCH_PUT_OFF;
import static dev.berth.core.machine.News.LAUNCH_REFUSED;
import static dev.berth.core.machine.News.MACHINE_REBOOTED;
import static dev.berth.core.machine.News.RELEASE_REQUESTED;
import static dev.berth.core.machine.News.SIGNAL_DUE;
import static dev.berth.core.machine.News.SIGNAL_SENT;
import static dev.berth.core.machine.News.START_LOST;
import static dev.berth.core.machine.News.TASKS_CANCELLED;
import static dev.berth.core.machine.News.TASKS_COMPLETED;
import static dev.berth.core.machine.News.TASKS_FAILED;
import static dev.berth.core.machine.News.TIME_LIMIT_REACHED;
import static dev.berth.core.machine.Situation.BROKEN;
import static dev.berth.core.machine.Situation.CANCELLING;
import static dev.berth.core.machine.Situation.CANCELLING_STARTED;
import static dev.berth.core.machine.Situation.CREATING;
import static dev.berth.core.machine.Situation.CREATING_LAST_TRY;
import static dev.berth.core.machine.Situation.DEFERRED;
import static dev.berth.core.machine.Situation.DEFERRED_DATE;
import static dev.berth.core.machine.Situation.DEFERRED_JOB;
import static dev.berth.core.machine.Situation.DEFERRED_LATER;
import static dev.berth.core.machine.Situation.DISPATCHED;
import static dev.berth.core.machine.Situation.DISPATCHED_CANCELLED;
import static dev.berth.core.machine.Situation.ENDED;
import static dev.berth.core.machine.Situation.HELD_BROKEN;
import static dev.berth.core.machine.Situation.HELD_DATE;
import static dev.berth.core.machine.Situation.HELD_DEFERRED;
import static dev.berth.core.machine.Situation.HELD_JOB;
import static dev.berth.core.machine.Situation.HELD_LATER;
import static dev.berth.core.machine.Situation.HELD_PENDING;
import static dev.berth.core.machine.Situation.HELD_READY;
import static dev.berth.core.machine.Situation.IDLING;
import static dev.berth.core.machine.Situation.LOSING_DEVICE;
import static dev.berth.core.machine.Situation.PENDING;
import static dev.berth.core.machine.Situation.READY;
import static dev.berth.core.machine.Situation.RUNNING;
import static dev.berth.core.machine.Situation.SIGNALLED;
import static dev.berth.core.machine.Situation.SIGNALLING;
import static dev.berth.core.machine.Situation.STARTED;
import static dev.berth.core.machine.Situation.STARTING;
import static dev.berth.core.machine.Situation.TIMING_OUT;
import static dev.berth.core.machine.Situation.UNDECIDED;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Limits;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Expectation.Ends;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What every situation answers to every event, written by hand: the law that {@link JobMachine} is held against. */
final class JobTable {
    /** When the event comes in. */
    static final Instant NOW = Situation.NOW;

    /** How long the job's program has where a limit ends it. */
    static final Duration GRACE = Duration.ofMinutes(2);

    private static final Limits LIMITS =
            new Limits(Duration.ofHours(1), null, new LimitSignal(Situation.SIGNAL, Duration.ofMinutes(5)), GRACE);

    private static final Set<Situation> HELD_ANY = Set.of(HELD_PENDING, HELD_READY);
    private static final Set<Situation> DEFERRED_ANY =
            Set.of(DEFERRED, DEFERRED_JOB, DEFERRED_DATE, DEFERRED_LATER, BROKEN);
    private static final Set<Situation> HELD_DEFERRED_ANY =
            Set.of(HELD_DEFERRED, HELD_JOB, HELD_DATE, HELD_LATER, HELD_BROKEN);
    private static final Set<Situation> WAITING_FOR_NO_JOB =
            Set.of(DEFERRED_DATE, DEFERRED_LATER, BROKEN, HELD_DATE, HELD_LATER, HELD_BROKEN);
    private static final Set<Situation> WAITING_FOR_NO_DATE_NOW = Set.of(DEFERRED_JOB, DEFERRED_LATER, BROKEN);
    private static final Set<Situation> WAITING_FOR_JOB = Set.of(DEFERRED, DEFERRED_JOB, HELD_DEFERRED, HELD_JOB);
    private static final Set<Situation> NOT_READY =
            Stream.concat(DEFERRED_ANY.stream(), HELD_DEFERRED_ANY.stream()).collect(Collectors.toUnmodifiableSet());
    private static final Set<Situation> CREATING_ANY = Set.of(UNDECIDED, CREATING, CREATING_LAST_TRY);
    private static final Set<Situation> RUNNING_ANY = Set.of(RUNNING, SIGNALLING, SIGNALLED);
    private static final Set<Situation> STOPPING_ANY =
            Set.of(CANCELLING, CANCELLING_STARTED, TIMING_OUT, IDLING, LOSING_DEVICE);
    private static final Set<Situation> STOPPING_FOR_GOOD = Set.of(CANCELLING, CANCELLING_STARTED, TIMING_OUT, IDLING);
    private static final Set<Situation> STOPPING_STARTED =
            Set.of(CANCELLING_STARTED, TIMING_OUT, IDLING, LOSING_DEVICE);

    private static final Set<Situation> DISPATCHED_ANY = Set.of(DISPATCHED, DISPATCHED_CANCELLED);
    private static final Set<Situation> NO_ARRAY = Arrays.stream(Situation.values())
            .filter(situation -> !DISPATCHED_ANY.contains(situation))
            .collect(Collectors.toUnmodifiableSet());

    /** One line of the table; it speaks for each of its situations. */
    record Line(Set<Situation> situations, News news, Expectation expectation) {}

    /** Those of jobs that are in no pack, but for what only packs are told. */
    private static final List<Line> OF_JOBS = List.of(
            on(PENDING, DEPENDENCY_MET, ignored("it does not wait for that")),
            on(PENDING, DEPENDENCY_BROKEN, ignored("it does not wait for that")),
            on(PENDING, BEGIN_REACHED, ignored("it does not wait for that")),
            on(PENDING, DEPENDENCIES_HANDED_OVER, ignored("it does not wait for that")),
            on(READY, DEPENDENCY_MET, ignored("it does not wait for that")),
            on(READY, DEPENDENCY_BROKEN, ignored("it does not wait for that")),
            on(READY, BEGIN_REACHED, ignored("it does not wait for that")),
            on(READY, DEPENDENCIES_HANDED_OVER, ignored("it does not wait for that")),
            on(HELD_ANY, DEPENDENCY_MET, ignored("it does not wait for that job")),
            on(HELD_ANY, DEPENDENCY_BROKEN, ignored("it does not wait for that job")),
            on(HELD_ANY, BEGIN_REACHED, ignored("it does not wait for that")),
            on(HELD_ANY, DEPENDENCIES_HANDED_OVER, ignored("it does not wait for that")),
            on(CREATING_ANY, DEPENDENCY_MET, ignored("it does not wait for that")),
            on(CREATING_ANY, DEPENDENCY_BROKEN, ignored("it does not wait for that")),
            on(CREATING_ANY, BEGIN_REACHED, ignored("it does not wait for that")),
            on(CREATING_ANY, DEPENDENCIES_HANDED_OVER, ignored("it does not wait for that")),
            on(STARTING, DEPENDENCY_MET, ignored("it does not wait for that")),
            on(STARTING, DEPENDENCY_BROKEN, ignored("it does not wait for that")),
            on(STARTING, BEGIN_REACHED, ignored("it does not wait for that")),
            on(STARTING, DEPENDENCIES_HANDED_OVER, ignored("it does not wait for that")),
            on(RUNNING_ANY, DEPENDENCY_MET, ignored("it does not wait for that")),
            on(RUNNING_ANY, DEPENDENCY_BROKEN, ignored("it does not wait for that")),
            on(RUNNING_ANY, BEGIN_REACHED, ignored("it does not wait for that")),
            on(RUNNING_ANY, DEPENDENCIES_HANDED_OVER, ignored("it does not wait for that")),
            on(STOPPING_ANY, DEPENDENCY_MET, ignored("it does not wait for that")),
            on(STOPPING_ANY, DEPENDENCY_BROKEN, ignored("it does not wait for that")),
            on(STOPPING_ANY, BEGIN_REACHED, ignored("it does not wait for that")),
            on(STOPPING_ANY, DEPENDENCIES_HANDED_OVER, ignored("it does not wait for that")),
            on(Situation.ended(), DEPENDENCY_MET, ignored("it does not wait for that")),
            on(Situation.ended(), DEPENDENCY_BROKEN, ignored("it does not wait for that")),
            on(Situation.ended(), BEGIN_REACHED, ignored("it does not wait for that")),
            on(Situation.ended(), DEPENDENCIES_HANDED_OVER, ignored("it does not wait for that")),
            //
            on(DEFERRED, DEPENDENCY_MET, moves(DEFERRED_DATE)),
            on(DEFERRED_JOB, DEPENDENCY_MET, moves(PENDING, FETCH_IMAGE)),
            on(WAITING_FOR_NO_JOB, DEPENDENCY_MET, ignored("it does not wait for that job")),
            on(HELD_DEFERRED, DEPENDENCY_MET, moves(HELD_DATE)),
            on(HELD_JOB, DEPENDENCY_MET, moves(HELD_PENDING)),
            on(WAITING_FOR_JOB, DEPENDENCY_BROKEN, dependencyFailed()),
            on(WAITING_FOR_NO_JOB, DEPENDENCY_BROKEN, ignored("it does not wait for that job")),
            on(DEFERRED_ANY, DEPENDENCIES_HANDED_OVER, ignored("it waits for something else, too")),
            on(DEFERRED, BEGIN_REACHED, moves(DEFERRED_JOB)),
            on(WAITING_FOR_NO_DATE_NOW, BEGIN_REACHED, ignored("it waits for no date that has come")),
            on(DEFERRED_DATE, BEGIN_REACHED, moves(PENDING, FETCH_IMAGE)),
            on(HELD_DEFERRED_ANY, BEGIN_REACHED, ignored("it does not wait for that")),
            on(HELD_DEFERRED_ANY, DEPENDENCIES_HANDED_OVER, ignored("it does not wait for that")),
            on(DEFERRED_ANY, IMAGE_ARRIVED, ignored("its image is looked for once it is ready")),
            on(DEFERRED_ANY, IMAGE_REFUSED, ignored("its image is looked for once it is ready")),
            on(HELD_DEFERRED_ANY, IMAGE_ARRIVED, ignored("its image is looked for at its release")),
            on(HELD_DEFERRED_ANY, IMAGE_REFUSED, ignored("its image is looked for at its release")),
            on(NOT_READY, ALLOCATED, impossible()),
            on(NOT_READY, FOUND_TOO_LARGE, impossible()),
            on(DEFERRED_ANY, CANCEL_REQUESTED, cancelledBeforeItStarted()),
            on(HELD_DEFERRED_ANY, CANCEL_REQUESTED, cancelledWhileHeld()),
            on(DEFERRED, HOLD_REQUESTED, moves(HELD_DEFERRED)),
            on(DEFERRED_JOB, HOLD_REQUESTED, moves(HELD_JOB)),
            on(DEFERRED_DATE, HOLD_REQUESTED, moves(HELD_DATE)),
            on(DEFERRED_LATER, HOLD_REQUESTED, moves(HELD_LATER)),
            on(BROKEN, HOLD_REQUESTED, moves(HELD_BROKEN)),
            on(HELD_DEFERRED_ANY, HOLD_REQUESTED, ignored("it is held already")),
            on(DEFERRED, RELEASE_REQUESTED, ignored("it is not held")),
            on(DEFERRED_JOB, RELEASE_REQUESTED, ignored("it is not held")),
            on(DEFERRED_DATE, RELEASE_REQUESTED, ignored("it is not held")),
            on(DEFERRED_LATER, RELEASE_REQUESTED, ignored("it is not held")),
            on(BROKEN, RELEASE_REQUESTED, moves(PENDING, FETCH_IMAGE)),
            on(HELD_DEFERRED, RELEASE_REQUESTED, moves(DEFERRED_JOB)),
            on(HELD_JOB, RELEASE_REQUESTED, moves(DEFERRED_JOB)),
            on(HELD_DATE, RELEASE_REQUESTED, moves(PENDING, FETCH_IMAGE)),
            on(HELD_LATER, RELEASE_REQUESTED, moves(DEFERRED_LATER)),
            on(HELD_BROKEN, RELEASE_REQUESTED, moves(BROKEN)),
            on(NOT_READY, CONTAINER_CREATED, ignored("no attempt has begun")),
            on(NOT_READY, GPUS_CONFIRMED, ignored("no attempt has begun")),
            on(NOT_READY, GPUS_TAKEN, ignored("no attempt has begun")),
            on(NOT_READY, CONTAINER_STARTED, ignored("no attempt has begun")),
            on(NOT_READY, EXITED_ZERO, ignored("no attempt has begun")),
            on(NOT_READY, EXITED_NONZERO, ignored("no attempt has begun")),
            on(NOT_READY, EXITED_BY_SIGNAL, ignored("no attempt has begun")),
            on(NOT_READY, EXITED_OUT_OF_MEMORY, ignored("no attempt has begun")),
            on(NOT_READY, EXITED_TIMED, ignored("no attempt has begun")),
            on(NOT_READY, START_LOST, ignored("no attempt has begun")),
            on(NOT_READY, CONTAINER_GONE, ignored("no attempt has begun")),
            on(NOT_READY, MACHINE_REBOOTED, ignored("no attempt has begun")),
            on(NOT_READY, ENGINE_STOPPED, ignored("no attempt has begun")),
            on(NOT_READY, DEVICE_LOST, ignored("no attempt has begun")),
            on(NOT_READY, IDLE_TIMEOUT_REACHED, ignored("no attempt has begun")),
            on(NOT_READY, LAUNCH_REFUSED, impossible()),
            on(NOT_READY, IMAGE_VANISHED, impossible()),
            on(NOT_READY, LAUNCH_PUT_OFF, impossible()),
            on(NOT_READY, GPUS_WITHDRAWN, impossible()),
            on(NOT_READY, TIME_LIMIT_REACHED, impossible()),
            on(NOT_READY, SIGNAL_DUE, impossible()),
            on(NOT_READY, SIGNAL_SENT, ignored("no attempt has begun")),
            //
            on(PENDING, IMAGE_ARRIVED, moves(READY)),
            on(PENDING, IMAGE_REFUSED, imageRefused()),
            on(PENDING, ALLOCATED, impossible("job 7 was given its turn before its image was here")),
            on(PENDING, FOUND_TOO_LARGE, tooLarge().owing(ABANDON_IMAGE)),
            on(PENDING, CANCEL_REQUESTED, cancelledBeforeItStarted().owing(ABANDON_IMAGE)),
            on(PENDING, HOLD_REQUESTED, moves(HELD_PENDING, ABANDON_IMAGE)),
            on(PENDING, RELEASE_REQUESTED, ignored("it is not held")),
            on(PENDING, CONTAINER_CREATED, ignored("no attempt has begun")),
            on(PENDING, GPUS_CONFIRMED, ignored("no attempt has begun")),
            on(PENDING, GPUS_TAKEN, ignored("no attempt has begun")),
            on(PENDING, CONTAINER_STARTED, ignored("no attempt has begun")),
            on(PENDING, LAUNCH_REFUSED, impossible()),
            on(PENDING, IMAGE_VANISHED, impossible()),
            on(PENDING, LAUNCH_PUT_OFF, impossible()),
            on(PENDING, GPUS_WITHDRAWN, impossible()),
            on(PENDING, EXITED_ZERO, ignored("no attempt has begun")),
            on(PENDING, EXITED_NONZERO, ignored("no attempt has begun")),
            on(PENDING, EXITED_BY_SIGNAL, ignored("no attempt has begun")),
            on(PENDING, EXITED_OUT_OF_MEMORY, ignored("no attempt has begun")),
            on(PENDING, EXITED_TIMED, ignored("no attempt has begun")),
            on(PENDING, START_LOST, ignored("no attempt has begun")),
            on(PENDING, CONTAINER_GONE, ignored("no attempt has begun")),
            on(PENDING, MACHINE_REBOOTED, ignored("no attempt has begun")),
            on(PENDING, ENGINE_STOPPED, ignored("no attempt has begun")),
            on(PENDING, DEVICE_LOST, ignored("no attempt has begun")),
            on(PENDING, IDLE_TIMEOUT_REACHED, ignored("no attempt has begun")),
            on(PENDING, TIME_LIMIT_REACHED, impossible()),
            on(PENDING, SIGNAL_DUE, impossible()),
            on(PENDING, SIGNAL_SENT, ignored("no attempt has begun")),
            //
            on(READY, IMAGE_ARRIVED, ignored("the image is known")),
            on(READY, IMAGE_REFUSED, ignored("the image was here")),
            on(READY, ALLOCATED, moves(UNDECIDED, CREATE_CONTAINER)),
            on(READY, FOUND_TOO_LARGE, tooLarge()),
            on(READY, CANCEL_REQUESTED, cancelledBeforeItStarted()),
            on(READY, HOLD_REQUESTED, moves(HELD_READY)),
            on(READY, RELEASE_REQUESTED, ignored("it is not held")),
            on(READY, CONTAINER_CREATED, ignored("no attempt has begun")),
            on(READY, GPUS_CONFIRMED, ignored("no attempt has begun")),
            on(READY, GPUS_TAKEN, ignored("no attempt has begun")),
            on(READY, CONTAINER_STARTED, ignored("no attempt has begun")),
            on(READY, LAUNCH_REFUSED, impossible()),
            on(READY, IMAGE_VANISHED, impossible()),
            on(READY, LAUNCH_PUT_OFF, impossible()),
            on(READY, GPUS_WITHDRAWN, impossible()),
            on(READY, EXITED_ZERO, ignored("no attempt has begun")),
            on(READY, EXITED_NONZERO, ignored("no attempt has begun")),
            on(READY, EXITED_BY_SIGNAL, ignored("no attempt has begun")),
            on(READY, EXITED_OUT_OF_MEMORY, ignored("no attempt has begun")),
            on(READY, EXITED_TIMED, ignored("no attempt has begun")),
            on(READY, START_LOST, ignored("no attempt has begun")),
            on(READY, CONTAINER_GONE, ignored("no attempt has begun")),
            on(READY, MACHINE_REBOOTED, ignored("no attempt has begun")),
            on(READY, ENGINE_STOPPED, ignored("no attempt has begun")),
            on(READY, DEVICE_LOST, ignored("no attempt has begun")),
            on(READY, IDLE_TIMEOUT_REACHED, ignored("no attempt has begun")),
            on(READY, TIME_LIMIT_REACHED, impossible()),
            on(READY, SIGNAL_DUE, impossible()),
            on(READY, SIGNAL_SENT, ignored("no attempt has begun")),
            //
            on(HELD_ANY, IMAGE_ARRIVED, ignored("its image is looked for at its release")),
            on(HELD_ANY, IMAGE_REFUSED, ignored("its image is looked for at its release")),
            on(HELD_ANY, ALLOCATED, impossible()),
            on(HELD_ANY, FOUND_TOO_LARGE, impossible()),
            on(HELD_ANY, CANCEL_REQUESTED, cancelledWhileHeld()),
            on(HELD_ANY, HOLD_REQUESTED, ignored("it is held already")),
            on(HELD_PENDING, RELEASE_REQUESTED, moves(PENDING, FETCH_IMAGE)),
            on(HELD_READY, RELEASE_REQUESTED, moves(READY)),
            on(HELD_ANY, CONTAINER_CREATED, ignored("no attempt has begun")),
            on(HELD_ANY, GPUS_CONFIRMED, ignored("no attempt has begun")),
            on(HELD_ANY, GPUS_TAKEN, ignored("no attempt has begun")),
            on(HELD_ANY, CONTAINER_STARTED, ignored("no attempt has begun")),
            on(HELD_ANY, LAUNCH_REFUSED, impossible()),
            on(HELD_ANY, IMAGE_VANISHED, impossible()),
            on(HELD_ANY, LAUNCH_PUT_OFF, impossible()),
            on(HELD_ANY, GPUS_WITHDRAWN, impossible()),
            on(HELD_ANY, EXITED_ZERO, ignored("no attempt has begun")),
            on(HELD_ANY, EXITED_NONZERO, ignored("no attempt has begun")),
            on(HELD_ANY, EXITED_BY_SIGNAL, ignored("no attempt has begun")),
            on(HELD_ANY, EXITED_OUT_OF_MEMORY, ignored("no attempt has begun")),
            on(HELD_ANY, EXITED_TIMED, ignored("no attempt has begun")),
            on(HELD_ANY, START_LOST, ignored("no attempt has begun")),
            on(HELD_ANY, CONTAINER_GONE, ignored("no attempt has begun")),
            on(HELD_ANY, MACHINE_REBOOTED, ignored("no attempt has begun")),
            on(HELD_ANY, ENGINE_STOPPED, ignored("no attempt has begun")),
            on(HELD_ANY, DEVICE_LOST, ignored("no attempt has begun")),
            on(HELD_ANY, IDLE_TIMEOUT_REACHED, ignored("no attempt has begun")),
            on(HELD_ANY, TIME_LIMIT_REACHED, impossible()),
            on(HELD_ANY, SIGNAL_DUE, impossible()),
            on(HELD_ANY, SIGNAL_SENT, ignored("no attempt has begun")),
            //
            on(CREATING_ANY, IMAGE_ARRIVED, ignored("the image is known")),
            on(CREATING_ANY, IMAGE_REFUSED, ignored("the image was here")),
            on(CREATING_ANY, ALLOCATED, impossible()),
            on(CREATING_ANY, FOUND_TOO_LARGE, impossible()),
            on(CREATING_ANY, HOLD_REQUESTED, ignored("it has left the queue")),
            on(CREATING_ANY, RELEASE_REQUESTED, ignored("it is not held")),
            on(CREATING_ANY, CANCEL_REQUESTED, moves(CANCELLING, STOP_CONTAINER)),
            on(CREATING_ANY, CONTAINER_CREATED, moves(STARTING, START_CONTAINER)),
            on(CREATING_ANY, GPUS_TAKEN, moves(READY)),
            on(CREATING_ANY, CONTAINER_STARTED, moves(RUNNING)),
            on(CREATING_ANY, LAUNCH_REFUSED, launchRefused()),
            on(UNDECIDED, GPUS_CONFIRMED, moves(CREATING)),
            on(CREATING, GPUS_CONFIRMED, ignored("its GPUs are its own already")),
            on(CREATING_LAST_TRY, GPUS_CONFIRMED, ignored("its GPUs are its own already")),
            on(UNDECIDED, IMAGE_VANISHED, nextAttempt(PENDING, RELEASE_CONTAINER, FETCH_IMAGE)),
            on(CREATING, IMAGE_VANISHED, nextAttempt(PENDING, RELEASE_CONTAINER, FETCH_IMAGE)),
            on(UNDECIDED, LAUNCH_PUT_OFF, nextAttempt(PENDING, RELEASE_CONTAINER, FETCH_IMAGE)),
            on(CREATING, LAUNCH_PUT_OFF, nextAttempt(PENDING, RELEASE_CONTAINER, FETCH_IMAGE)),
            on(CREATING_LAST_TRY, LAUNCH_PUT_OFF, putOffTooOften()),
            on(CREATING_ANY, GPUS_WITHDRAWN, nextAttempt(PENDING, RELEASE_CONTAINER, FETCH_IMAGE)),
            on(CREATING_LAST_TRY, IMAGE_VANISHED, imageVanishedTooOften()),
            on(CREATING_ANY, EXITED_ZERO, exitedZero().ran(ENDED, ENDED)),
            on(CREATING_ANY, EXITED_NONZERO, exitedThree().ran(ENDED, ENDED)),
            on(CREATING_ANY, EXITED_BY_SIGNAL, exitedBySignal().ran(ENDED, ENDED)),
            on(CREATING_ANY, EXITED_OUT_OF_MEMORY, outOfMemory().ran(ENDED, ENDED)),
            on(CREATING_ANY, EXITED_TIMED, exitedZero().ran(STARTED, ENDED)),
            on(CREATING_ANY, START_LOST, ignored("its container is not made yet")),
            on(CREATING_ANY, CONTAINER_GONE, ignored("its container is not made yet")),
            on(CREATING_ANY, MACHINE_REBOOTED, rebooted()),
            on(CREATING_ANY, ENGINE_STOPPED, endedWithEngine()),
            on(CREATING_ANY, DEVICE_LOST, ignored("the program does not run yet")),
            on(CREATING_ANY, IDLE_TIMEOUT_REACHED, ignored("the program does not run yet")),
            on(CREATING_ANY, TIME_LIMIT_REACHED, ignored("the program does not run yet")),
            on(CREATING_ANY, SIGNAL_DUE, ignored("the program does not run yet")),
            on(CREATING_ANY, SIGNAL_SENT, ignored("the program does not run yet")),
            //
            on(STARTING, IMAGE_ARRIVED, ignored("the image is known")),
            on(STARTING, IMAGE_REFUSED, ignored("the image was here")),
            on(STARTING, ALLOCATED, impossible()),
            on(STARTING, FOUND_TOO_LARGE, impossible()),
            on(STARTING, HOLD_REQUESTED, ignored("it has left the queue")),
            on(STARTING, RELEASE_REQUESTED, ignored("it is not held")),
            on(STARTING, CANCEL_REQUESTED, moves(CANCELLING, STOP_CONTAINER)),
            on(STARTING, CONTAINER_CREATED, ignored("its container is made")),
            on(STARTING, GPUS_CONFIRMED, ignored("its container is made")),
            on(STARTING, GPUS_TAKEN, ignored("its container is made")),
            on(STARTING, CONTAINER_STARTED, moves(RUNNING)),
            on(STARTING, LAUNCH_REFUSED, launchRefused()),
            on(STARTING, IMAGE_VANISHED, ignored("its container is made")),
            on(STARTING, LAUNCH_PUT_OFF, ignored("its container is made")),
            on(STARTING, GPUS_WITHDRAWN, ignored("its container is made")),
            on(STARTING, EXITED_ZERO, exitedZero().ran(ENDED, ENDED)),
            on(STARTING, EXITED_NONZERO, exitedThree().ran(ENDED, ENDED)),
            on(STARTING, EXITED_BY_SIGNAL, exitedBySignal().ran(ENDED, ENDED)),
            on(STARTING, EXITED_OUT_OF_MEMORY, outOfMemory().ran(ENDED, ENDED)),
            on(STARTING, EXITED_TIMED, exitedZero().ran(STARTED, ENDED)),
            on(STARTING, START_LOST, startLost()),
            on(STARTING, CONTAINER_GONE, lost()),
            on(STARTING, MACHINE_REBOOTED, rebooted()),
            on(STARTING, ENGINE_STOPPED, endedWithEngine()),
            on(STARTING, DEVICE_LOST, ignored("the program does not run yet")),
            on(STARTING, IDLE_TIMEOUT_REACHED, ignored("the program does not run yet")),
            on(STARTING, TIME_LIMIT_REACHED, ignored("the program does not run yet")),
            on(STARTING, SIGNAL_DUE, ignored("the program does not run yet")),
            on(STARTING, SIGNAL_SENT, ignored("the program does not run yet")),
            //
            on(RUNNING_ANY, IMAGE_ARRIVED, ignored("the image is known")),
            on(RUNNING_ANY, IMAGE_REFUSED, ignored("the image was here")),
            on(RUNNING_ANY, ALLOCATED, impossible()),
            on(RUNNING_ANY, FOUND_TOO_LARGE, impossible()),
            on(RUNNING_ANY, HOLD_REQUESTED, ignored("it has left the queue")),
            on(RUNNING_ANY, RELEASE_REQUESTED, ignored("it is not held")),
            on(RUNNING_ANY, CANCEL_REQUESTED, moves(CANCELLING_STARTED, STOP_CONTAINER)),
            on(RUNNING_ANY, CONTAINER_CREATED, ignored("it is known to run")),
            on(RUNNING_ANY, GPUS_CONFIRMED, ignored("it is known to run")),
            on(RUNNING_ANY, GPUS_TAKEN, ignored("it is known to run")),
            on(RUNNING_ANY, CONTAINER_STARTED, ignored("it is known to run")),
            on(RUNNING_ANY, LAUNCH_REFUSED, ignored("it is known to run")),
            on(RUNNING_ANY, IMAGE_VANISHED, ignored("it is known to run")),
            on(RUNNING_ANY, LAUNCH_PUT_OFF, ignored("it is known to run")),
            on(RUNNING_ANY, GPUS_WITHDRAWN, ignored("it is known to run")),
            on(RUNNING_ANY, EXITED_ZERO, exitedZero().ran(STARTED, ENDED)),
            on(RUNNING_ANY, EXITED_NONZERO, exitedThree().ran(STARTED, ENDED)),
            on(RUNNING_ANY, EXITED_BY_SIGNAL, exitedBySignal().ran(STARTED, ENDED)),
            on(RUNNING_ANY, EXITED_OUT_OF_MEMORY, outOfMemory().ran(STARTED, ENDED)),
            on(RUNNING_ANY, EXITED_TIMED, exitedZero().ran(STARTED, ENDED)),
            on(RUNNING_ANY, START_LOST, startLost().ran(STARTED, NOW)),
            on(RUNNING_ANY, CONTAINER_GONE, lost().ran(STARTED, NOW)),
            on(RUNNING_ANY, MACHINE_REBOOTED, rebooted().ran(STARTED, ENDED)),
            on(RUNNING_ANY, ENGINE_STOPPED, endedWithEngine().ran(STARTED, ENDED)),
            on(
                    RUNNING_ANY,
                    DEVICE_LOST,
                    ignored("it may not be started anew, and the program may go on without its GPUs")),
            on(RUNNING_ANY, IDLE_TIMEOUT_REACHED, moves(IDLING, STOP_AT_LIMIT)),
            on(RUNNING_ANY, TIME_LIMIT_REACHED, moves(TIMING_OUT, STOP_AT_LIMIT)),
            on(RUNNING, SIGNAL_DUE, moves(SIGNALLING, SIGNAL_PROGRAM)),
            on(SIGNALLING, SIGNAL_DUE, ignored("it has had its signal")),
            on(SIGNALLED, SIGNAL_DUE, ignored("it has had its signal")),
            on(RUNNING, SIGNAL_SENT, ignored("it is known to have had its signal")),
            on(SIGNALLING, SIGNAL_SENT, moves(SIGNALLED)),
            on(SIGNALLED, SIGNAL_SENT, ignored("it is known to have had its signal")),
            //
            on(STOPPING_ANY, IMAGE_ARRIVED, ignored("the image is known")),
            on(STOPPING_ANY, IMAGE_REFUSED, ignored("the image was here")),
            on(STOPPING_ANY, ALLOCATED, impossible()),
            on(STOPPING_ANY, FOUND_TOO_LARGE, impossible()),
            on(STOPPING_ANY, HOLD_REQUESTED, ignored("it has left the queue")),
            on(STOPPING_ANY, RELEASE_REQUESTED, ignored("it is not held")),
            on(STOPPING_FOR_GOOD, CANCEL_REQUESTED, ignored("it is being stopped already")),
            on(LOSING_DEVICE, CANCEL_REQUESTED, moves(CANCELLING_STARTED)),
            on(STOPPING_ANY, DEVICE_LOST, ignored("it is being stopped already")),
            on(STOPPING_ANY, IDLE_TIMEOUT_REACHED, ignored("it is being stopped already")),
            on(STOPPING_ANY, TIME_LIMIT_REACHED, ignored("it is being stopped already")),
            on(STOPPING_ANY, SIGNAL_DUE, ignored("it is being stopped already")),
            on(STOPPING_ANY, SIGNAL_SENT, ignored("it is being stopped already")),
            on(STOPPING_ANY, CONTAINER_CREATED, ignored("it is being stopped already")),
            on(STOPPING_ANY, GPUS_CONFIRMED, ignored("it is being stopped already")),
            on(STOPPING_ANY, GPUS_TAKEN, ignored("it is being stopped already")),
            on(CANCELLING, CONTAINER_STARTED, moves(CANCELLING_STARTED)),
            on(STOPPING_STARTED, CONTAINER_STARTED, ignored("it is known to have run")),
            on(CANCELLING, LAUNCH_REFUSED, cancelled()),
            on(STOPPING_STARTED, LAUNCH_REFUSED, ignored("it is known to have run")),
            on(CANCELLING, IMAGE_VANISHED, cancelled()),
            on(CANCELLING, LAUNCH_PUT_OFF, cancelled()),
            on(CANCELLING, GPUS_WITHDRAWN, cancelled()),
            on(STOPPING_STARTED, IMAGE_VANISHED, ignored("it is known to have run")),
            on(STOPPING_STARTED, LAUNCH_PUT_OFF, ignored("it is known to have run")),
            on(STOPPING_STARTED, GPUS_WITHDRAWN, ignored("it is known to have run")),
            //
            on(CANCELLING, EXITED_ZERO, cancelled().code(0).ran(null, ENDED)),
            on(CANCELLING, EXITED_NONZERO, cancelled().code(3).ran(null, ENDED)),
            on(CANCELLING, EXITED_BY_SIGNAL, cancelled().code(137).ran(null, ENDED)),
            on(CANCELLING, EXITED_OUT_OF_MEMORY, cancelled().code(137).ran(null, ENDED)),
            on(CANCELLING, EXITED_TIMED, cancelled().code(0).ran(STARTED, ENDED)),
            on(CANCELLING, START_LOST, cancelled()),
            on(CANCELLING, CONTAINER_GONE, cancelled()),
            on(CANCELLING, MACHINE_REBOOTED, cancelled().ran(null, ENDED)),
            on(CANCELLING, ENGINE_STOPPED, cancelled().code(143).ran(null, ENDED)),
            //
            on(CANCELLING_STARTED, EXITED_ZERO, cancelled().code(0).ran(STARTED, ENDED)),
            on(CANCELLING_STARTED, EXITED_NONZERO, cancelled().code(3).ran(STARTED, ENDED)),
            on(CANCELLING_STARTED, EXITED_BY_SIGNAL, cancelled().code(137).ran(STARTED, ENDED)),
            on(CANCELLING_STARTED, EXITED_OUT_OF_MEMORY, cancelled().code(137).ran(STARTED, ENDED)),
            on(CANCELLING_STARTED, EXITED_TIMED, cancelled().code(0).ran(STARTED, ENDED)),
            on(CANCELLING_STARTED, START_LOST, cancelled().ran(STARTED, NOW)),
            on(CANCELLING_STARTED, CONTAINER_GONE, cancelled().ran(STARTED, NOW)),
            on(CANCELLING_STARTED, MACHINE_REBOOTED, cancelled().ran(STARTED, ENDED)),
            on(CANCELLING_STARTED, ENGINE_STOPPED, cancelled().code(143).ran(STARTED, ENDED)),
            //
            on(TIMING_OUT, EXITED_ZERO, timedOut().code(0).ran(STARTED, ENDED)),
            on(TIMING_OUT, EXITED_NONZERO, timedOut().code(3).ran(STARTED, ENDED)),
            on(TIMING_OUT, EXITED_BY_SIGNAL, timedOut().code(137).ran(STARTED, ENDED)),
            on(TIMING_OUT, EXITED_OUT_OF_MEMORY, timedOut().code(137).ran(STARTED, ENDED)),
            on(TIMING_OUT, EXITED_TIMED, timedOut().code(0).ran(STARTED, ENDED)),
            on(TIMING_OUT, START_LOST, startLost().ran(STARTED, NOW)),
            on(TIMING_OUT, CONTAINER_GONE, timedOut().ran(STARTED, NOW)),
            on(TIMING_OUT, MACHINE_REBOOTED, timedOut().ran(STARTED, ENDED)),
            on(TIMING_OUT, ENGINE_STOPPED, timedOut().code(143).ran(STARTED, ENDED)),
            on(IDLING, EXITED_ZERO, idle().code(0).ran(STARTED, ENDED)),
            on(IDLING, EXITED_NONZERO, idle().code(3).ran(STARTED, ENDED)),
            on(IDLING, EXITED_BY_SIGNAL, idle().code(137).ran(STARTED, ENDED)),
            on(IDLING, EXITED_OUT_OF_MEMORY, idle().code(137).ran(STARTED, ENDED)),
            on(IDLING, EXITED_TIMED, idle().code(0).ran(STARTED, ENDED)),
            on(IDLING, START_LOST, startLost().ran(STARTED, NOW)),
            on(IDLING, CONTAINER_GONE, idle().ran(STARTED, NOW)),
            on(IDLING, MACHINE_REBOOTED, idle().ran(STARTED, ENDED)),
            on(IDLING, ENGINE_STOPPED, idle().code(143).ran(STARTED, ENDED)),
            on(LOSING_DEVICE, EXITED_ZERO, deviceLost().code(0).ran(STARTED, ENDED)),
            on(LOSING_DEVICE, EXITED_NONZERO, deviceLost().code(3).ran(STARTED, ENDED)),
            on(LOSING_DEVICE, EXITED_BY_SIGNAL, deviceLost().code(137).ran(STARTED, ENDED)),
            on(LOSING_DEVICE, EXITED_OUT_OF_MEMORY, deviceLost().code(137).ran(STARTED, ENDED)),
            on(LOSING_DEVICE, EXITED_TIMED, deviceLost().code(0).ran(STARTED, ENDED)),
            on(LOSING_DEVICE, START_LOST, deviceLost().ran(STARTED, NOW)),
            on(LOSING_DEVICE, CONTAINER_GONE, deviceLost().ran(STARTED, NOW)),
            on(LOSING_DEVICE, MACHINE_REBOOTED, deviceLost().ran(STARTED, ENDED)),
            on(LOSING_DEVICE, ENGINE_STOPPED, deviceLost().code(143).ran(STARTED, ENDED)),
            //
            on(Situation.ended(), IMAGE_ARRIVED, ignored("the job has ended")),
            on(Situation.ended(), IMAGE_REFUSED, ignored("the job has ended")),
            on(Situation.ended(), ALLOCATED, impossible()),
            on(Situation.ended(), FOUND_TOO_LARGE, impossible()),
            on(Situation.ended(), CANCEL_REQUESTED, ignored("the job has ended")),
            on(Situation.ended(), HOLD_REQUESTED, ignored("the job has ended")),
            on(Situation.ended(), RELEASE_REQUESTED, ignored("the job has ended")),
            on(Situation.ended(), CONTAINER_CREATED, ignored("the job has ended")),
            on(Situation.ended(), GPUS_CONFIRMED, ignored("the job has ended")),
            on(Situation.ended(), GPUS_TAKEN, ignored("the job has ended")),
            on(Situation.ended(), CONTAINER_STARTED, ignored("the job has ended")),
            on(Situation.ended(), LAUNCH_REFUSED, ignored("the job has ended")),
            on(Situation.ended(), IMAGE_VANISHED, ignored("the job has ended")),
            on(Situation.ended(), LAUNCH_PUT_OFF, ignored("the job has ended")),
            on(Situation.ended(), GPUS_WITHDRAWN, ignored("the job has ended")),
            on(Situation.ended(), EXITED_ZERO, ignored("the job has ended")),
            on(Situation.ended(), EXITED_NONZERO, ignored("the job has ended")),
            on(Situation.ended(), EXITED_BY_SIGNAL, ignored("the job has ended")),
            on(Situation.ended(), EXITED_OUT_OF_MEMORY, ignored("the job has ended")),
            on(Situation.ended(), EXITED_TIMED, ignored("the job has ended")),
            on(Situation.ended(), START_LOST, ignored("the job has ended")),
            on(Situation.ended(), CONTAINER_GONE, ignored("the job has ended")),
            on(Situation.ended(), MACHINE_REBOOTED, ignored("the job has ended")),
            on(Situation.ended(), ENGINE_STOPPED, ignored("the job has ended")),
            on(Situation.ended(), DEVICE_LOST, ignored("the job has ended")),
            on(Situation.ended(), IDLE_TIMEOUT_REACHED, ignored("the job has ended")),
            on(Situation.ended(), TIME_LIMIT_REACHED, ignored("the job has ended")),
            on(Situation.ended(), SIGNAL_DUE, ignored("the job has ended")),
            on(Situation.ended(), SIGNAL_SENT, ignored("the job has ended")),
            //
            on(NO_ARRAY, TASKS_COMPLETED, impossible()),
            on(NO_ARRAY, TASKS_CANCELLED, impossible()),
            on(NO_ARRAY, TASKS_FAILED, impossible()),
            on(DISPATCHED, TASKS_COMPLETED, tasksCompleted()),
            on(DISPATCHED, TASKS_CANCELLED, tasksCancelled()),
            on(DISPATCHED, TASKS_FAILED, tasksFailed()),
            on(DISPATCHED_CANCELLED, TASKS_COMPLETED, restCancelled()),
            on(DISPATCHED_CANCELLED, TASKS_CANCELLED, restCancelled()),
            on(DISPATCHED_CANCELLED, TASKS_FAILED, restCancelled()),
            on(DISPATCHED, CANCEL_REQUESTED, moves(DISPATCHED_CANCELLED)),
            on(DISPATCHED_CANCELLED, CANCEL_REQUESTED, ignored("it is being stopped already")),
            on(DISPATCHED_ANY, HOLD_REQUESTED, ignored("all its tasks have had their turn")),
            on(DISPATCHED_ANY, RELEASE_REQUESTED, ignored("it is not held")),
            on(DISPATCHED_ANY, DEPENDENCY_MET, ignored("it does not wait for that")),
            on(DISPATCHED_ANY, DEPENDENCY_BROKEN, ignored("it does not wait for that")),
            on(DISPATCHED_ANY, BEGIN_REACHED, ignored("it does not wait for that")),
            on(DISPATCHED_ANY, DEPENDENCIES_HANDED_OVER, ignored("it does not wait for that")),
            on(DISPATCHED_ANY, IMAGE_ARRIVED, ignored("its tasks have it")),
            on(DISPATCHED_ANY, IMAGE_REFUSED, ignored("its tasks have it")),
            on(DISPATCHED_ANY, ALLOCATED, impossible()),
            on(DISPATCHED_ANY, FOUND_TOO_LARGE, impossible()),
            on(DISPATCHED_ANY, CONTAINER_CREATED, ignored("its tasks have it")),
            on(DISPATCHED_ANY, GPUS_CONFIRMED, ignored("its tasks have it")),
            on(DISPATCHED_ANY, GPUS_TAKEN, ignored("its tasks have it")),
            on(DISPATCHED_ANY, CONTAINER_STARTED, ignored("its tasks have it")),
            on(DISPATCHED_ANY, LAUNCH_REFUSED, ignored("its tasks have it")),
            on(DISPATCHED_ANY, IMAGE_VANISHED, ignored("its tasks have it")),
            on(DISPATCHED_ANY, LAUNCH_PUT_OFF, ignored("its tasks have it")),
            on(DISPATCHED_ANY, GPUS_WITHDRAWN, ignored("its tasks have it")),
            on(DISPATCHED_ANY, EXITED_ZERO, ignored("its tasks have it")),
            on(DISPATCHED_ANY, EXITED_NONZERO, ignored("its tasks have it")),
            on(DISPATCHED_ANY, EXITED_BY_SIGNAL, ignored("its tasks have it")),
            on(DISPATCHED_ANY, EXITED_OUT_OF_MEMORY, ignored("its tasks have it")),
            on(DISPATCHED_ANY, EXITED_TIMED, ignored("its tasks have it")),
            on(DISPATCHED_ANY, START_LOST, ignored("its tasks have it")),
            on(DISPATCHED_ANY, CONTAINER_GONE, ignored("its tasks have it")),
            on(DISPATCHED_ANY, MACHINE_REBOOTED, ignored("its tasks have it")),
            on(DISPATCHED_ANY, ENGINE_STOPPED, ignored("its tasks have it")),
            on(DISPATCHED_ANY, DEVICE_LOST, ignored("its tasks have it")),
            on(DISPATCHED_ANY, IDLE_TIMEOUT_REACHED, ignored("its tasks have it")),
            on(DISPATCHED_ANY, TIME_LIMIT_REACHED, ignored("its tasks have it")),
            on(DISPATCHED_ANY, SIGNAL_DUE, ignored("its tasks have it")),
            on(DISPATCHED_ANY, SIGNAL_SENT, ignored("its tasks have it")));

    static final List<Line> LINES = Stream.of(OF_JOBS, PackTable.lines(), TargetTable.lines())
            .flatMap(List::stream)
            .toList();

    private JobTable() {}

    /** The table's job in that situation: number 7, two GPUs, one hour with a signal five minutes before. */
    static Job job(Situation situation) {
        JobSpec spec = TestJobs.spec(2, LIMITS);
        return TestJobs.job(7, situation.isAtTarget() ? TestJobs.at("cluster", spec) : spec, situation.state());
    }

    static List<Line> lines(Situation situation, News news) {
        return LINES.stream()
                .filter(line -> line.situations.contains(situation) && line.news == news)
                .toList();
    }

    private static Line on(Situation situation, News news, Expectation expectation) {
        return new Line(Set.of(situation), news, expectation);
    }

    private static Line on(Set<Situation> situations, News news, Expectation expectation) {
        return new Line(situations, news, expectation);
    }

    private static Ends imageRefused() {
        return ends(StateName.FAILED, OutcomeReason.IMAGE_UNAVAILABLE, "no such image")
                .unbegun();
    }

    private static Ends imageVanishedTooOften() {
        return ends(
                        StateName.FAILED,
                        OutcomeReason.IMAGE_UNAVAILABLE,
                        "image python:3.13 was removed from this machine before its start in attempt 10, its last;"
                                + " keep the image and submit again")
                .owing(RELEASE_CONTAINER);
    }

    private static Ends putOffTooOften() {
        return ends(
                        StateName.FAILED,
                        OutcomeReason.START_FAILED,
                        "in attempt 10, its last, no container was started: its disk is full")
                .owing(RELEASE_CONTAINER);
    }

    private static Ends dependencyFailed() {
        return ends(
                        StateName.FAILED,
                        OutcomeReason.DEPENDENCY_FAILED,
                        "job 5 has ended FAILED, so that afterok:5 cannot be met; berth resubmit 7 queues it anew,"
                                + " waiting for nothing")
                .unbegun();
    }

    private static Ends tasksCompleted() {
        return ends(StateName.COMPLETED, OutcomeReason.EXITED, "all its 3 tasks have COMPLETED")
                .code(0);
    }

    private static Ends tasksCancelled() {
        return ends(
                StateName.CANCELLED,
                OutcomeReason.CANCELLED_BY_USER,
                "2 of its 3 tasks COMPLETED, 1 CANCELLED; berth ps --tasks 7 shows them");
    }

    private static Ends tasksFailed() {
        return ends(
                StateName.FAILED,
                OutcomeReason.TASKS_FAILED,
                "1 of its 3 tasks COMPLETED, 1 FAILED, 1 LOST; berth ps --tasks 7 shows them");
    }

    private static Ends restCancelled() {
        return ends(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, "cancelled by grace");
    }

    private static Ends tooLarge() {
        return ends(StateName.FAILED, OutcomeReason.NEVER_FITS, "it asks for too much")
                .unbegun();
    }

    private static Ends cancelledBeforeItStarted() {
        return ends(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, "cancelled by grace before it started")
                .unbegun();
    }

    private static Ends cancelledWhileHeld() {
        return ends(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, "cancelled by grace while it was held")
                .unbegun();
    }

    static Ends launchRefused() {
        return ends(StateName.FAILED, OutcomeReason.START_FAILED, "no such device")
                .owing(RELEASE_CONTAINER);
    }

    static Ends exitedZero() {
        return ends(StateName.COMPLETED, OutcomeReason.EXITED, "the program ended with exit code 0")
                .code(0)
                .owing(RELEASE_CONTAINER);
    }

    static Ends exitedThree() {
        return ends(StateName.FAILED, OutcomeReason.EXITED_NONZERO, "the program ended with exit code 3")
                .code(3)
                .owing(RELEASE_CONTAINER);
    }

    static Ends exitedBySignal() {
        return ends(StateName.FAILED, OutcomeReason.EXITED_NONZERO, "the program ended with exit code 137 (SIGKILL)")
                .code(137)
                .owing(RELEASE_CONTAINER);
    }

    static Ends outOfMemory() {
        return ends(
                        StateName.OUT_OF_MEMORY,
                        OutcomeReason.OUT_OF_MEMORY,
                        "the kernel ended the program because it used more memory than it may")
                .code(137)
                .owing(RELEASE_CONTAINER);
    }

    private static Ends lost() {
        return ends(
                        StateName.LOST,
                        OutcomeReason.CONTAINER_LOST,
                        "its container is gone, so nobody knows how the program ended: somebody removed it, or Berth"
                                + " itself did, as it gave up a broken start or before its database was restored from a"
                                + " backup")
                .owing(RELEASE_CONTAINER);
    }

    static Ends rebooted() {
        return ends(
                        StateName.LOST,
                        OutcomeReason.MACHINE_REBOOTED,
                        "the machine was restarted while it ran; berth resubmit 7 starts it anew, and submit --requeue"
                                + " lets Berth do that by itself")
                .ran(null, ENDED)
                .owing(RELEASE_CONTAINER);
    }

    static Ends startLost() {
        return ends(
                        StateName.LOST,
                        OutcomeReason.ENGINE_STOPPED,
                        "the container engine, a part of it or the connection to it ended while it was to start the"
                                + " program, so nobody knows whether it ran; berth resubmit 7 starts it anew, and submit"
                                + " --requeue lets Berth do that by itself")
                .owing(RELEASE_CONTAINER);
    }

    static Ends endedWithEngine() {
        return ends(
                        StateName.LOST,
                        OutcomeReason.ENGINE_STOPPED,
                        "the container engine was stopped while it ran, and ended its program (exit code 143); berth"
                                + " resubmit 7 starts it anew, and submit --requeue lets Berth do that by itself")
                .ran(null, ENDED)
                .owing(RELEASE_CONTAINER);
    }

    static Ends cancelled() {
        return ends(StateName.CANCELLED, OutcomeReason.CANCELLED_BY_USER, "cancelled by grace")
                .owing(RELEASE_CONTAINER);
    }

    static Ends idle() {
        return ends(StateName.TIMEOUT, OutcomeReason.IDLE_TIMEOUT, "stopped: " + Situation.IDLE_SENTENCE)
                .owing(RELEASE_CONTAINER);
    }

    static Ends deviceLost() {
        return ends(StateName.LOST, OutcomeReason.DEVICE_LOST, Situation.LOST_SENTENCE)
                .owing(RELEASE_CONTAINER);
    }

    static Ends timedOut() {
        return ends(StateName.TIMEOUT, OutcomeReason.TIME_LIMIT, "stopped at its time limit of 1h")
                .owing(RELEASE_CONTAINER);
    }
}
