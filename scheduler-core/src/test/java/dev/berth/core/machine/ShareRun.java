package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.machine.Effect.CleanGpus;
import dev.berth.core.machine.Input.DrainGpu;
import dev.berth.core.machine.Input.GpusCleaned;
import dev.berth.core.machine.Input.JobHappening;
import dev.berth.core.machine.Input.ResumeGpu;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.JobEvent.Allocated;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.GpusConfirmed;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.place.CpuTopology;
import dev.berth.core.place.CpuTopology.Cpu;
import dev.berth.core.place.GpuLink;
import dev.berth.core.place.GpuTopology;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A scheduler under arrivals and ends of shares, whole GPUs, cores and memory, with rules, topology and drains by one
 * seed. After each step what was allocated is counted here, from the jobs alone, and held against the laws.
 */
final class ShareRun {
    private static final Instant NOW = TestJobs.STARTED;
    private static final List<GpuLink.Path> PATHS = List.of(GpuLink.Path.values());

    private final SplittableRandom random;
    private final Capacity capacity;
    private final SortedMap<JobId, Job> jobs = new TreeMap<>();
    private final SortedMap<Attempt, Allocation> cleaning = new TreeMap<>();
    private final Set<GpuId> closed = new HashSet<>();
    private Machine machine;
    private int starts;

    ShareRun(long seed) {
        random = new SplittableRandom(seed);
        capacity = capacity();
        machine = Machine.idle(capacity, 0);
    }

    int starts() {
        return starts;
    }

    void step() {
        switch (random.nextInt(8)) {
            case 0, 1, 2, 3 -> submit();
            case 4 -> turnGpu();
            case 5 -> cleaning.keySet().stream().findFirst().ifPresent(this::clean);
            default -> endOne();
        }
        confirm();
        check();
    }

    /** Anyone who looks at what was allocated finds nobody there. */
    private void confirm() {
        for (List<Job> open = undecided(); !open.isEmpty(); open = undecided()) {
            open.forEach(job -> tell(job.id(), new GpusConfirmed(job.state().attempt())));
        }
    }

    private List<Job> undecided() {
        return capacity.lanes().stream()
                .flatMap(lane -> machine.undecided(lane).stream())
                .toList();
    }

    private Capacity capacity() {
        int gpus = 1 + random.nextInt(6);
        Capacity plain = Capacities.of(gpus, 1 + random.nextInt(12), random.nextInt(3));
        SortedMap<GpuId, Integer> shares = new TreeMap<>();
        plain.gpus().stream()
                .filter(_ -> random.nextInt(4) == 0)
                .forEach(gpu -> shares.put(gpu.id(), 1 + random.nextInt(8)));
        GpuRules rules = new GpuRules(1 + random.nextInt(8), shares, new TreeMap<>(), random.nextBoolean(), 3);
        int cpus = random.nextInt(9);
        CpuTopology cores = new CpuTopology(IntStream.range(0, cpus)
                .mapToObj(id -> new Cpu(id, id / 2, id / 4))
                .toList());
        long memory = random.nextBoolean() ? Long.MAX_VALUE : (1L + random.nextInt(16)) << 30;
        return new Capacity(
                plain.gpus(),
                plain.workers(),
                plain.cpuWorkers(),
                rules,
                topology(gpus),
                cores,
                memory,
                QueueRules.STRICT);
    }

    private GpuTopology topology(int gpus) {
        if (random.nextInt(3) == 0) {
            return GpuTopology.UNKNOWN;
        }
        SortedMap<GpuId, SortedMap<GpuId, GpuLink>> links = new TreeMap<>();
        SortedMap<GpuId, List<Integer>> near = new TreeMap<>();
        for (int one = 0; one < gpus; one++) {
            near.put(TestJobs.gpu(one), List.of(random.nextInt(8)));
            for (int other = one + 1; other < gpus; other++) {
                GpuLink link = new GpuLink(random.nextInt(3), PATHS.get(random.nextInt(PATHS.size())));
                links.computeIfAbsent(TestJobs.gpu(one), _ -> new TreeMap<>()).put(TestJobs.gpu(other), link);
            }
        }
        return new GpuTopology(links, near);
    }

