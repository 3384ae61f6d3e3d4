package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SystemTest;
import org.junit.jupiter.api.Test;

/** A program is told before its time limit, and has as long to end there as its job says. */
@SystemTest
class CheckpointTest {
    private static final int TIMED_OUT = 124;

    @Test
    void aProgramIsToldBeforeItsLimitAndHasItsOwnGraceThere() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            berth.start("--set", "jobs.stop-grace=1s");
            ProjectDirectory project = berth.project("checkpoint.py");
            Ran own = follow(berth, project, "--grace", "20s").expect(TIMED_OUT);
            assertThat(own.lines()).containsExactly("ready", "told by SIGUSR1", "told by SIGTERM", "saved");

            Ran servers = follow(berth, project).expect(TIMED_OUT);
            assertThat(servers.lines()).containsExactly("ready", "told by SIGUSR1", "told by SIGTERM");

            assertThat(berth.run("events", "1").out())
                    .contains("SignalDue: SIGUSR1, 2s before its time limit", "SignalSent: SIGUSR1");
        }
    }

    private static Ran follow(Berth berth, ProjectDirectory project, String... options) {
        return berth.command("submit", "--follow", "scheduler")
                .and(project.path().toString(), "--time", "4s", "--signal", "USR1@2s")
                .and(options)
                .and("checkpoint.py", "4")
                .run();
    }
}
