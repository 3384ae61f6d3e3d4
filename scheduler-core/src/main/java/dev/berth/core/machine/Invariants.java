package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Tasks;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Rules that must hold after every step, in production too. A broken one ends the process: a scheduler that contradicts
 * itself must not act, and the restart recovers from what is stored.
 */
public final class Invariants {
    private Invariants() {}

    /**
     * Checks all of them.
     *
     * @throws IllegalStateException naming the broken rule and the jobs
     */
    public static void check(Machine machine) {
        machine.live().values().forEach(Invariants::holdsWhatItAskedFor);
        oneHolderPerGpu(machine);
        oneHolderPerCore(machine);
        machine.queue().forEach((lane, window) -> inOrder(machine, lane, window));
        machine.live().values().forEach(job -> withinThrottle(machine, job));
    }

    private static void oneHolderPerGpu(Machine machine) {
        Map<GpuId, Integer> held = new HashMap<>();
        machine.live().values().forEach(job -> add(held, Machine.allocation(job), "job " + job.id()));
        machine.gpus()
                .cleaning()
                .forEach((attempt, left) -> add(held, left, "what job " + attempt.job() + " has left"));
    }

    private static void add(Map<GpuId, Integer> held, Allocation allocation, String holder) {
        for (GpuShare share : allocation.shares()) {
            int sum = held.merge(share.gpu(), share.milli(), Integer::sum);
            require(sum <= GpuRequest.WHOLE, () -> "GPU " + share.gpu() + " is allocated twice, to " + holder);
        }
    }

    private static void oneHolderPerCore(Machine machine) {
        Set<Integer> held = new HashSet<>();
        for (Job job : machine.live().values()) {
            for (Integer cpu : Machine.allocation(job).cpus()) {
                require(held.add(cpu), () -> "core " + cpu + " is allocated twice, to job " + job.id());
            }
        }
    }

    private static void holdsWhatItAskedFor(Job job) {
        require(
                job.state() instanceof Live,
                () -> "job " + job.id() + " is " + job.state().name() + " among the running");
        int held = ((Live) job.state())
                .allocation().shares().stream().mapToInt(GpuShare::milli).sum();
        require(
                held == (job.spec().isAtTarget() ? 0 : job.spec().gpus().milli()),
                () -> "job " + job.id() + " asked for " + job.spec().gpus().milli() + " thousandths and holds " + held);
    }

    private static void withinThrottle(Machine machine, Job job) {
        Tasks tasks = job.spec().tasks();
        require(
                tasks == null || tasks.atOnce() == 0 || machine.busyTasks(job) <= tasks.atOnce(),
                () -> "more tasks of the array of job " + job.number() + " run than may at the same time");
        require(!job.isArray(), () -> "array " + job.id() + " is among the running");
    }

    private static void inOrder(Machine machine, Lane lane, QueueWindow window) {
        List<Job> jobs = window.jobs();
        for (int i = 0; i < jobs.size(); i++) {
            Job job = jobs.get(i);
            require(
                    job.state() instanceof Queued,
                    () -> "job " + job.id() + " is " + job.state().name() + " in the queue");
            require(machine.laneOf(job) == lane, () -> "job " + job.id() + " stands in the wrong queue");
            require(!machine.live().containsKey(job.id()), () -> "job " + job.id() + " runs and waits");
            require(
                    i == 0 || jobs.get(i - 1).turn().compareTo(job.turn()) < 0,
                    () -> "job " + job.id() + " stands out of order in the queue");
        }
        require(
                jobs.size() <= QueueWindow.MAX_WITH_PASSED,
                () -> "the window of lane " + lane + " holds " + jobs.size() + " jobs");
    }

    /** The rule is put into words only where it is broken: this runs for each job that waits, after each step. */
    private static void require(boolean holds, Supplier<String> rule) {
        if (!holds) {
            throw new IllegalStateException("broken invariant: " + rule.get());
        }
    }
}
