package dev.berth.server.runner.target;

import dev.berth.core.job.Job;
import dev.berth.core.machine.Attempt;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import java.util.Map;

/** The engine that tests play is one like the others. */
class PlayedEngineTest extends TargetEngineContract {
    private final PlayedEngine engine = new PlayedEngine();

    @Override
    protected TargetEngine begin() {
        return engine;
    }

    @Override
    protected Handover job(long number) {
        Job job = Jobs.job(
                number, PlayedTarget.SPEC, Jobs.ADA, Jobs.accepted(number, 0).state());
        Handed handed = new Handed(Attempt.of(job), "berth-s-" + number + "-1", Jobs.ADA, Jobs.STARTED);
        return new Handover(handed, job, Jobs.PROGRAM, Map.of(), null);
    }

    @Override
    protected void start(Handed one) {
        engine.start(one.path());
    }

    @Override
    protected void write(Handed one, Stream stream, String line) {
        engine.write(one.path(), stream, line);
    }

    @Override
    protected void end(Handed one, int exitCode) {
        engine.end(one.path(), exitCode);
    }

    @Override
    protected int count(Handed one) {
        return (int) engine.names().stream().filter(one.path()::equals).count();
    }
}