    private void submit() {
        int shape = random.nextInt(4);
        JobSpec gpus = shape == 0
                ? TestJobs.spec(random.nextInt(capacity.gpus().size() + 1))
                : TestJobs.share(shape == 1 ? 125 * (1 + random.nextInt(7)) : 1 + random.nextInt(999), GpuTraits.ANY);
        Integer cpuMilli = random.nextInt(3) == 0 ? Integer.valueOf(1 + random.nextInt(4_000)) : null;
        Long memory = random.nextInt(3) == 0 ? Long.valueOf((1L + random.nextInt(8)) << 30) : null;
        JobSpec spec = TestJobs.booking(gpus, cpuMilli, memory);
        Step step = take(new SubmitJob(NOW, spec, TestJobs.PROGRAM, TestJobs.ADA, null));
        if (step.reply() instanceof Step.Reply.Accepted(Job job)) {
            tell(job.id(), new ImageArrived(TestJobs.IMAGE_ID));
            confirm();
        }
    }

    private void endOne() {
        List<Job> live = live();
        if (!live.isEmpty()) {
            Job job = live.get(random.nextInt(live.size()));
            tell(job.id(), new LaunchRefused(job.state().attempt(), "no such program"));
        } else if (!queued().isEmpty()) {
            tell(queued().getFirst().id(), new CancelRequested("grace"));
        }
    }

    /** Out of service, or in it again. */
    private void turnGpu() {
        GpuId gpu = capacity.gpus().get(random.nextInt(capacity.gpus().size())).id();
        if (closed.remove(gpu)) {
            take(new ResumeGpu(NOW, gpu, "grace"));
        } else {
            closed.add(gpu);
            take(new DrainGpu(NOW, gpu, "grace", "loud fan"));
        }
    }

    private void clean(Attempt attempt) {
        cleaning.remove(attempt);
        take(new GpusCleaned(NOW, attempt, new TreeMap<>()));
    }

    private void tell(JobId id, JobEvent event) {
        take(new JobHappening(NOW, job(id), event));
    }

    private Step take(Input input) {
        Step step = Scheduler.step(machine, input);
        for (Change change : step.changes()) {
            if (change instanceof Change.Advanced advanced && advanced.event() instanceof Allocated) {
                checkTurn(advanced.before());
                starts++;
            }
            if (change instanceof Change.OfJob of) {
                jobs.put(of.job().id(), of.job());
            }
        }
        step.effects().stream()
                .filter(CleanGpus.class::isInstance)
                .map(CleanGpus.class::cast)
                .forEach(clean -> cleaning.put(clean.attempt(), clean.allocation()));
        machine = step.machine();
        return step;
    }

    private void checkTurn(Job starting) {
        assertThat(queued().stream()
                        .filter(job -> laneOf(job) == laneOf(starting))
                        .findFirst())
                .as("first of its lane")
                .contains(starting);
    }

    private void check() {
        for (Gpu gpu : capacity.gpus()) {
            List<GpuShare> shares = shares(gpu.id());
            boolean isWhole = shares.stream().anyMatch(share -> share.milli() == GpuRequest.WHOLE);
            boolean isFair = sum(shares) <= GpuRequest.WHOLE && !(isWhole && shares.size() > 1);
            assertThat(isFair).as("allocated of %s: %s", gpu, shares).isTrue();
        }
        List<Integer> cores = live().stream()
                .flatMap(job -> Machine.allocation(job).cpus().stream())
                .toList();
        assertThat(new HashSet<>(cores)).hasSameSizeAs(cores);
        for (Lane lane : capacity.lanes()) {
            queued().stream().filter(job -> laneOf(job) == lane).findFirst().ifPresent(this::checkWaits);
        }
    }

