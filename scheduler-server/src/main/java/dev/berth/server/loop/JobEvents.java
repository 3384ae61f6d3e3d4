package dev.berth.server.loop;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Change;
import dev.berth.core.machine.Effect;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.DeviceLost;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.TasksTold;
import dev.berth.core.machine.QueueWindow;
import dev.berth.core.machine.Step;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.JobWarning;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Events that happen to a job, to an array with its tasks, or to a task that is no job of its own yet. */
final class JobEvents {
    private static final Logger LOG = LoggerFactory.getLogger(JobEvents.class);

    private final StoredMachine machine;
    private final Steps steps;
    private final JobStore store;

    JobEvents(StoredMachine machine, Steps steps, JobStore store) {
        this.machine = machine;
        this.steps = steps;
        this.store = store;
    }

    /** News of a container that no job owns is no news of a job's. */
    Step happen(JobId job, JobEvent event, Instant now) {
        if (event instanceof JobEvent.OfAttempt of) {
            Attempt attempt = new Attempt(job, of.attempt());
            boolean isOver = of instanceof RunExited || of instanceof JobEvent.RunGone;
            if (isOver && machine.state().orphans().containsKey(attempt)) {
                return steps.apply(new Input.OrphanEnded(now, attempt));
            }
        }
        return happenToJob(job, event, now);
    }

    /** Something happens to a job, or is asked of it. */
    Step happenToJob(JobId id, JobEvent event, Instant now) {
        Optional<Job> subject = machine.find(id);
        if (subject.isEmpty()) {
            return happenToTask(id, event, now);
        }
        if (subject.get().isArray() && event instanceof JobEvent.Request request) {
            return happenToArray(subject.get(), request, now);
        }
        if (event instanceof TasksTold(int attempt, boolean isKnown)
                && subject.get().isPack()) {
            List<Job> tasks = store.tasksOfPack(subject.get());
            return steps.apply(new Input.PackRead(now, subject.get(), new Attempt(id, attempt), isKnown, tasks));
        }
        if (event instanceof DeviceLost lost && !isLoss(subject.get(), lost, now)) {
            return machine.nothing();
        }
        Step asked = machine.step(new Input.JobHappening(now, subject.get(), sinceStartOfPack(subject.get(), event)));
        Step step = asked.then(endEmptied(subject.get(), event, now)).then(steps.tellOthers(now));
        if (step.reply() instanceof Reply.Ignored(Job _, String reason)) {
            LOG.debug("job={} {} ignored: {}", id, event, reason);
        }
        return step;
    }

    /** The news of a task in a pack, whose files anybody may give any date: nothing of it is before the pack's own start. */
    private JobEvent sinceStartOfPack(Job task, JobEvent event) {
        if (!(task.state() instanceof JobState.Packed) || !(event instanceof JobEvent.OfAttempt)) {
            return event;
        }
        return machine.find(task.pack())
                .flatMap(pack -> Optional.ofNullable(pack.state().startedAt()))
                .map(start -> since(start, event))
                .orElse(event);
    }

    private static JobEvent since(Instant start, JobEvent event) {
        return switch (event) {
            case RunStarted(int attempt, Instant startedAt) -> new RunStarted(attempt, later(start, startedAt));
            case RunExited(int attempt, int exitCode, boolean outOfMemory, Instant startedAt, Instant endedAt) ->
                new RunExited(
                        attempt,
                        exitCode,
                        outOfMemory,
                        startedAt == null ? null : later(start, startedAt),
                        later(start, endedAt));
            default -> event;
        };
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    /**
     * A pack of which nothing has begun, and whose last task was cancelled, has nothing to start for: it ends with that, in one
     * commit and before it has its turn.
     */
    private Step endEmptied(Job task, JobEvent event, Instant now) {
        if (!(task.state() instanceof JobState.Packed) || !(event instanceof JobEvent.CancelRequested)) {
            return machine.nothing();
        }
        return machine.find(task.pack())
                .filter(pack -> pack.state() instanceof JobState.Waiting || pack.state() instanceof Creating)
                .filter(pack ->
                        store.tasksOfPack(pack).stream().noneMatch(packed -> packed.state() instanceof JobState.Packed))
                .map(pack -> machine.step(new Input.JobHappening(now, pack, event)))
                .orElseGet(machine::nothing);
    }

    /** Something may be asked of a task before its turn. */
    private Step happenToTask(JobId id, JobEvent event, Instant now) {
        Optional<Job> array = machine.arrayOf(id);
        Integer index = array.map(found -> found.indexOf(id)).orElse(null);
        if (array.isEmpty() || index == null || !(event instanceof JobEvent.Request)) {
            LOG.warn("job={} {} for a job that is not known", id, event.name());
            return machine.nothing();
        }
        return steps.apply(new Input.TaskHappening(
                now, array.get(), index, store.singleTasks(array.get().id()), event));
    }

    /**
     * What is asked of an array is asked of those of its tasks, too, that are jobs of their own; in one commit, and before
     * anything starts.
     */
    private Step happenToArray(Job array, JobEvent.Request event, Instant now) {
        machine.update(state -> state.with(state.deferred().withArray(array.id())));
        Step asked = machine.step(new Input.JobHappening(now, array, event));
        Step all = asked.then(happenToTasks(array.id(), event, now));
        boolean isIgnored =
                asked.reply() instanceof Reply.Ignored && all.changes().isEmpty();
        Step told = all.then(steps.tellOthers(now));
        Reply reply = isIgnored
                ? asked.reply()
                : new Reply.Took(machine.find(array.id()).orElse(array));
        return told.replying(reply);
    }

    private Step happenToTasks(JobId array, JobEvent.Request event, Instant now) {
        List<Change> changes = new ArrayList<>();
        List<Effect> owed = new ArrayList<>();
        // Packs first: what ends with one need not be ended alone.
        List<Job> tasks = new ArrayList<>(store.openPacks(array));
        tasks.addAll(store.openTasks(array, 0, QueueWindow.MAX_JOBS));
        while (!tasks.isEmpty()) {
            for (Job task : tasks) {
                Job known = machine.latest(task);
                Step step = machine.step(new Input.JobHappening(now, known, event));
                changes.addAll(step.changes());
                owed.addAll(step.effects());
            }
            tasks = store.openTasks(array, tasks.getLast().id().value(), QueueWindow.MAX_JOBS);
        }
        return new Step(machine.state(), changes, owed, new Reply.None());
    }

    /** Whether a job has lost GPUs: then it is marked. Anybody may write such words who has none. */
    private boolean isLoss(Job job, DeviceLost lost, Instant now) {
        boolean has = job.state() instanceof JobState.Running running
                && running.attempt() == lost.attempt()
                && !running.allocation().isNone();
        if (has) {
            store.warn(
                    new JobWarning(job.id(), lost.attempt(), JobWarning.DEVICE_LOST, "", lost.sentence(), now, null));
            LOG.warn("job={} {}", job.id(), lost.sentence());
        }
        return has;
    }
}
