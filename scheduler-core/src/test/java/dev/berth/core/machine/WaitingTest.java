package dev.berth.core.machine;

import static dev.berth.core.machine.QueueReason.AT_HEAD_WAITING_FOR_GPUS;
import static dev.berth.core.machine.QueueReason.BEHIND_HEAD;
import static dev.berth.core.machine.QueueReason.BEHIND_START;
import static dev.berth.core.machine.QueueReason.PULLING_IMAGE;
import static dev.berth.core.machine.QueueReason.SERVER_STOPPING;
import static dev.berth.core.machine.QueueReason.TARGET_FULL;
import static dev.berth.core.machine.QueueReason.WAITING_FOR_WORKER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Retry;
import dev.berth.core.job.RetryCauses;
import dev.berth.core.job.RetryDelay;
import dev.berth.core.job.Unmet;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WaitingTest {

    /** One sentence, word for word. */
    record Golden(
            String about,
            Machine machine,
            Job job,
            int ahead,
            Optional<String> pull,
            QueueReason reason,
            String sentence) {
        Golden pulled(String progress) {
            return new Golden(about, machine, job, ahead, Optional.of(progress), reason, sentence);
        }

        Golden is(QueueReason why, String words) {
            return new Golden(about, machine, job, ahead, pull, why, words);
        }

        @Override
        public String toString() {
            return about;
        }
    }

    static Stream<Golden> sentences() {
        Machine twoOfFourFree = machine(
                Capacities.gpus(4),
                live(TestJobs.running(1, 0, 1)),
                TestJobs.queued(2, 3),
                TestJobs.queued(3),
                TestJobs.queued(4));
        Machine full = machine(
                Capacities.of(7, 9, 0),
                live(
                        TestJobs.running(1, 0),
                        TestJobs.starting(2, 1),
                        TestJobs.stopping(3, 2),
                        TestJobs.running(4),
                        TestJobs.running(5, 3, 4),
                        TestJobs.running(6, 5),
                        TestJobs.running(7, 6)),
                TestJobs.queued(8));
        Machine oneWorker =
                machine(Capacities.gpus(1), live(TestJobs.running(1, 0)), TestJobs.queued(2), TestJobs.queued(3));
        Machine threeWorkers = machine(
                Capacities.of(8, 3, 0),
                live(TestJobs.running(1, 0), TestJobs.running(2), TestJobs.starting(3, 1, 2)),
                TestJobs.queued(4));
        Machine cpuLane = machine(
                Capacities.of(2, 2, 1),
                live(TestJobs.running(1, 0, 1), TestJobs.running(2)),
                TestJobs.queued(3, 0),
                TestJobs.queued(4, 0));
        Machine pulling = machine(Capacities.gpus(2), live(), TestJobs.pending(1, 1), TestJobs.queued(2));
        Machine undecided = machine(Capacities.gpus(3), live(TestJobs.creating(1, 0)), TestJobs.queued(2));
        Machine oneByOne = machine(
                Capacities.ordered(3, new QueueRules(false, true, false)),
                live(TestJobs.starting(1)),
                TestJobs.queued(2));
        Machine passing = machine(
                Capacities.ordered(2, new QueueRules(true, false, false)),
                live(TestJobs.running(9, 0)),
                TestJobs.pending(10, 1),
                TestJobs.queued(11, 2),
                TestJobs.queued(12));
        Machine target = machine(
                Capacities.targets(Capacities.gpus(0), Map.of("cluster", 2, "single", 1)),
                live(atTarget(1, "cluster"), atTarget(2, "cluster"), atTarget(3, "single")),
                forTarget(4, "cluster"));
        return Stream.of(
                golden("the target has as many as it may", target, forTarget(4, "cluster"), 0)
                        .is(
                                TARGET_FULL,
                                "cluster has 2 jobs of this server, as many as it may; it goes there once one of them"
                                        + " has ended"),
                golden("the target has the one that it may", target, forTarget(5, "single"), 1)
                        .is(
                                TARGET_FULL,
                                "single has one job of this server, as many as it may; it goes there once that has"
                                        + " ended"),
                golden("the head waits for GPUs", twoOfFourFree, TestJobs.queued(2, 3), 0)
                        .is(AT_HEAD_WAITING_FOR_GPUS, "first in the queue; waits for 3 GPUs: 2 of 4 free, job 1 has 2"),
                golden("the next after it", twoOfFourFree, TestJobs.queued(3), 1)
                        .is(
                                BEHIND_HEAD,
                                "one job is ahead of it; job 2 is first and waits for 3 GPUs: 2 of 4 free, job 1 has"
                                        + " 2"),
                golden("the one after that", twoOfFourFree, TestJobs.queued(4), 2)
                        .is(
                                BEHIND_HEAD,
                                "2 jobs are ahead of it; job 2 is first and waits for 3 GPUs: 2 of 4 free, job 1 has"
                                        + " 2"),
                golden("many hold GPUs", full, TestJobs.queued(8), 0)
                        .is(
                                AT_HEAD_WAITING_FOR_GPUS,
                                "first in the queue; waits for 1 GPU: 0 of 7 free, job 1 has 1, job 2 has 1, job 3 has"
                                        + " 1, job 5 has 2 and 2 more"),
                golden("the only worker is busy", oneWorker, TestJobs.queued(2), 0)
                        .is(WAITING_FOR_WORKER, "first in the queue; waits for a worker: the only one has job 1"),
                golden("all workers are busy", threeWorkers, TestJobs.queued(4), 0)
                        .is(
                                WAITING_FOR_WORKER,
                                "first in the queue; waits for a worker: all 3 have jobs, job 1, job 2, job 3"),
                golden("the CPU lane has its own head and its own workers", cpuLane, TestJobs.queued(3, 0), 0)
                        .is(WAITING_FOR_WORKER, "first in the queue; waits for a worker: the only one has job 2"),
                golden("behind the head of the CPU lane", cpuLane, TestJobs.queued(4, 0), 1)
                        .is(
                                BEHIND_HEAD,
                                "one job is ahead of it; job 3 is first and waits for a worker: the only one has job"
                                        + " 2"),
                golden("another's GPUs are being looked at", undecided, TestJobs.queued(2), 0)
                        .is(
                                BEHIND_START,
                                "first in the queue; waits until job 1, which had its turn before it, is known to get"
                                        + " its GPUs"),
                golden("jobs start one by one", oneByOne, TestJobs.queued(2), 0)
                        .is(
                                BEHIND_START,
                                "first in the queue; waits until job 1, which had its turn before it, has started: jobs"
                                        + " start one by one here (queue.start-one-by-one)"),
                golden("the first lets others by", passing, TestJobs.pending(10, 1), 0)
                        .is(PULLING_IMAGE, "first in the queue; its image python:3.13 is being looked for"),
                golden("another that lets others by", passing, TestJobs.pending(13, 1), 3)
                        .is(PULLING_IMAGE, "its image python:3.13 is being looked for"),
                golden("the first that is let by", passing, TestJobs.queued(11, 2), 1)
                        .is(
                                AT_HEAD_WAITING_FOR_GPUS,
                                "first of those whose image is here; waits for 2 GPUs: 1 of 2 free, job 9 has 1"),
                golden("behind the first that is let by", passing, TestJobs.queued(12), 2)
                        .is(
                                BEHIND_HEAD,
                                "2 jobs are ahead of it; job 11 is first and waits for 2 GPUs: 1 of 2 free, job 9"
                                        + " has 1"),
                golden("the image is on its way", pulling, TestJobs.pending(1, 1), 0)
                        .is(PULLING_IMAGE, "first in the queue; its image python:3.13 is being looked for"),
                golden("the image is half here", pulling, TestJobs.pending(1, 1), 0)
                        .pulled("210 of 420 MB")
                        .is(PULLING_IMAGE, "first in the queue; waits for image python:3.13: 210 of 420 MB"),
                golden("behind a head whose image is half here", pulling, TestJobs.queued(2), 1)
                        .pulled("210 of 420 MB")
                        .is(BEHIND_HEAD, "one job is ahead of it; job 1 is first and waits for its image"),
                golden("the queue is not read yet", machine(Capacities.gpus(1), live()), TestJobs.queued(9), 8)
                        .is(BEHIND_HEAD, "8 jobs are ahead of it"),
                golden("nothing is in its way", machine(Capacities.gpus(0), live()), TestJobs.queued(1, 0), 0)
                        .is(WAITING_FOR_WORKER, "first in the queue; starts now"),
                golden(
                                "somebody paused the server",
                                twoOfFourFree.with(new Starts.Paused("root", TestJobs.STARTED)),
                                TestJobs.queued(2, 3),
                                0)
                        .is(
                                QueueReason.SERVER_PAUSED,
                                "the server was paused by root and starts nothing new until berth server resume; it"
                                        + " keeps its place"),
                golden(
                                "nothing is started any more",
                                twoOfFourFree.with(new Starts.Stopping()),
                                TestJobs.queued(2, 3),
                                0)
                        .is(SERVER_STOPPING, "the server is stopping and starts nothing new; it keeps its place"));
    }

    /** What may be the matter with GPUs, cores and memory. */
    static Stream<Golden> shortages() {
        Machine two = machine(Capacities.gpus(2), live(), TestJobs.queued(1, 2));
        Drain drain = new Drain("grace", "loud fan", TestJobs.STARTED);
        Obstacle stranger = new Obstacle.Foreign("process 4711 (python of bob) is on it with 812 MiB");
        Machine foreign = two.with(two.gpus().with(new TreeMap<>(Map.of(TestJobs.gpu(1), stranger)), null));
        Machine drained = foreign.with(foreign.gpus().with(TestJobs.gpu(0), drain));
        Machine locked =
                two.with(two.gpus().with(new TreeMap<>(), "process 4711 (python of bob) holds safe-gpu's lock"));
        Capacity small = Capacities.booked(1, 2, 8L << 30);
        Machine cores =
                machine(small, live(TestJobs.booked(1, new Allocation(List.of(), List.of(0)), 1_000, 6L << 30)));
        Machine smaller = machine(
                Capacities.booked(1, 1, 8L << 30),
                live(TestJobs.booked(1, new Allocation(List.of(), List.of(0, 1)), 2_000, 9L << 30)));
        Job one = TestJobs.booking(2, 1_000, null);
        Job many = TestJobs.booking(2, 2_000, null);
        Job little = TestJobs.booking(2, null, 1L << 30);
        Job much = TestJobs.booking(2, null, 4L << 30);
        return Stream.of(
                golden("a stranger is on a GPU", foreign, TestJobs.queued(1, 2), 0)
                        .is(
                                QueueReason.GPU_BUSY_FOREIGN,
                                "first in the queue; waits for 2 GPUs: 1 of 2 free; GPU 1: process 4711 (python of"
                                        + " bob) is on it with 812 MiB"),
                golden("a GPU is drained", drained, TestJobs.queued(1, 2), 0)
                        .is(
                                QueueReason.GPU_DRAINED,
                                "first in the queue; waits for 2 GPUs: 0 of 2 free; GPU 1: process 4711 (python of"
                                        + " bob) is on it with 812 MiB, GPU 0 is drained by grace: loud fan"),
                golden("somebody else chooses", locked, TestJobs.queued(1, 2), 0)
                        .is(
                                QueueReason.GPU_LOCK_HELD,
                                "first in the queue; waits to choose its GPUs: process 4711 (python of bob) holds"
                                        + " safe-gpu's lock"),
                golden("the cores are not free", cores.with(many), many, 0)
                        .is(
                                QueueReason.WAITING_FOR_CPUS,
                                "first in the queue; waits for 2 cores of its own: 1 of 2 free, job 1 has 1"),
                golden("a smaller machine than before", smaller.with(one), one, 0)
                        .is(
                                QueueReason.WAITING_FOR_CPUS,
                                "first in the queue; waits for a core of its own: 0 of 1 free, job 1 has 2"),
                golden("less memory than before", smaller.with(little), little, 0)
                        .is(
                                QueueReason.WAITING_FOR_MEMORY,
                                "first in the queue; waits for 1024 MiB of memory: 0 MiB of 8192 MiB free, job 1 has"
                                        + " 9216 MiB"),
                golden("the memory is not free", cores.with(much), much, 0)
                        .is(
                                QueueReason.WAITING_FOR_MEMORY,
                                "first in the queue; waits for 4096 MiB of memory: 2048 MiB of 8192 MiB free, job 1"
                                        + " has 6144 MiB"));
    }

    @ParameterizedTest
    @MethodSource({"sentences", "shortages"})
    void theSentenceSaysWhatAJobWaitsFor(Golden golden) {
        assertThat(Waiting.of(golden.machine, golden.job, golden.ahead, golden.pull))
                .isEqualTo(new Waiting(golden.reason, golden.sentence));
    }

    private static Job atTarget(long id, String target) {
        return TestJobs.job(id, TestJobs.at(target, TestJobs.spec(0)), new HandedOver(1, false));
    }

    private static Job forTarget(long id, String target) {
        return TestJobs.job(id, TestJobs.at(target, TestJobs.spec(8)), new Queued(1, new ImageState.Ready("")));
    }

    @Test
    void everyReasonHasAGoldenSentence() {
        assertThat(Stream.concat(sentences(), shortages()).map(Golden::reason))
                .containsAll(EnumSet.complementOf(EnumSet.of(
                        QueueReason.HELD,
                        QueueReason.DEPENDENCY,
                        QueueReason.BEGIN_TIME,
                        QueueReason.RETRY_DELAY,
                        QueueReason.ARRAY,
                        QueueReason.ARRAY_THROTTLE,
                        QueueReason.IN_PACK,
                        // What its engine says of that is known to who asks the engine.
                        QueueReason.AT_TARGET,
                        QueueReason.ENGINE_UNREACHABLE,
                        QueueReason.ENGINE_FAILING)));
    }

    @Test
    void aJobThatIsNotReadySaysWhatItWaitsFor() {
        SortedSet<Dependency> none = new TreeSet<>();
        SortedSet<Dependency> one = new TreeSet<>(Set.of(new Dependency(DependencyKind.AFTER_OK, new JobId(3))));
        SortedSet<Dependency> two = new TreeSet<>(one);
        two.add(new Dependency(DependencyKind.AFTER_ANY, new JobId(5)));
        Job job = TestJobs.queued(7);
        String end = "; it keeps its place and holds nobody up";
        assertThat(Waiting.of(job, new Unmet(null, one, none), null))
                .isEqualTo(new Waiting(QueueReason.DEPENDENCY, "waits for the end of job 3 (afterok:3)" + end));
        assertThat(Waiting.of(job, new Unmet(TestJobs.STARTED, two, none), "tomorrow"))
                .isEqualTo(new Waiting(
                        QueueReason.DEPENDENCY,
                        "waits for the end of jobs 3, 5 (afterok:3, afterany:5); does not start before tomorrow"
                                + end));
        assertThat(Waiting.of(job, new Unmet(TestJobs.STARTED, none, none), "tomorrow"))
                .isEqualTo(new Waiting(QueueReason.BEGIN_TIME, "does not start before tomorrow" + end));
        JobSpec retried = TestJobs.spec(1).with(new Retry(3, RetryCauses.USUAL, RetryDelay.parse("1m"), false));
        Job failed = new Job(
                job.id(),
                retried,
                job.owner(),
                job.submittedAt(),
                new Deferred(2, new Unmet(TestJobs.STARTED, none, none)),
                null,
                1,
                null);
        assertThat(Waiting.of(failed, failed.state().unmet(), "tomorrow"))
                .isEqualTo(new Waiting(
                        QueueReason.RETRY_DELAY, "attempt 1 failed; retry 1 of 3 may start from tomorrow" + end));
        Waiting broken = Waiting.of(job, new Unmet(null, none, one), null);
        assertThat(broken)
                .isEqualTo(new Waiting(
                        QueueReason.DEPENDENCY,
                        "waits for somebody to decide, as afterok:3 cannot be met any more: berth release 7 lets it go"
                                + " on, berth cancel 7 gives it up" + end));
        assertThat(broken.without("engine unreachable")).isEqualTo(broken);
    }

    @Test
    void aHeldJobSaysWhoHoldsItAndHowItGoesOn() {
        Held held = new Held(1, new ImageState.Pending(), "grace", TestJobs.STARTED);
        assertThat(Waiting.of(
                        Machine.idle(Capacities.gpus(1), 7),
                        TestJobs.job(7, TestJobs.spec(1), held),
                        held,
                        held.unmet(),
                        null))
                .isEqualTo(new Waiting(
                        QueueReason.HELD, "held by grace; it keeps its place, and berth release 7 lets it go on"));
    }

    @ParameterizedTest
    @MethodSource({"sentences", "shortages"})
    void whileTheEngineIsAwayTheFirstWaitsForItAndNobodyElsesReasonIsAnother(Golden golden) {
        Waiting waiting =
                new Waiting(golden.reason, golden.sentence).without("engine unreachable since 08:00:00 (gone)");
        switch (golden.reason) {
            case TARGET_FULL, SERVER_PAUSED, SERVER_STOPPING ->
                assertThat(waiting.sentence()).isEqualTo(golden.sentence);
            case BEHIND_HEAD ->
                assertThat(waiting)
                        .isEqualTo(new Waiting(
                                BEHIND_HEAD, golden.sentence + "; engine unreachable since 08:00:00 (gone)"));
            default ->
                assertThat(waiting)
                        .isEqualTo(new Waiting(
                                QueueReason.ENGINE_UNREACHABLE,
                                "first in the queue; engine unreachable since 08:00:00 (gone)"));
        }
    }

    private static Golden golden(String about, Machine machine, Job job, int ahead) {
        return new Golden(about, machine, job, ahead, Optional.empty(), BEHIND_HEAD, "");
    }

    private static List<Job> live(Job... jobs) {
        return Arrays.asList(jobs);
    }

    private static Machine machine(Capacity capacity, List<Job> live, Job... queue) {
        Machine machine = Machine.idle(capacity, 99);
        for (Job job : live) {
            machine = machine.with(job);
        }
        for (Job job : queue) {
            machine = machine.with(job);
        }
        return machine;
    }
}
