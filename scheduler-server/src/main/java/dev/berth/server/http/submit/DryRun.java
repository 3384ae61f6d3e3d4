package dev.berth.server.http.submit;

import dev.berth.core.api.SubmitPlan;
import dev.berth.core.job.Allocation;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Mount;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Program;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Lane;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.Waiting;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.submit.Submission.Wanted;
import dev.berth.server.http.view.QueuePositions;
import dev.berth.server.mount.Granted;
import dev.berth.server.mount.MountException;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.ContainerPlan;
import dev.berth.server.store.JobQueries;
import dev.berth.server.time.Dates;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The outcome that a submit would have, made by the same hands as the job itself; nothing of it is kept.
 *
 * @param machine gives the state as last committed
 */
public record DryRun(SubmitParts parts, Supplier<Machine> machine, JobQueries queries, InstantSource clock) {
    /** Stands for what is known once the job has started; no image has such an id. */
    private static final String IMAGE_TO_COME = "to come";

    /** The plan of a job, or the refusal that its submit would get. */
    public SubmitPlan of(Profiled request, Wanted wanted, Caller caller) {
        JobSpec spec = wanted.spec();
        Machine now = machine.get();
        Optional<String> refusal = now.capacity().refusal(spec);
        if (refusal.isPresent()) {
            throw ApiException.neverFits(refusal.get());
        }
        Instant date = clock.instant();
        Job job = new Job(
                new JobId(now.lastId() + 1),
                spec,
                caller.user(),
                date,
                new Queued(1, new ImageState.Ready(IMAGE_TO_COME)));
        Optional<Boolean> imageHere = spec.isAtTarget() ? Optional.empty() : imageHere(spec.image());
        Planned planned = planned(now, job, wanted.program());
        PlanSettings settings = new PlanSettings(request, parts.settings(), planned, job);
        Optional<String> notReady = notReady(job, date);
        return new SubmitPlan(settings.all(imageHere), notReady.orElseGet(() -> standing(now, job, imageHere)));
    }

    /**
     * The container that comes to be, and what runs in it.
     *
     * @param program a container of the first of the tasks in a pack alone: what it runs, and with which variables; of others the
     *     same as {@code container}
     * @param pack the tasks that share the container; none where each has one of its own
     */
    record Planned(ContainerPlan container, ContainerPlan program, TaskSet pack) {}

    /** Of an array that of its first task, or of its first pack. */
    private Planned planned(Machine now, Job asked, Program program) {
        Job first = asked.isArray() ? asked.task(asked.waiting().first()) : asked;
        Allocation allocation = now.wouldGet(first).orElseGet(() -> some(now, first));
        List<Granted.Source> sources = first.spec().container().mounts().stream()
                .map(mount -> source(mount, first))
                .toList();
        ContainerPlan alone = parts.plans().of(new CreateRun(first, IMAGE_TO_COME, allocation), program, sources);
        if (!asked.isPacked()) {
            return new Planned(alone, alone, TaskSet.NONE);
        }
        Job pack = asked.nextPack();
        List<Job> tasks = pack.packed().indices().stream().map(asked::task).toList();
        CreateRun launch = new CreateRun(pack, IMAGE_TO_COME, allocation);
        return new Planned(parts.plans().ofPack(launch, program, sources, tasks), alone, pack.packed());
    }

    /** Any GPUs stand for those that it will get. */
    private static Allocation some(Machine now, Job job) {
        int milli = job.spec().gpus().isShare() ? job.spec().gpus().milli() : GpuRequest.WHOLE;
        return new Allocation(now.capacity().gpus().stream()
                .limit(job.spec().gpus().count())
                .map(gpu -> new GpuShare(gpu.id(), milli))
                .toList());
    }

    private Granted.Source source(Mount mount, Job job) {
        try {
            boolean readOnly = parts.mounts().check(mount, job.owner());
            return new Granted.Source(Path.of(mount.source()), mount.target(), readOnly);
        } catch (MountException e) {
            throw ApiException.field("volumes", mount.toString(), e.sentence());
        }
    }

    /** Whether the image is on the machine; empty where the engine does not say. */
    private Optional<Boolean> imageHere(String image) {
        try {
            return Optional.of(parts.engine().findImage(image).isPresent());
        } catch (EngineException e) {
            return Optional.empty();
        }
    }

    /** What a job would wait for before its turn, or end by; empty where it would be ready. */
    private Optional<String> notReady(Job job, Instant date) {
        Prerequisites asked = job.spec().prerequisites();
        Unmet unmet = Unmet.of(asked, Set.of(), date);
        for (Dependency dependency : asked.dependencies()) {
            Job other = queries.find(dependency.job()).orElseThrow(() -> PrerequisiteOptions.gone(dependency.job()));
            if (other.state() instanceof Finished end) {
                if (dependency.kind() == DependencyKind.AFTER_CORR
                        && !dependency.kind().isMetBy(end.name())) {
                    return Optional.of("those of its tasks would wait for their turn whose counterparts in array "
                            + other.number() + " have COMPLETED; the others would end at once, or with --keep-waiting"
                            + " wait for somebody to decide");
                }
                unmet = unmet.after(dependency.job(), end.name());
            }
        }
        if (unmet.isEmpty()) {
            return Optional.empty();
        }
        if (!unmet.broken().isEmpty() && !asked.keepWaiting()) {
            return Optional.of("it would end at once, as " + unmet.broken().first()
                    + " cannot be met any more; leave that out, or give --keep-waiting");
        }
        if (!unmet.broken().isEmpty()) {
            return Optional.of(
                    "it would wait for somebody to decide, as " + unmet.broken().first()
                            + " cannot be met any more: berth release lets it go on then, berth cancel gives it up");
        }
        Instant begin = unmet.begin();
        return Optional.of("it would wait: it "
                + Waiting.of(job, unmet, begin == null ? null : Dates.inWords(begin))
                        .sentence());
    }

    private String standing(Machine now, Job job, Optional<Boolean> imageHere) {
        long ahead = new QueuePositions(now, queries).ahead(job);
        Lane lane = now.laneOf(job);
        boolean starts = ahead == 0
                && now.isStarting()
                && now.busyWorkers(lane) < now.capacity().workers(lane)
                && now.wouldGet(job).isPresent();
        if (job.spec().isAtTarget() && starts) {
            return "it would be handed over to target " + job.spec().target() + " at once";
        }
        String place = starts
                ? "nothing is ahead of it: it would start at once"
                : "it would wait: "
                        + Waiting.of(now, job, ahead, Optional.empty()).sentence();
        return place
                + imageHere
                        .map(here -> here ? "" : "; its image is not on this machine yet")
                        .orElse("; the engine does not say whether its image is on this machine");
    }
}
