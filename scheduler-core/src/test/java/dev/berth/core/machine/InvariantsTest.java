package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Running;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A machine broken in one place each; {@link Machine} lets itself be built so, {@link Invariants} must not. */
class InvariantsTest {

    @Test
    void hold() {
        assertThatCode(() -> Invariants.check(machine(
                        List.of(TestJobs.running(1, 0, 1), TestJobs.starting(2, 2), TestJobs.stopping(3)),
                        List.of(TestJobs.queued(4), TestJobs.pending(6, 2)))))
                .doesNotThrowAnyException();
    }

    @Test
    void noGpuIsGivenOutTwice() {
        broken(running(TestJobs.running(1, 0), TestJobs.running(2, 1, 0)), "GPU GPU-0 is allocated twice, to job 2");
    }

    @Test
    void noGpuIsGivenOutTwiceToJobsThatStartOrStop() {
        broken(running(TestJobs.stopping(1, 3), TestJobs.starting(2, 3)), "GPU GPU-3 is allocated twice, to job 2");
    }

    @Test
    void theSharesOfAGpuAddUpToNoMoreThanTheGpu() {
        assertThatCode(() -> Invariants.check(running(sharing(1, 600), sharing(2, 400))))
                .doesNotThrowAnyException();
        broken(running(sharing(1, 600), sharing(2, 401)), "GPU GPU-0 is allocated twice, to job 2");
    }

    @Test
    void onlyLiveJobsAreAmongTheRunning() {
        broken(running(TestJobs.queued(1)), "job 1 is QUEUED among the running");
        broken(running(TestJobs.finished(1)), "job 1 is COMPLETED among the running");
    }

    @Test
    void aLiveJobHoldsWhatItAskedFor() {
        Job fewer = TestJobs.job(1, TestJobs.spec(2), TestJobs.running(1, 0).state());
        broken(running(fewer), "job 1 asked for 2000 thousandths and holds 1000");
        Job more = TestJobs.job(1, TestJobs.spec(0), TestJobs.running(1, 0).state());
        broken(running(more), "job 1 asked for 0 thousandths and holds 1000");
    }

    @Test
    void onlyQueuedJobsAreInTheQueue() {
        broken(waiting(TestJobs.running(1, 0)), "job 1 is RUNNING in the queue");
        broken(waiting(TestJobs.finished(1)), "job 1 is COMPLETED in the queue");
    }

    @Test
    void aQueuedJobStandsInTheQueueOfItsLane() {
        broken(waiting(TestJobs.queued(1, 0)), "job 1 stands in the wrong queue");
        Machine main = machine(List.of(), List.of());
        Map<Lane, QueueWindow> queue = Map.of(Lane.CPU, new QueueWindow(List.of(TestJobs.queued(1, 1)), false));
        broken(
                new Machine(
                        main.capacity(),
                        main.live(),
                        queue,
                        9,
                        new Starts.Allowed(),
                        new TreeMap<>(),
                        GpuConditions.GOOD,
                        DateClock.NEVER_SET,
                        DeferredJobs.NONE),
                "job 1 stands in the wrong queue");
    }

    @Test
    void noJobRunsAndWaits() {
        broken(machine(List.of(TestJobs.running(1, 0)), List.of(TestJobs.queued(1))), "job 1 runs and waits");
    }

    @Test
    void theQueueIsInTheOrderOfIds() {
        broken(
                waiting(TestJobs.queued(1), TestJobs.queued(3), TestJobs.queued(2)),
                "job 2 stands out of order in the queue");
        broken(waiting(TestJobs.queued(1), TestJobs.queued(1)), "job 1 stands out of order in the queue");
    }

    @Test
    void theWindowIsBounded() {
        List<Job> most = LongStream.rangeClosed(1, QueueWindow.MAX_WITH_PASSED)
                .mapToObj(TestJobs::queued)
                .toList();
        assertThatCode(() -> Invariants.check(machine(List.of(), most))).doesNotThrowAnyException();
        List<Job> tooMany = new ArrayList<>(most);
        tooMany.add(TestJobs.queued(QueueWindow.MAX_WITH_PASSED + 1));
        broken(machine(List.of(), tooMany), "the window of lane MAIN holds 4097 jobs");
    }

    @Test
    void areCheckedAfterEveryStep() {
        Machine broken = running(TestJobs.running(1, 0), TestJobs.running(2, 0));
        assertThatIllegalStateException()
                .isThrownBy(() -> Scheduler.step(broken, new Input.TimePassed(TestJobs.STARTED)))
                .withMessageStartingWith("broken invariant: ");
    }

    private static void broken(Machine machine, String rule) {
        assertThatIllegalStateException()
                .isThrownBy(() -> Invariants.check(machine))
                .withMessage("broken invariant: " + rule);
    }

    private static Machine running(Job... live) {
        return machine(Arrays.asList(live), List.of());
    }

    private static Machine waiting(Job... queue) {
        return machine(List.of(), Arrays.asList(queue));
    }

    /** Four GPUs, with a CPU lane; the jobs where the test puts them, whether they belong there or not. */
    private static Machine machine(List<Job> live, List<Job> queue) {
        SortedMap<JobId, Job> running = new TreeMap<>();
        live.forEach(job -> running.put(job.id(), job));
        Map<Lane, QueueWindow> windows = Map.of(Lane.MAIN, new QueueWindow(queue, false), Lane.CPU, QueueWindow.EMPTY);
        return new Machine(
                Capacities.of(4, 4, 1),
                running,
                windows,
                999,
                new Starts.Allowed(),
                new TreeMap<>(),
                GpuConditions.GOOD,
                DateClock.NEVER_SET,
                DeferredJobs.NONE);
    }

    private static Job sharing(long id, int milli) {
        JobSpec share = TestJobs.share(milli, GpuTraits.ANY);
        Allocation allocation = new Allocation(List.of(new GpuShare(TestJobs.gpu(0), milli)));
        return TestJobs.job(id, share, new Running(1, allocation, TestJobs.STARTED));
    }
}
