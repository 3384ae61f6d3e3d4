package dev.berth.server.http.view;

import dev.berth.core.api.AttemptView;
import dev.berth.core.api.GitView;
import dev.berth.core.api.GpuView;
import dev.berth.core.api.JobView;
import dev.berth.core.api.MachineUsageView;
import dev.berth.core.api.TrackingView.ProgressView;
import dev.berth.core.api.UsageView;
import dev.berth.core.api.WarningView;
import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Part;
import dev.berth.core.job.Program;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.QueueReason;
import dev.berth.core.machine.Waiting;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.parameter.TaskParameters;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.Workspaces;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.log.LogStore;
import dev.berth.server.runner.EngineHealth;
import dev.berth.server.runner.EngineOutage;
import dev.berth.server.runner.EngineText;
import dev.berth.server.runner.StartForecasts;
import dev.berth.server.runner.docker.image.Images;
import dev.berth.server.runner.target.TargetStandings;
import dev.berth.server.store.EndedAttempt;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobWarning;
import dev.berth.server.time.Dates;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Jobs and GPUs as the API shows them: the one sentence, the place in the queue, indices for people.
 *
 * @param machine gives the state as last committed
 */
public record JobViews(
        Supplier<Machine> machine,
        JobQueries queries,
        Images images,
        EngineHealth engine,
        StartForecasts forecasts,
        TargetStandings targets,
        Workspaces workspaces,
        SnapshotStore snapshots,
        LogStore logs,
        UsageViews usages,
        ProgressViews progress,
        InstantSource clock) {

    private static final Duration LOG_PATIENCE = Duration.ofSeconds(1);

    /** The statement about where a job stands, with all that was said where its sentence is short for that. */
    private record Standing(
            @Nullable String reason,
            String sentence,
            @Nullable String details,
            @Nullable Long position,
            @Nullable Instant latestStart,
            @Nullable Instant expectedStart) {
        Standing(@Nullable String reason, String sentence) {
            this(reason, sentence, null, null, null, null);
        }
    }

    /** The values that lists show beside their jobs. */
    @FunctionalInterface
    public interface Values {
        /** What jobs told by the names that are asked for; nothing of jobs that are not to show it. */
        Map<JobId, Map<String, String>> of(List<Job> jobs);
    }

    /** The view of a job as it stands, with its program. */
    public JobView of(Job job) {
        return of(job, queries.program(job).orElse(null));
    }

    /** The view of a job of which the program is known. */
    public JobView of(Job job, @Nullable Program program) {
        return listing(null).of(List.of(job), program).getFirst();
    }

    /** The view of a job as in a list. */
    public JobView brief(Job job) {
        return of(job, null);
    }

    /** The queue as of one moment, and what can be told of its turns. */
    private record Turns(QueuePositions places, ExpectedStarts expected) {}

    private Turns turns() {
        Machine now = machine.get();
        return new Turns(new QueuePositions(now, queries), new ExpectedStarts(now, forecasts, progress));
    }

    /** The view of a job with all that is known of it, the GPUs that it held last included. */
    public JobView whole(Job job, Caller asker) {
        Turns turns = turns();
        QueuePositions places = turns.places();
        Job pack = packs(places.now(), List.of(job)).get(job.id());
        List<GpuId> gpus =
                job.state() instanceof Finished ? lastGpus(pack == null ? job.id() : pack.id()) : held(job, pack);
        ArrayViews arrays = new ArrayViews(queries, usages, places.now());
        SortedMap<StateName, Long> tasks = arrays.counts(job);
        return of(
                places.now(),
                job,
                queries.program(job).orElse(null),
                pack,
                standing(job, turns, tasks, pack),
                gpus,
                progress.of(List.of(job), asker).get(job.id()),
                git(job),
                job.isArray() ? views(queries.taskWarnings(job.id(), false), null) : warnings(job),
                job.isArray() ? arrays.usage(job) : usage(job, pack, usages.of(List.of(job))),
                usages.machine(job),
                tasks,
                attempts(places.now(), job),
                null,
                Access.mayRead(asker, job));
    }

    private List<GpuId> lastGpus(JobId job) {
        return queries.lastGpus(job).stream().map(GpuId::new).toList();
    }

    /** The GPUs that a job holds now, or that its pack does in which it runs. */
    private static List<GpuId> held(Job job, @Nullable Job pack) {
        boolean runs = job.state() instanceof Packed packed && packed.startedAt() != null;
        JobState state = pack != null && runs ? pack.state() : job.state();
        return state instanceof Live live ? live.allocation().gpus() : List.of();
    }

    private List<AttemptView> attempts(Machine now, Job job) {
        List<EndedAttempt> attempts = queries.attempts(job.id());
        Job first = attempts.isEmpty() ? null : queries.packOfFirst(job).orElse(null);
        return attempts.stream()
                .map(attempt -> attempt(now, attempt, attempt.end().attempt() == 1 ? first : null))
                .toList();
    }

    private AttemptView attempt(Machine now, EndedAttempt attempt, @Nullable Job pack) {
        Finished end = attempt.end();
        List<GpuId> gpus =
                pack == null ? attempt.gpus().stream().map(GpuId::new).toList() : lastGpus(pack.id());
        return new AttemptView(
                end.attempt(),
                end.outcome().state().name(),
                end.outcome().reason().name(),
                EngineText.of(end.outcome().sentence()).sentence(),
                end.outcome().exitCode(),
                attempt.isRetried(),
                gpus.stream().map(GpuId::uuid).toList(),
                gpus.stream().map(gpu -> index(now, gpu)).toList(),
                pack == null ? null : pack.number(),
                textOrNull(end.startedAt()),
                text(end.endedAt()),
                end.ran().toSeconds());
    }

    /** What nobody saw the end of has ended with the job. */
    private List<WarningView> warnings(Job job) {
        Instant end = job.state() instanceof Finished finished ? finished.endedAt() : null;
        return views(queries.warnings(job.id(), job.state().attempt()), end);
    }

    private static List<WarningView> views(List<JobWarning> warnings, @Nullable Instant end) {
        return warnings.stream()
                .map(warning -> new WarningView(
                        warning.code(),
                        warning.sentence(),
                        text(warning.since()),
                        textOrNull(warning.endedAt() == null ? end : warning.endedAt())))
                .toList();
    }

    /**
     * The views of a list that is shown piece by piece, all as of now.
     *
     * @param asker for whose eyes; null for somebody who may read all that is private in the jobs
     */
    public Listing listing(@Nullable Caller asker) {
        return listing(asker, _ -> Map.of());
    }

    /** The same with values that jobs told. */
    public Listing listing(@Nullable Caller asker, Values values) {
        return new Listing(turns(), asker, values);
    }

    /** Jobs in the order of a list; what is ahead of one is counted from the one before it. For one thread. */
    public final class Listing {
        private final Turns turns;
        private final QueuePositions places;
        private final ArrayViews arrays;
        private final @Nullable Caller asker;
        private final Values values;

        private Listing(Turns turns, @Nullable Caller asker, Values values) {
            this.turns = turns;
            this.places = turns.places();
            this.asker = asker;
            this.values = values;
            this.arrays = new ArrayViews(queries, usages, places.now());
        }

        public List<JobView> of(List<Job> jobs) {
            return of(jobs, null);
        }

        private List<JobView> of(List<Job> jobs, @Nullable Program program) {
            Map<JobId, UsageView> used = usages.of(jobs);
            Map<JobId, Job> packs = packs(places.now(), jobs);
            Map<JobId, ProgressView> told = progress.of(jobs, asker);
            Map<JobId, Map<String, String>> shown = values.of(jobs);
            return jobs.stream()
                    .map(job -> of(job, program, packs.get(job.id()), told.get(job.id()), used, shown.get(job.id())))
                    .toList();
        }

        private JobView of(
                Job job,
                @Nullable Program program,
                @Nullable Job pack,
                @Nullable ProgressView told,
                Map<JobId, UsageView> used,
                @Nullable Map<String, String> shown) {
            SortedMap<StateName, Long> tasks = arrays.counts(job);
            return JobViews.this.of(
                    places.now(),
                    job,
                    program,
                    pack,
                    standing(job, turns, tasks, pack),
                    held(job, pack),
                    told,
                    null,
                    warnings(job, tasks),
                    job.isArray() ? arrays.usageInList(job, tasks) : usage(job, pack, used),
                    job.spec().isAtTarget() && job.state() instanceof Finished ? usages.machine(job) : null,
                    tasks,
                    List.of(),
                    shown,
                    asker == null || Access.mayRead(asker, job));
        }

        /** Those of what runs. */
        private List<WarningView> warnings(Job job, SortedMap<StateName, Long> tasks) {
            if (ArrayViews.areOpen(tasks)) {
                return views(queries.taskWarnings(job.id(), true), null);
            }
            return job.state() instanceof Live ? JobViews.this.warnings(job) : List.of();
        }
    }

    /** The packs of tasks, by the tasks; as long as one runs it is among those that hold workers. */
    private Map<JobId, Job> packs(Machine now, List<Job> jobs) {
        Map<JobId, Job> packs = new HashMap<>(queries.packs(jobs));
        packs.replaceAll((_, pack) -> now.find(pack.id()).orElse(pack));
        return packs;
    }

    /** The GPUs of a task in a pack are the pack's, and so is what is made of them. */
    private static @Nullable UsageView usage(Job job, @Nullable Job pack, Map<JobId, UsageView> used) {
        return pack == null ? used.get(job.id()) : null;
    }

    private JobView of(
            Machine now,
            Job job,
            @Nullable Program program,
            @Nullable Job pack,
            Standing standing,
            List<GpuId> gpus,
            @Nullable ProgressView told,
            @Nullable GitView git,
            List<WarningView> warnings,
            @Nullable UsageView used,
            @Nullable MachineUsageView machineUsage,
            SortedMap<StateName, Long> tasks,
            List<AttemptView> attempts,
            @Nullable Map<String, String> values,
            boolean isPrivy) {
        Outcome outcome = job.state() instanceof Finished end ? end.outcome() : null;
        return new JobView(
                job.id().value(),
                job.state().name().name(),
                standing.reason(),
                standing.sentence(),
                standing.details(),
                job.owner().name(),
                program == null ? null : program.command(),
                job.spec().snapshot(),
                job.spec().gpus().count(),
                gpus.stream().map(GpuId::uuid).toList(),
                gpus.stream().map(gpu -> index(now, gpu)).toList(),
                isWaiting(job) ? job.state().attempt() - 1 : job.state().attempt(),
                outcome == null ? null : outcome.exitCode(),
                standing.position(),
                program == null ? null : List.copyOf(program.environment().keySet()),
                job.spec().resubmitOf(),
                textOrNull(standing.latestStart()),
                textOrNull(standing.expectedStart()),
                job.isArray() || job.isPack() ? "" : workspaces.output(job).toString(),
                text(job.submittedAt()),
                textOrNull(job.state().startedAt()),
                job.state() instanceof Finished end ? text(end.endedAt()) : null,
                job.state().startedAt() == null ? null : usages.ran(job.state()).toSeconds(),
                told,
                git,
                job.spec().gpus().milli(),
                job.spec().isHost(),
                job.state() instanceof Live live ? live.allocation().cpus() : List.of(),
                isPrivy ? warnings : HiddenReceivers.warnings(warnings),
                used,
                machineUsage,
                job.number(),
                job.array() == null ? null : job.array().value(),
                job.part() instanceof Part.Task task ? task.index() : null,
                pack == null ? null : pack.number(),
                job.isArray() ? ArrayViews.tasks(job, tasks) : null,
                program == null || program.parameters() == null || !job.isArray()
                        ? null
                        : List.copyOf(program.parameters().varied()),
                parameters(job, program),
                attempts,
                values,
                job.spec().target(),
                targets.kind(job).orElse(null),
                SpecValues.of(job.spec(), isPrivy));
    }

    /** Those of a task of a sweep; null for others. */
    private @Nullable Map<String, String> parameters(Job job, @Nullable Program program) {
        if (!(job.part() instanceof Part.Task task)) {
            return null;
        }
        Parameters all = program == null ? queries.parameters(task.array()).orElse(null) : program.parameters();
        return all == null ? null : new TaskParameters(all, task.index()).shown();
    }

    /** A task that is no job of its own waits as its array does, and for those before it. */
    private Standing waitingTask(Job task, Turns turns) {
        if (!(task.part() instanceof Part.Task part)) {
            return waiting(task, turns);
        }
        QueuePositions places = turns.places();
        Job array = places.now()
                .find(part.array())
                .or(() -> queries.find(part.array()))
                .orElse(null);
        if (array == null || !array.waiting().contains(part.index()) || !(array.state() instanceof Queued)) {
            return waiting(task, turns);
        }
        Standing whole = waiting(array, turns);
        Waiting own = Waiting.ofTask(
                places.now(),
                task,
                new Waiting(QueueReason.valueOf(Objects.requireNonNull(whole.reason())), whole.sentence()),
                array.waiting().position(part.index()));
        return new Standing(own.reason().name(), own.sentence(), null, whole.position(), null, null);
    }

    /** The GPUs, for the eyes of who asks. */
    public List<GpuView> gpus(Caller asker) {
        Machine now = machine.get();
        return now.capacity().gpus().stream()
                .map(gpu -> GpuViews.view(now, gpu, usages.status(gpu), asker, queries::number))
                .toList();
    }

    private Standing standing(Job job, Turns turns, SortedMap<StateName, Long> tasks, @Nullable Job pack) {
        Machine now = turns.places().now();
        return switch (job.state()) {
            case Queued _ -> waitingTask(job, turns);
            case Dispatched dispatched -> new Standing(null, ArrayViews.dispatched(dispatched, tasks));
            case Deferred deferred -> {
                Waiting waiting = Waiting.of(job, deferred.unmet(), begin(deferred.unmet()));
                yield new Standing(waiting.reason().name(), waiting.sentence());
            }
            case Held held -> {
                Unmet unmet = held.unmet().at(clock.instant());
                Waiting waiting = Waiting.of(now, job, held, unmet, begin(unmet));
                yield new Standing(waiting.reason().name(), waiting.sentence());
            }
            case HandedOver _ -> atTarget(job);
            case Creating _ when job.spec().isAtTarget() -> handedOver(job);
            case Creating c ->
                underWay(
                        job,
                        (job.spec().isHost() ? "its berth command starts it" : "its container is being made")
                                + on(now, c.allocation()));
            case Starting s ->
                underWay(
                        job,
                        (job.spec().isHost() ? "its program is started" : "its container is being started")
                                + on(now, s.allocation()));
            case Running r ->
                job.spec().isAtTarget()
                        ? atTarget(
                                job,
                                null,
                                "runs at " + name(job)
                                        + targets.words(job)
                                                .map(words -> ": " + words)
                                                .orElse(""))
                        : new Standing(null, "runs" + on(now, r.allocation()));
            case Stopping s -> underWay(job, "is being stopped: " + cause(s.cause()));
            case Packed packed -> inPack(now, job, packed, pack);
            case Finished end -> ended(job, end.outcome(), tasks);
        };
    }

    private Standing handedOver(Job job) {
        String sentence = "is being handed over to " + name(job);
        return targets.outage(job).isPresent() ? atTarget(job, null, sentence) : underWay(job, sentence);
    }

    /** In the queue of its target's engine, whose words these are. */
    private Standing atTarget(Job job) {
        String words = targets.words(job).orElse(name(job) + " has it in its queue");
        return atTarget(job, QueueReason.AT_TARGET.name(), words);
    }

    private Standing atTarget(Job job, @Nullable String reason, String sentence) {
        return targets.outage(job)
                .map(outage -> new Standing(
                        QueueReason.ENGINE_UNREACHABLE.name(),
                        sentence + "; "
                                + outage.unreachable("target " + job.spec().target() + " does not answer")))
                .orElseGet(() -> new Standing(reason, sentence));
    }

    private String name(Job job) {
        return "target " + job.spec().target()
                + targets.kind(job).map(kind -> " (" + kind + ")").orElse("");
    }

    private Standing inPack(Machine now, Job job, Packed packed, @Nullable Job pack) {
        if (packed.stop() != null) {
            return underWay(job, "is being stopped: " + cause(packed.stop()));
        }
        String container = "in the container of its pack"
                + (pack == null ? "" : ", job " + pack.number() + ofPack(now, pack.state()));
        return packed.startedAt() == null
                ? new Standing(QueueReason.IN_PACK.name(), "waits for its turn " + container)
                : new Standing(null, "runs " + container);
    }

    private static String ofPack(Machine now, JobState pack) {
        return switch (pack) {
            case Live live -> on(now, live.allocation());
            case Held _ -> ", which is held";
            default -> "";
        };
    }

    /** The program's last words are shown, and decide nothing. */
    private Standing ended(Job job, Outcome outcome, SortedMap<StateName, Long> tasks) {
        String last =
                outcome.reason() == OutcomeReason.EXITED_NONZERO && !job.spec().isHost()
                        ? logs.lastErrorLine(job.id()).map(ProgramWords::quoted).orElse("")
                        : "";
        EngineText text = EngineText.of(outcome.sentence());
        return new Standing(
                outcome.reason().name(),
                ArrayViews.beforeRest(job, tasks)
                        + text.sentence()
                        + (last.isEmpty() ? "" : "; the last line of its stderr: " + last),
                text.details(),
                null,
                null,
                null);
    }

    /** Waits a moment for the rest of the log of a job that has failed just now: its last line is part of the sentence. */
    public void awaitLastLine(Job job) throws InterruptedException {
        boolean isNew = job.state() instanceof Finished end
                && end.outcome().reason() == OutcomeReason.EXITED_NONZERO
                && end.endedAt().plus(LOG_PATIENCE).isAfter(clock.instant());
        if (isNew) {
            logs.awaitComplete(job.id(), LOG_PATIENCE);
        }
    }

    /** The statement about what the engine is at for a job, or what keeps it from that. */
    private Standing underWay(Job job, String sentence) {
        if (job.spec().isHost()) {
            return new Standing(null, sentence);
        }
        if (targets.outage(job).isPresent()) {
            return atTarget(job, null, sentence);
        }
        Optional<EngineOutage> outage = engine.outage().filter(_ -> !job.spec().isAtTarget());
        if (outage.isPresent()) {
            return new Standing(
                    QueueReason.ENGINE_UNREACHABLE.name(),
                    sentence + "; " + outage.get().unreachable());
        }
        return engine.failing(job.id())
                .map(failure -> new Standing(
                        QueueReason.ENGINE_FAILING.name(),
                        sentence + "; " + EngineText.of(failure.failing()).sentence()))
                .orElseGet(() -> new Standing(null, sentence));
    }

    private Standing waiting(Job job, Turns turns) {
        QueuePositions places = turns.places();
        Machine now = places.now();
        long ahead = places.ahead(job);
        Waiting usual = Waiting.of(now, job, ahead, pull(job));
        boolean needsEngine = now.next(now.laneOf(job))
                .filter(next -> next.spec().needsNoImage())
                .isEmpty();
        Waiting waiting = engine.outage()
                .filter(_ -> needsEngine)
                .map(outage -> usual.without(outage.unreachable()))
                .orElse(usual);
        return new Standing(
                waiting.reason().name(),
                EngineText.of(waiting.sentence()).sentence(),
                null,
                waiting.reason() == QueueReason.AT_TARGET ? null : Long.valueOf(ahead + 1),
                forecasts.latestStart(now, job.id(), clock.instant()).orElse(null),
                turns.expected().of(job.id()).orElse(null));
    }

    private static @Nullable String begin(Unmet unmet) {
        return unmet.begin() == null ? null : Dates.inWords(unmet.begin());
    }

    private static String cause(StopCause cause) {
        return switch (cause) {
            case StopCause.Cancelled(String by) -> "cancelled by " + by;
            case StopCause.TimeLimit() -> "its time limit is reached";
            case StopCause.Idle(String sentence) -> sentence;
            case StopCause.DeviceLost(String sentence) -> sentence;
        };
    }

    /** The progress of the pull of a job's image, for people; empty where none is going on. */
    Optional<String> pull(Job job) {
        return images.progress(job.id());
    }

    private static String on(Machine now, Allocation allocation) {
        if (allocation.isNone()) {
            return "";
        }
        String indices = allocation.gpus().stream()
                .map(gpu ->
                        now.capacity().index(gpu).orElseGet(() -> gpu.uuid() + ", which this server does not allocate"))
                .collect(Collectors.joining(", "));
        return (allocation.gpus().size() == 1 ? " on GPU " : " on GPUs ") + indices;
    }

    private static String index(Machine now, GpuId gpu) {
        return now.capacity().index(gpu).orElse(JobView.OTHER_GPU);
    }

    /** A snapshot that was swept, or cannot be read, tells nothing any more; the job is shown all the same. */
    private @Nullable GitView git(Job job) {
        try {
            return snapshots
                    .git(job.owner().uid(), job.spec().snapshot())
                    .map(git -> new GitView(
                            git.commit(),
                            git.branch().orElse(null),
                            git.dirty(),
                            git.diffDigest().orElse(null)))
                    .orElse(null);
        } catch (IOException e) {
            return null;
        }
    }

    private static boolean isWaiting(Job job) {
        return job.state() instanceof JobState.Waiting;
    }

    private static @Nullable String textOrNull(@Nullable Instant instant) {
        return instant == null ? null : text(instant);
    }

    /** As precise as the store keeps it, so that a job from memory and the same from the disk look the same. */
    static String text(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MICROS).toString();
    }
}
