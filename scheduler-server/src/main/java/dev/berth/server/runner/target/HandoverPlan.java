package dev.berth.server.runner.target;

import dev.berth.core.job.Job;
import dev.berth.core.job.Program;
import dev.berth.core.machine.Attempt;
import dev.berth.core.parameter.TaskParameters;
import dev.berth.server.code.SnapshotArchive.Submitted;
import dev.berth.server.runner.ArrayEnvironment;
import dev.berth.server.runner.target.Handover.Needed;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is handed over of a job. */
final class HandoverPlan {
    private HandoverPlan() {}

    static Handover of(TargetParts parts, Job job, Program program, List<Needed> needed, boolean mayBeThere) {
        TaskParameters parameters = program.of(job);
        Program own = parameters == null
                ? program
                : new Program(parameters.filled(program.command()), program.environment(), program.parameters());
        String snapshot = job.spec().snapshot();
        return new Handover(
                parts.handed(job),
                job,
                own,
                environment(job, parameters),
                snapshot.isEmpty() ? null : new StoredSnapshot(Submitted.of(job), parts.snapshots()),
                needed,
                mayBeThere);
    }

    /** The variables that Berth sets whatever the engine. Where files are, the engine says. */
    private static Map<String, String> environment(Job job, @Nullable TaskParameters parameters) {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("PYTHONUNBUFFERED", "1");
        environment.put("BERTH_JOB_ID", job.number());
        environment.putAll(ArrayEnvironment.of(job));
        if (parameters != null) {
            environment.putAll(parameters.variables());
        }
        environment.put("BERTH_ATTEMPT", Integer.toString(Attempt.of(job).number()));
        environment.put("BERTH_NUM_GPUS", Integer.toString(job.spec().gpus().count()));
        environment.put("BERTH_PROJECT", job.spec().project());
        return environment;
    }
}
