package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ProgramRunTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int MANY = 50;

    private static Said shell(Duration deadline, int mostBytes, String script) {
        return new ProgramRun(deadline, mostBytes, "the script", Kind.UNREACHABLE)
                .run(List.of("/bin/sh", "-c", script), Map.of(), ProgramRun.NOTHING);
    }

    /** An answer taken for nothing would be believed: that Slurm has none of our jobs. */
    @Test
    void hearsAllThatAProgramSaysHoweverLateItIsListenedTo() throws Exception {
        try (ExecutorService many = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<String> one = () -> {
                Said said = shell(LONG, ProgramRun.SMALL, "echo there; echo and there >&2; exit 3");
                return said.code() + said.text() + said.error();
            };
            List<Future<String>> answers = many.invokeAll(Collections.nCopies(MANY, one));
            for (Future<String> answer : answers) {
                assertThat(answer.get()).isEqualTo("3there\nand there\n");
            }
        }
    }

    @Test
    void endsWhatIsNotOverInTime() {
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> shell(Duration.ofMillis(300), ProgramRun.SMALL, "echo why >&2; sleep 300"))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                .withMessageContaining("the script")
                .withMessageContaining("why");
    }

    /** As ssh does for its user's next connection (ssh_config(5), ControlPersist). */
    @Test
    void doesNotWaitForWhatAProgramLeavesBehind() {
        Said said = shell(LONG, ProgramRun.SMALL, "sleep 9 > /dev/null & echo $!");
        ProcessHandle left =
                ProcessHandle.of(Long.parseLong(said.text().strip())).orElseThrow();
        assertThat(left.destroyForcibly()).isTrue();
    }

    /**
     * Its output may be half of it. What is more than a pipe holds is said once somebody listens; else the virtual machine itself takes
     * what an ended program has said, and closes the pipe (java.lang.ProcessImpl, ProcessPipeInputStream).
     */
    @Test
    void failsWhereWhatIsLeftBehindCouldStillSayMore() {
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> shell(LONG, ProgramRun.SMALL, "sleep 30 & head -c 200000 /dev/zero; sleep 1"))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.FAILING))
                .withMessage("the script ended, and its output could not be read to its end");
    }

    @Test
    void failsWhereAProgramSaysTooMuch() {
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> shell(LONG, 10, "head -c 1000000 /dev/zero"))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.FAILING))
                .withMessage("the script said more than 10 bytes, and was not listened to any further");
    }
}
