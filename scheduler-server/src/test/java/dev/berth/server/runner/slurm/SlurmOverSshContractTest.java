package dev.berth.server.runner.slurm;

import dev.berth.server.runner.target.TargetEngine;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The same contract for a server that comes to the cluster by ssh, with the submitter's own key. */
class SlurmOverSshContractTest extends SlurmContractTest {
    private static LoginNode login;

    @BeforeAll
    static void startLogin() throws IOException {
        login = LoginNode.start(lab().ada());
    }

    @AfterAll
    static void closeLogin() {
        login.close();
    }

    @Override
    protected TargetEngine begin() {
        SlurmEngine engine = SlurmLab.engine(SlurmJobs.over(lab().settings(), LoginNode.NAME));
        // How it is there, a server knows once it has come there with somebody's key.
        var _ = engine.look(List.of(SlurmJobs.handed(1_000_000, lab().ada().submitter())));
        return engine;
    }
}
