package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.Job;
import dev.berth.core.place.CpuChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The reason why the head of a queue waits, in words: who or what has what it waits for. */
final class Shortage {
    private static final int MIB_BITS = 20;

    private Shortage() {}

    static String sentence(Machine machine, Job head, QueueReason reason) {
        return switch (reason) {
            case WAITING_FOR_CPUS -> cpus(machine, head) + kept(machine, head);
            case WAITING_FOR_MEMORY -> memory(machine, head) + kept(machine, head);
            case GPU_LOCK_HELD -> "waits to choose its GPUs: " + machine.gpus().lock();
            default -> "waits for " + head.spec().gpus().inWords() + ": " + gpus(machine);
        };
    }

    private static String cpus(Machine machine, Job head) {
        Capacity capacity = machine.capacity();
        int cores = capacity.cores(head.spec());
        return "waits for " + (cores == 1 ? "a core" : cores + " cores") + " of its own: "
                + CpuChoice.free(capacity.cpus(), machine.heldCpus()) + " of "
                + capacity.cpus().cpus().size() + " free"
                + holders(
                        machine,
                        job -> Machine.allocation(job).cpus().isEmpty()
                                ? ""
                                : Integer.toString(
                                        Machine.allocation(job).cpus().size()));
    }

    private static String memory(Machine machine, Job head) {
        Capacity capacity = machine.capacity();
        return "waits for " + mib(capacity.memory(head.spec())) + " of memory: "
                + mib(Math.max(0, capacity.memoryBytes() - machine.heldMemory())) + " of " + mib(capacity.memoryBytes())
                + " free"
                + holders(machine, job -> capacity.memory(job.spec()) == 0 ? "" : mib(capacity.memory(job.spec())));
    }

    private static String kept(Machine machine, Job head) {
        return Allotment.before(machine, head)
                .map(older -> "; what is free is kept for job " + older.number()
                        + ", which was accepted earlier and is first" + " in the other queue")
                .orElse("");
    }

    private static String mib(long bytes) {
        return (bytes >> MIB_BITS) + " MiB";
    }

    private static String gpus(Machine machine) {
        List<String> out = new ArrayList<>();
        out.addAll(machine.gpus().obstacles().entrySet().stream()
                .filter(entry -> !machine.gpus().drains().containsKey(entry.getKey()))
                .map(entry -> machine.capacity().name(entry.getKey()) + ": "
                        + entry.getValue().sentence())
                .toList());
        out.addAll(machine.gpus().drains().entrySet().stream()
                .map(entry -> machine.capacity().name(entry.getKey()) + " is "
                        + entry.getValue().sentence())
                .toList());
        out.addAll(machine.gpus().cleaning().keySet().stream()
                .map(attempt -> "what job " + machine.number(attempt.job()) + " has left is being looked at")
                .toList());
        return machine.freeGpus().size() + " of " + machine.capacity().gpus().size() + " free"
                + holders(machine, job -> count(Machine.allocation(job)))
                + (out.isEmpty() ? "" : "; " + Waiting.named(out))
                + orphaned(machine);
    }

    /** ", job 3 has 2, job 5 has 1"; a job of which nothing is said has none of it. */
    private static String holders(Machine machine, Function<Job, String> held) {
        List<String> holders = machine.live().values().stream()
                .filter(job -> !held.apply(job).isEmpty())
                .map(job -> "job " + job.number() + " has " + held.apply(job))
                .toList();
        return holders.isEmpty() ? "" : ", " + Waiting.named(holders);
    }

    private static String count(Allocation allocation) {
        int milli = allocation.shares().stream().mapToInt(GpuShare::milli).sum();
        return milli == 0 ? "" : new GpuRequest(milli).text();
    }

    private static String orphaned(Machine machine) {
        List<String> orphans = machine.orphans().entrySet().stream()
                .filter(orphan -> !orphan.getValue().isEmpty())
                .map(orphan -> "of job " + orphan.getKey().job() + ", attempt "
                        + orphan.getKey().number() + ", on " + orphan.getValue().size())
                .toList();
        return orphans.isEmpty()
                ? ""
                : "; containers of which no job is known, to be stopped in a few minutes: " + Waiting.named(orphans);
    }
}
