package dev.berth.server.loop;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.Step;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.store.JobStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.IntStream;

/** Submits of pipelines: all jobs of one are accepted, or none is. */
final class PipelineSubmits {
    private final StoredMachine machine;
    private final JobSubmits submits;
    private final AwaitedJobs awaited;
    private final JobStore store;

    PipelineSubmits(StoredMachine machine, JobSubmits submits, AwaitedJobs awaited, JobStore store) {
        this.machine = machine;
        this.submits = submits;
        this.awaited = awaited;
        this.store = store;
    }

    /** Accepts all jobs of a pipeline in one commit, or none: whatever may refuse one of them is looked at before. */
    Step submit(Pipeline pipeline, Instant now, Room room) {
        Optional<Reply> known = earlier(pipeline).or(() -> refusal(pipeline, room));
        if (known.isPresent()) {
            return machine.answered(known.get());
        }
        List<SortedMap<JobId, StateName>> states = IntStream.range(
                        0, pipeline.stages().size())
                .mapToObj(stage -> awaited.states(pipeline.submit(now, stage, List.of())))
                .toList();
        Optional<Reply> refusal = stageRefusal(pipeline, states, now);
        if (refusal.isPresent()) {
            return machine.answered(refusal.get());
        }
        Step all = machine.nothing();
        for (int stage = 0; stage < pipeline.stages().size(); stage++) {
            Step ready = submits.single(pipeline.submit(now, stage, List.of()), states.get(stage));
            all = all.then(ready);
            if (!(ready.reply() instanceof Reply.None)) {
                return all.replying(new Reply.RefusedStage(stage, ready.reply()));
            }
        }
        Step accepted = acceptAll(pipeline, states, now);
        return all.then(accepted).replying(accepted.reply());
    }

    /** The answer to a pipeline that was accepted before; empty where it was not. */
    private Optional<Reply> earlier(Pipeline pipeline) {
        List<Job> jobs = new ArrayList<>();
        long uid = pipeline.submitter().uid();
        for (int stage = 0; stage < pipeline.stages().size(); stage++) {
            SubmitKey key = pipeline.keyOf(stage);
            Optional<JobStore.Submitted> found = key == null ? Optional.empty() : store.findSubmitted(uid, key.key());
            if (key != null && found.isPresent()) {
                Job job = found.get().job();
                if (!found.get().digest().equals(key.digest())) {
                    return Optional.of(new Reply.KeyTaken(job));
                }
                jobs.add(machine.latest(job));
            }
        }
        return jobs.isEmpty() ? Optional.empty() : Optional.of(new Reply.RepeatedAll(jobs));
    }

    /** The refusal where there is no room for all of them. */
    private Optional<Reply> refusal(Pipeline pipeline, Room room) {
        long uid = pipeline.submitter().uid();
        long waiting = store.waiting(uid);
        long taken = store.bytes(uid);
        long asked = pipeline.stages().stream().mapToLong(Pipeline.Stage::bytes).sum();
        if (waiting > room.jobs() - pipeline.stages().size()) {
            return Optional.of(new Reply.QueueFull(waiting, pipeline.stages().size()));
        }
        return taken > room.bytes() - asked ? Optional.of(new Reply.NoRoom(taken, asked)) : Optional.empty();
    }

    /** The refusal of the first of them that is not accepted; nothing is changed for those before it. */
    private Optional<Reply> stageRefusal(Pipeline pipeline, List<SortedMap<JobId, StateName>> states, Instant now) {
        Map<JobId, Integer> pairs = new HashMap<>();
        for (int stage = 0; stage < pipeline.stages().size(); stage++) {
            SubmitJob submit = pipeline.submit(now, stage, List.of());
            Optional<Reply> misfit =
                    machine.state().capacity().refusal(submit.spec()).map(Reply.Refused::new);
            SortedMap<JobId, StateName> own = states.get(stage);
            Optional<Reply> refusal =
                    misfit.or(() -> awaited.missingTask(submit, own)).or(() -> awaited.pairsRefusal(submit, pairs));
            if (refusal.isPresent()) {
                return Optional.of(new Reply.RefusedStage(stage, refusal.get()));
            }
            AwaitedJobs.taskByTask(submit).forEach(other -> pairs.merge(other, 1, Integer::sum));
        }
        return Optional.empty();
    }

    private Step acceptAll(Pipeline pipeline, List<SortedMap<JobId, StateName>> states, Instant now) {
        List<Job> accepted = new ArrayList<>();
        Step all = machine.nothing();
        for (int stage = 0; stage < pipeline.stages().size(); stage++) {
            SubmitJob submit =
                    pipeline.submit(now, stage, accepted.stream().map(Job::id).toList());
            Step step = submits.acceptReadied(submit, states.get(stage));
            if (!(step.reply() instanceof Reply.Accepted(Job job))) {
                throw new IllegalStateException("stage " + stage + " of a pipeline was answered with " + step.reply());
            }
            accepted.add(job);
            all = all.then(step);
        }
        return all.replying(new Reply.AcceptedAll(accepted));
    }
}
