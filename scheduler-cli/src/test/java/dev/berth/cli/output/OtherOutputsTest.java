package dev.berth.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.cli.Captured;
import dev.berth.cli.Samples;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.JobList;
import dev.berth.core.api.LogFrame;
import dev.berth.core.api.SubmitPlan;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class OtherOutputsTest {
    private final Captured captured = new Captured();
    private final Output json = new JsonOutput(captured.screen(0));
    private final Output quiet = new QuietOutput(captured.screen(0));

    private static void sayEverything(Output output) {
        JobList jobs = new JobList(List.of(Samples.running(1), Samples.queued(2, 1)), null);
        output.submitted(Samples.queued(3, 1));
        output.following(Samples.queued(4, 1));
        output.standing(Samples.running(4));
        output.followed(Samples.ended(4, "FAILED", 3));
        output.jobs(jobs, "hint");
        output.job(Samples.running(5));
        output.overview(new Overview(Samples.server(), "alice", List.of(Samples.running(6)), null));
        output.explanation(Samples.explanation(7, "RUNNING", null, "it runs"));
        output.gpus(new GpuList(Samples.server().gpus(), false));
        output.server(Samples.server());
        output.startLine("a line");
        output.started(Samples.server());
        output.stopped(new Stopped(4711, 0, 0));
        output.cancelled(Samples.running(8));
        output.ended(Samples.running(9));
        output.planned(new SubmitPlan(List.of(), "it would wait"), SubmitPlan.Setting::name);
        output.history(new JobList(List.of(Samples.ended(10, "FAILED", 3)), null), "hint");
        output.event(Samples.event(5, 11, null, "QUEUED"));
        output.changed(Samples.queued(12, 1));
        output.deleted(new DeletedJob(13, List.of()));
        output.fetched(new Fetched(14, "14", "job-14", 1, 8));
        output.paused(Samples.server());
        output.notice("a notice");
    }

    @Test
    void quietSaysIdsOnly() {
        sayEverything(quiet);
        assertThat(captured.out().lines())
                .containsExactly(
                        "3",
                        "4",
                        "1",
                        "2",
                        "5",
                        "6",
                        "7",
                        "GPU-aaaa",
                        "GPU-bbbb",
                        "4711",
                        "4711",
                        "4711",
                        "8",
                        "9",
                        "10",
                        "11",
                        "12",
                        "13",
                        "14",
                        "4711");
        assertThat(captured.err()).isEmpty();
        quiet.failure(Failure.usage("a sentence"));
        assertThat(captured.err()).isEqualTo("berth: a sentence\n");
    }

    @Test
    void warningsAreToldToEverybody() {
        quiet.warning("a \u001b sentence");
        assertThat(captured.err()).isEqualTo("berth: warning: a \\x1b sentence\n");
        json.warning("a \"sentence\"");
        assertThat(captured.err()).endsWith("{\"warning\":\"a \\\"sentence\\\"\"}\n");
        assertThat(captured.out()).isEmpty();
    }

    @Test
    void jsonIsOneObjectALine() {
        sayEverything(json);
        assertThat(captured.out().lines()).hasSize(20).allMatch(line -> line.startsWith("{") && line.endsWith("}"));
        assertThat(captured.out().lines().findFirst()).contains(JsonText.of(Samples.queued(3, 1)));
        assertThat(captured.err()).isEmpty();
        json.failure(Failure.usage("a \"sentence\""));
        assertThat(captured.err())
                .isEqualTo("{\"code\":\"USAGE\",\"message\":\"a \\\"sentence\\\"\",\"details\":{}}\n");
    }

    private static final LogSource TASK = new LogSource(17, "9_7");

    private long offset;

    private void log(int stream, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        json.log(TASK, new LogFrame(offset, 1_000 * offset, stream, bytes.length), bytes);
        offset += bytes.length;
    }

    @Test
    void aLogInJsonIsAnObjectALine() {
        log(LogFrame.STDOUT, "one\ntw");
        log(LogFrame.STDERR, "oops");
        log(LogFrame.STDOUT, "o ü\u001b\n\nend");
        json.logEnd(TASK);
        json.logEnd(TASK);
        assertThat(captured.out()).isEqualTo("""
                        {"job":17,"number":"9_7","offset":0,"stream":"stdout","at":"1970-01-01T00:00:00.000Z","text":"one"}
                        {"job":17,"number":"9_7","offset":4,"stream":"stdout","at":"1970-01-01T00:00:00.000Z","text":"two ü\\u001b"}
                        {"job":17,"number":"9_7","offset":16,"stream":"stdout","at":"1970-01-01T00:00:10.000Z","text":""}
                        {"job":17,"number":"9_7","offset":17,"stream":"stdout","at":"1970-01-01T00:00:10.000Z","text":"end"}
                        {"job":17,"number":"9_7","offset":6,"stream":"stderr","at":"1970-01-01T00:00:06.000Z","text":"oops"}
                        """);
    }

    @Test
    void aLineWithoutEndIsCutIntoPieces() {
        log(LogFrame.STDOUT, "x".repeat(50_000));
        log(LogFrame.STDOUT, "x".repeat(50_000));
        json.logEnd(TASK);
        assertThat(captured.out().lines().map(line -> line.substring(0, 40)))
                .containsExactly(
                        "{\"job\":17,\"number\":\"9_7\",\"offset\":0,\"str",
                        "{\"job\":17,\"number\":\"9_7\",\"offset\":65536,");
    }

    /** The lines of each stream, pieces that end anywhere, a character cut in two. */
    @Test
    void timesStandBeforeTheLinesOfEachStream() {
        byte[] word = "ü\n".getBytes(StandardCharsets.UTF_8);
        quiet.stampedLog(TASK, new LogFrame(0, 1, LogFrame.STDOUT, 5), "a\r\n\nb".getBytes(StandardCharsets.UTF_8));
        quiet.stampedLog(TASK, new LogFrame(5, 20, LogFrame.STDERR, 1), word);
        quiet.stampedLog(TASK, new LogFrame(6, 300, LogFrame.STDERR, 2), new byte[] {word[1], word[2]});
        quiet.stampedLog(TASK, new LogFrame(8, 4_000, LogFrame.STDOUT, 3), "c\nd".getBytes(StandardCharsets.UTF_8));
        assertThat(captured.out())
                .isEqualTo("1970-01-01T00:00:00.001Z a\r\n1970-01-01T00:00:00.001Z \n1970-01-01T00:00:00.001Z b"
                        + "1970-01-01T00:00:00.020Z ü\nc\n1970-01-01T00:00:04.000Z d");
    }

    @Test
    void aLogIsShownAsItIsElsewhere() {
        byte[] bytes = {1, 27, (byte) 0xff, '\n'};
        quiet.log(TASK, new LogFrame(0, 0, 0, bytes.length), bytes);
        assertThat(captured.out().getBytes(StandardCharsets.UTF_8)).startsWith(1, 27);
    }

    @Test
    void aClosedOutputEndsTheCommandQuietly() {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        Screen screen = new Screen(closed, closed, 0);
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> screen.line("x"))
                .satisfies(failure -> {
                    assertThat(failure.isSilent()).isTrue();
                    assertThat(failure.exitCode()).isEqualTo(ExitCode.OUTPUT_CLOSED);
                });
        screen.notice("nobody listens");
    }
}
