package dev.berth.server.loop;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Program;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Input.SubmitJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that are accepted all or none, in one commit.
 *
 * @param key by which a retry of the whole is known
 */
public record Pipeline(
        List<Stage> stages, Submitter submitter, @Nullable SubmitKey key) {
    /** The most jobs of one pipeline: the loop accepts them in one step. */
    public static final int MAX_STAGES = 100;

    /** The most bytes that the programs and options of all its jobs take: ranges and draws make much of a small request. */
    public static final long MAX_BYTES = 4L << 20;

    /** The most jobs that those of one pipeline may wait for in all: the loop looks at each in the same step. */
    public static final int MAX_DEPENDENCIES = 1_000;

    /** Stands in no key of a client's, so that no other submit's key is one of these. */
    private static final String BEFORE_NUMBER = " ";

    public Pipeline {
        stages = List.copyOf(stages);
    }

    /**
     * One of the jobs.
     *
     * @param earlier the stages before it that it waits for, beside the jobs that its spec names
     */
    public record Stage(JobSpec spec, Program program, List<Earlier> earlier) {
        public Stage {
            earlier = List.copyOf(earlier);
        }

        /** The number of jobs that it waits for. */
        public int dependencies() {
            return spec.prerequisites().dependencies().size() + earlier.size();
        }

        /** The room that the job takes: that of its program and its options. */
        public long bytes() {
            return spec.bytes() + program.bytes() + Prerequisites.bytes(earlier.size());
        }
    }

    /**
     * A stage that another one waits for.
     *
     * @param stage its place, from 0
     */
    public record Earlier(DependencyKind kind, int stage) {}

    /** The key under which the job of a stage is kept. */
    public static String keyOf(String key, int stage) {
        return key + BEFORE_NUMBER + stage;
    }

    @Nullable
    SubmitKey keyOf(int stage) {
        return key == null ? null : new SubmitKey(keyOf(key.key(), stage), key.digest());
    }

    /**
     * The submit of a stage.
     *
     * @param accepted the jobs of the stages before it; with none, it waits only for what its spec names
     */
    SubmitJob submit(Instant now, int stage, List<JobId> accepted) {
        Stage one = stages.get(stage);
        Prerequisites asked = one.spec().prerequisites();
        List<Dependency> all = new ArrayList<>(asked.dependencies());
        for (Earlier earlier : one.earlier()) {
            if (earlier.stage() < accepted.size()) {
                all.add(new Dependency(earlier.kind(), accepted.get(earlier.stage())));
            }
        }
        JobSpec spec = one.spec().waitingFor(new Prerequisites(asked.begin(), all, asked.keepWaiting()));
        return new SubmitJob(now, spec, one.program(), submitter, keyOf(stage));
    }
}
