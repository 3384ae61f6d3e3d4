package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.OwnEngine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Somebody sets the machine's date, as NTP does after a boot: here the server's alone, by a library that it is started with. */
@SystemTest
class DateTest {
    private static final long HOURS = 3_600;

    private static Map<String, String> settable(Berth berth, Path date) {
        Path library = berth.home().resolve("date.so");
        Command.of("gcc", "-shared", "-fPIC", "-O1", "-o", library.toString())
                .and(berth.project("date.c").path().resolve("date.c").toString())
                .run()
                .expect(0);
        return Map.of("LD_PRELOAD", library.toString(), "BERTH_TEST_DATE", date.toString());
    }

    private static void set(Path date, long seconds) {
        TestFiles.write(date, seconds + "\n");
    }

    private static boolean hasNoticed(Berth berth, String way) {
        return TestFiles.read(berth.dataDirectory().resolve("server.log"))
                .contains("the machine's date was set 2h " + way);
    }

    /** The engine was killed, and its next run ends what it left: nobody saw that, and the date was set since. */
    @Test
    void whatAnEngineEndedAsItBeganIsLostWhateverTheDateSays() {
        try (OwnEngine engine = OwnEngine.start(1).keepContainers(false);
                Berth berth = Berth.on(engine.engine())) {
            Path date = berth.home().resolve("date");
            Map<String, String> settable = settable(berth, date);
            set(date, 0);
            berth.start(settable, "-g");
            SubmittedJob job = berth.submit(berth.project("record.py"), "record.py", "--num-gpus", "1", "--", "gate");
            job.awaitBegun();
            berth.kill();
            engine.signal("KILL");
            engine.awaitDeath();
            engine.startAgain();
            set(date, 2 * HOURS + 1);
            berth.start(settable, "-g");
            Await.that("job " + job.id() + " is over", () -> !job.state().equals("RUNNING"));
            assertThat(job.view().path("reason").asText())
                    .as(job.view().toString())
                    .isEqualTo("ENGINE_STOPPED");
        }
    }

    @Test
    void aTimeLimitCountsTheTimeThatPasses(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            Path date = berth.home().resolve("date");
            Map<String, String> settable = settable(berth, date);
            set(date, 0);
            berth.start(settable, "-g");
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob job = berth.submit(project, "record.py", "--num-gpus", "1", "--time", "1h", "--", "gate");
            job.awaitBegun();

            set(date, 2 * HOURS + 1);
            berth.submit(project, "record.py", "--num-gpus", "1").awaitCompleted();
            Await.that("the server has noticed", () -> hasNoticed(berth, "ahead"));
            assertThat(job.state()).isEqualTo("RUNNING");

            // The next server counts on, and not from what the date says.
            berth.kill();
            berth.start(settable, "-g");
            berth.submit(project, "record.py", "--num-gpus", "1").awaitCompleted();
            assertThat(job.state()).isEqualTo("RUNNING");

            SubmittedJob shorter = berth.submit(project, "record.py", "--num-gpus", "1", "--time", "4s", "--", "gate");
            shorter.awaitBegun();
            set(date, 0);
            shorter.await("TIMEOUT");
            Await.that("the server has noticed", () -> hasNoticed(berth, "back"));
            assertThat(shorter.view().path("ranSeconds").asLong()).isBetween(4L, HOURS);
            assertThat(job.state()).isEqualTo("RUNNING");
            job.open();
            job.awaitCompleted();
        }
    }
}
