package dev.berth.server.http.view;

import dev.berth.core.api.Explanation;
import dev.berth.core.api.Explanation.Ahead;
import dev.berth.core.api.Explanation.Holder;
import dev.berth.core.api.JobView;
import dev.berth.core.api.TrackingView.ProgressView;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.StopCause;
import dev.berth.core.machine.Machine;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.store.JobQueries;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Explanations of what a job waits for, who has it, since when, and what comes before it. */
public record Explanations(JobViews views, JobQueries queries) {
    /** The part of a pull's progress that is told to those who may not know of what: no registry has a word in it. */
    private static final Pattern AMOUNT = Pattern.compile("being pulled(?:, \\d+ of \\d+ MB)?");

    /** The number of the jobs before it that are named. */
    private static final int MAX_AHEAD = 5;

    /** For the eyes of who asks. */
    public Explanation of(Job job, Caller caller) {
        Machine now = views.machine().get();
        JobView view = views.listing(caller).of(List.of(job)).getFirst();
        return new Explanation(
                view.id(),
                view.state(),
                view.reason(),
                view.sentence(),
                text(since(now, job)),
                view.position(),
                view.latestStart(),
                view.expectedStart(),
                job.state() instanceof Queued ? ahead(now, job, caller) : List.of(),
                holders(now, job, caller),
                job.state() instanceof Queued && now.isStarting() ? help(now, job, caller) : null,
                view.warnings().stream()
                        .filter(warning -> warning.until() == null)
                        .toList(),
                view.number());
    }

    private Instant since(Machine now, Job job) {
        return switch (job.state()) {
            case Held held -> held.since();
            case Running running -> now.clock().date(running);
            case Finished end -> end.endedAt();
            default -> queries.lastChange(job.id()).orElse(job.submittedAt());
        };
    }

    private static List<Ahead> ahead(Machine now, Job job, Caller caller) {
        return now.inTurn(now.laneOf(job))
                .takeWhile(other -> other.place() < job.place())
                .limit(MAX_AHEAD)
                .map(other -> new Ahead(
                        other.id().value(),
                        Access.sees(caller, other) ? other.owner().name() : null,
                        other.spec().gpus().count(),
                        other.spec().gpus().milli(),
                        other.number()))
                .toList();
    }

    /** A job that waits for its image holds those behind it up, but where these go by. */
    private @Nullable String help(Machine now, Job job, Caller caller) {
        boolean passes = now.capacity().order().passesPulling();
        Job head = passes && now.find(job.id()).isPresent()
                ? job
                : now.next(now.laneOf(job)).orElse(job);
        if (!(head.state() instanceof Queued(int _, ImageState.Pending _))) {
            return null;
        }
        boolean isOwn = head.id().equals(job.id());
        String held = "berth hold " + head.number() + (isOwn && passes ? "" : " lets those behind it by and")
                + " gives the pull up, until berth release " + head.number()
                + (isOwn ? ", which takes at once what was pulled or built here by hand (docker pull)" : "")
                + (passes ? "" : "; queue.pass-while-pulling in the server's settings lets them by during the pull");
        if (isOwn) {
            return held;
        }
        Optional<String> progress = views.pull(head);
        String image = "job " + head.number() + "'s image ";
        return Access.sees(caller, head)
                ? image + head.spec().image()
                        + progress.map(words -> ": " + words).orElse(" is being looked for") + "; " + held
                : progress.filter(words -> AMOUNT.matcher(words).matches())
                                .map(words -> image + "is " + words + "; ")
                                .orElse("")
                        + held + " (its submitter and administrators may)";
    }

    /**
     * Of a throttled array its tasks that run, of a task in a pack that waits for its turn the pack. Else the jobs with GPUs where the head waits for GPUs, or those with the workers
     * of its lane.
     */
    private List<Holder> holders(Machine now, Job job, Caller caller) {
        if (job.state() instanceof Packed(Instant startedAt, StopCause _) && startedAt == null) {
            return holders(now, now.find(job.pack()).stream(), caller);
        }
        if (!(job.state() instanceof Queued)) {
            return List.of();
        }
        if (now.isThrottled(job)) {
            return holders(now, now.busy(job), caller);
        }
        boolean needsGpus = now.next(now.laneOf(job))
                .map(head -> !head.spec().gpus().isNone())
                .orElse(false);
        return holders(
                now,
                now.live().values().stream()
                        .filter(other -> needsGpus
                                ? !((Live) other.state()).allocation().isNone()
                                : now.laneOf(other) == now.laneOf(job)),
                caller);
    }

    private List<Holder> holders(Machine now, Stream<Job> jobs, Caller caller) {
        List<Job> holders = jobs.toList();
        Map<JobId, ProgressView> told = views.progress().of(holders, caller);
        return holders.stream()
                .map(job -> holder(now, job, told.get(job.id()), caller))
                .toList();
    }

    private static Holder holder(Machine now, Job job, @Nullable ProgressView told, Caller caller) {
        // As the date is now: people are told for how long it has run.
        Instant started = job.state() instanceof Running running ? now.clock().date(running) : null;
        int gpus = ((Live) job.state()).allocation().gpus().size();
        // Who holds a GPU is everybody's business.
        boolean isNamed = gpus > 0 || Access.sees(caller, job);
        return new Holder(
                job.id().value(),
                isNamed ? job.owner().name() : null,
                gpus,
                job.spec().gpus().milli(),
                started == null ? null : text(started),
                now.endOf(job).map(Explanations::text).orElse(null),
                told == null ? null : told.expectedEnd(),
                job.number());
    }

    private static String text(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MICROS).toString();
    }
}
