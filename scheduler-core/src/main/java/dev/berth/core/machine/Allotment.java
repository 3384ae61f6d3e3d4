package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Job;
import dev.berth.core.place.CpuChoice;
import dev.berth.core.place.GpuChoice;
import dev.berth.core.place.ShareChoice;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The GPUs, cores and memory that the head of a queue would get of what is free, or what it has to wait for. */
sealed interface Allotment {

    /** Enough of everything is free. */
    record Granted(Allocation allocation) implements Allotment {}

    /** Something is missing, for this reason. */
    record Missing(QueueReason reason) implements Allotment {}

    /** The part that a queued job would get now; who comes before it is not asked. */
    static Allotment of(Machine machine, Job job) {
        if (job.spec().isAtTarget()) {
            return new Granted(Allocation.NONE);
        }
        Capacity capacity = machine.capacity();
        Optional<List<GpuShare>> shares = shares(machine, job);
        if (shares.isEmpty()) {
            return new Missing(shortage(machine, job));
        }
        List<GpuId> gpus = shares.get().stream().map(GpuShare::gpu).toList();
        Optional<List<Integer>> cpus =
                CpuChoice.of(capacity.cpus(), machine.heldCpus(), capacity.cores(job.spec()), capacity.near(gpus));
        if (cpus.isEmpty()) {
            return new Missing(QueueReason.WAITING_FOR_CPUS);
        }
        if (capacity.memory(job.spec()) > capacity.memoryBytes() - machine.heldMemory()) {
            return new Missing(QueueReason.WAITING_FOR_MEMORY);
        }
        return books(machine, job)
                ? before(machine, job)
                        .<Allotment>map(head -> of(machine, head))
                        .orElseGet(() -> new Granted(new Allocation(shares.get(), cpus.get())))
                : new Granted(new Allocation(shares.get(), cpus.get()));
    }

    /**
     * The head of another lane that was accepted earlier and waits for cores or memory. What is free of these is kept for
     * it: one lane's small jobs would else keep another's large one waiting for ever.
     */
    static Optional<Job> before(Machine machine, Job job) {
        return machine.capacity().ownLanes().stream()
                .filter(lane -> lane != machine.laneOf(job) && machine.hasWorker(lane))
                .flatMap(lane -> machine.next(lane).stream())
                .filter(head -> head.place() < job.place() && books(machine, head))
                .filter(Machine::hasImage)
                .filter(head -> of(machine, head) instanceof Missing(QueueReason reason)
                        && (reason == QueueReason.WAITING_FOR_CPUS || reason == QueueReason.WAITING_FOR_MEMORY))
                .findFirst();
    }

    /** Whether it asks for cores or memory of its own. */
    private static boolean books(Machine machine, Job job) {
        Capacity capacity = machine.capacity();
        return capacity.cores(job.spec()) > 0
                || (capacity.memory(job.spec()) > 0 && capacity.memoryBytes() < Long.MAX_VALUE);
    }

    private static Optional<List<GpuShare>> shares(Machine machine, Job job) {
        GpuRequest request = job.spec().gpus();
        if (request.isNone()) {
            return Optional.of(List.of());
        }
        if (machine.gpus().lock() != null) {
            return Optional.empty();
        }
        return request.isShare()
                ? part(machine, job).map(gpu -> List.of(new GpuShare(gpu, request.milli())))
                : whole(machine, job, machine.gpus()::isOpen)
                        .map(gpus -> Allocation.whole(gpus).shares());
    }

    /** Whole GPUs of those that pass a test and that nobody is on. */
    private static Optional<List<GpuId>> whole(Machine machine, Job job, Predicate<GpuId> test) {
        List<GpuId> free = suiting(machine, job)
                .filter(id -> machine.heldMilli(id) == 0 && !machine.hasOrphan(id) && test.test(id))
                .toList();
        return GpuChoice.of(free, job.spec().gpus().count(), machine.capacity().topology());
    }

    private static Optional<GpuId> part(Machine machine, Job job) {
        return part(machine, job, machine.gpus()::isOpen);
    }

    private static Optional<GpuId> part(Machine machine, Job job, Predicate<GpuId> test) {
        List<ShareChoice.Candidate> candidates = suiting(machine, job)
                .filter(id -> !machine.hasOrphan(id) && test.test(id) && hasMemory(machine, id, job))
                .map(id -> candidate(machine, id))
                .toList();
        return ShareChoice.of(job.spec().gpus().milli(), candidates);
    }

    private static ShareChoice.Candidate candidate(Machine machine, GpuId gpu) {
        int held = machine.heldMilli(gpu);
        int most = machine.capacity().rules().shares(gpu);
        return new ShareChoice.Candidate(
                gpu, held, machine.holders(gpu), most > 1 ? most : 0, held == GpuRequest.WHOLE);
    }

    /** Whether the memory that the GPU's holders said they need, and this job on top, is not more than it has. */
    private static boolean hasMemory(Machine machine, GpuId id, Job job) {
        long total = machine.capacity().gpu(id).map(Gpu::memoryMiB).orElse(0L) << 20;
        long asked = machine.live().values().stream()
                .filter(other -> Machine.allocation(other).gpus().contains(id))
                .mapToLong(other -> memory(other.spec().resources().traits()))
                .sum();
        return total == 0 || asked + memory(job.spec().resources().traits()) <= total;
    }

    private static long memory(GpuTraits traits) {
        return Objects.requireNonNullElse(traits.memoryBytes(), 0L);
    }

    private static Stream<GpuId> suiting(Machine machine, Job job) {
        return machine.capacity().gpus().stream()
                .filter(gpu -> machine.capacity().suits(gpu, job.spec()))
                .map(Gpu::id);
    }

    /**
     * The reason that would have to go so that the GPUs are enough: the lock, then strangers, then drains, else
     * holders.
     */
    private static QueueReason shortage(Machine machine, Job job) {
        GpuConditions gpus = machine.gpus();
        if (gpus.lock() != null && fits(machine, job, gpus::isOpen)) {
            return QueueReason.GPU_LOCK_HELD;
        }
        if (fits(machine, job, id -> gpus.isOpen(id) || isForeign(gpus, id))) {
            return QueueReason.GPU_BUSY_FOREIGN;
        }
        return fits(machine, job, id -> true) ? QueueReason.GPU_DRAINED : QueueReason.AT_HEAD_WAITING_FOR_GPUS;
    }

    private static boolean isForeign(GpuConditions gpus, GpuId id) {
        return !gpus.drains().containsKey(id) && gpus.obstacles().get(id) instanceof Obstacle.Foreign;
    }

    private static boolean fits(Machine machine, Job job, Predicate<GpuId> test) {
        return job.spec().gpus().isShare()
                ? part(machine, job, test).isPresent()
                : whole(machine, job, test).isPresent();
    }
}
