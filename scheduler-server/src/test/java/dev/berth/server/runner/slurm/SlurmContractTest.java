package dev.berth.server.runner.slurm;

import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.TargetEngine;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import dev.berth.server.runner.target.TargetEngineContract;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;

/** The contract of engines at a real Slurm cluster. */
class SlurmContractTest extends TargetEngineContract {
    /** Does what the files say that are put beside it, and takes them away. */
    private static final String PROGRAM = """
            take() { if [ -e output ]; then cat output; rm output; fi
                if [ -e track ]; then cat track >> "$BERTH_TRACK"; rm track; fi; }
            until [ -e end ]; do take; sleep 0.05; done
            take
            exit "$(cat end)"
            """;

    private static SlurmLab lab;
    private static long before;

    private final Map<Long, Handover> jobs = new HashMap<>();

    @BeforeAll
    static void startLab(TestInfo test) {
        // Classes that run at the same time have users of their own.
        lab = SlurmLab.start(test.getTestClass().orElseThrow() == SlurmContractTest.class ? "contract" : "sshcontract");
    }

    static SlurmLab lab() {
        return lab;
    }

    @AfterAll
    static void closeLab() {
        lab.close();
    }

    @Override
    protected TargetEngine begin() {
        return SlurmLab.engine(lab.settings());
    }

    /** One of its own, whose name no other test's has. */
    @Override
    protected Handover job(long number) {
        return jobs.computeIfAbsent(
                number,
                _ -> SlurmJobs.handover(
                        SlurmJobs.handed(++before, lab.ada().submitter()),
                        SlurmJobs.spec(0),
                        SlurmJobs.shell(PROGRAM),
                        null));
    }

    @Override
    protected void start(Handed one) {
        lab.untilRuns(one);
    }

    @Override
    protected void write(Handed one, Stream stream, String line) {
        lab.put(one, stream == Stream.TRACK ? "track" : "output", line);
    }

    @Override
    protected void end(Handed one, int exitCode) {
        lab.put(one, "end", Integer.toString(exitCode));
        Phase _ = lab.over(one);
    }

    @Override
    protected int count(Handed one) {
        return List.of(lab.of(one).split("\n")).size();
    }
}
