package dev.berth.server.runner.target;

/** The runner of targets on the engine that tests play. */
class PlayedTargetRunnerTest extends TargetRunnerContract {
    private final PlayedEngine engine = new PlayedEngine();

    @Override
    protected TargetEngine connect() {
        return engine;
    }

    @Override
    protected void start(Handed one) {
        engine.start(one.path());
    }

    @Override
    protected void end(Handed one, int exitCode) {
        engine.end(one.path(), exitCode);
    }

    @Override
    protected boolean isAlive(Handed one) {
        return engine.isAlive(one.path());
    }
}