    /** A head waits only where there is not enough, or where enough of cores and memory is kept for an earlier head. */
    private void checkWaits(Job head) {
        boolean ready = ((Queued) head.state()).image() instanceof ImageState.Ready;
        if (!ready || !hasWorker(laneOf(head))) {
            return;
        }
        boolean enough = fitsGpus(head.spec().gpus()) && freeCores() >= cores(head) && freeMemory() >= memory(head);
        boolean kept = (cores(head) > 0 || memory(head) > 0)
                && queued().stream()
                        .filter(other ->
                                laneOf(other) != laneOf(head) && other.id().compareTo(head.id()) < 0)
                        .anyMatch(other -> freeCores() < cores(other) || freeMemory() < memory(other));
        assertThat(enough && !kept)
                .as("job %s waits for nothing: %s, held %s", head.id(), head.spec(), live())
                .isFalse();
    }

    private boolean fitsGpus(GpuRequest request) {
        List<GpuId> open = capacity.gpus().stream()
                .map(Gpu::id)
                .filter(gpu -> !closed.contains(gpu))
                .toList();
        return request.isShare()
                ? open.stream()
                        .anyMatch(gpu -> capacity.rules().shares(gpu)
                                        > Math.max(1, shares(gpu).size())
                                && used(gpu) + request.milli() <= GpuRequest.WHOLE)
                : open.stream().filter(gpu -> used(gpu) == 0).count() >= request.count();
    }

    private boolean hasWorker(Lane lane) {
        return live().stream().filter(job -> laneOf(job) == lane).count() < capacity.workers(lane);
    }

    private int freeCores() {
        int held = 0;
        for (Job job : live()) {
            held += Machine.allocation(job).cpus().size();
        }
        return capacity.cpus().cpus().size() - held;
    }

    private int cores(Job job) {
        Integer milli = job.spec().resources().cpuMilli();
        return milli == null || capacity.cpus().cpus().isEmpty() ? 0 : Math.ceilDiv(milli, 1_000);
    }

    private long freeMemory() {
        return capacity.memoryBytes()
                - live().stream().mapToLong(ShareRun::memory).sum();
    }

    private static long memory(Job job) {
        Long bytes = job.spec().resources().memoryBytes();
        return bytes == null ? 0 : bytes;
    }

    private int used(GpuId gpu) {
        return sum(shares(gpu));
    }

    private static int sum(List<GpuShare> shares) {
        int sum = 0;
        for (GpuShare share : shares) {
            sum += share.milli();
        }
        return sum;
    }

    /** By loops: it is asked millions of times. */
    private List<GpuShare> shares(GpuId gpu) {
        List<Allocation> held = new ArrayList<>(cleaning.values());
        live().forEach(job -> held.add(Machine.allocation(job)));
        List<GpuShare> shares = new ArrayList<>();
        for (Allocation allocation : held) {
            for (GpuShare share : allocation.shares()) {
                if (share.gpu().equals(gpu)) {
                    shares.add(share);
                }
            }
        }
        return shares;
    }

    private Lane laneOf(Job job) {
        return capacity.laneOf(job.spec().gpus());
    }

    private List<Job> live() {
        return in(Live.class);
    }

    private List<Job> queued() {
        return in(Queued.class);
    }

    private List<Job> in(Class<? extends JobState> state) {
        List<Job> found = new ArrayList<>();
        for (Map.Entry<JobId, Job> entry : jobs.entrySet()) {
            if (state.isInstance(entry.getValue().state())) {
                found.add(entry.getValue());
            }
        }
        return found;
    }

    private Job job(JobId id) {
        Job job = jobs.get(id);
        if (job == null) {
            throw new AssertionError("no job " + id);
        }
        return job;
    }
}
