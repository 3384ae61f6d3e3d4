package dev.berth.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Captured;
import dev.berth.cli.Golden;
import dev.berth.cli.Samples;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.output.text.JobFormat;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.GitView;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.GpuView;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.OptionValues;
import dev.berth.core.api.SubmitPlan;
import dev.berth.core.api.TrackingView.ProgressView;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TextOutputTest {
    private static final JobList JOBS = new JobList(
            List.of(
                    Samples.running(16),
                    Samples.queued(17, 1),
                    Samples.ended(9, "FAILED", 3),
                    Samples.job(18, "CANCELLED", "CANCELLED_BY_USER", "cancelled by bob", null)),
            9L);

    private final Captured captured = new Captured();

    private TextOutput output(int columns) {
        return new TextOutput(captured.screen(columns), InstantSource.fixed(Samples.NOW));
    }

    private String everything() {
        return captured.out() + (captured.err().isEmpty() ? "" : "--- standard error\n" + captured.err());
    }

    @Test
    void jobsAreATable() throws IOException {
        output(0).jobs(JOBS, "there is more");
        Golden.check("ps", everything());
    }

    @Test
    void aTableFitsTheTerminal() throws IOException {
        output(80).jobs(JOBS, "there is more");
        Golden.check("ps-80-columns", everything());
        assertThat(captured.out().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
    }

    @Test
    void howFarAProgramIsStandsWhereTheSentenceDoes() throws IOException {
        ProgressView progress = new ProgressView(4, 10, "epoch", "2026-03-01T09:59:00Z", "2026-03-01T14:20:59.5Z");
        ProgressView first = new ProgressView(0.25, 1, null, "2026-03-01T09:59:00Z", null);
        output(80).jobs(new JobList(List.of(Samples.telling(16, progress), Samples.telling(17, first)), null), "");
        output(0).job(Samples.telling(16, progress));
        Golden.check("progress", everything());
    }

    @Test
    void noJobsAreASentence() {
        output(0).jobs(new JobList(List.of(), null), "");
        assertThat(captured.out()).isEmpty();
        assertThat(captured.err()).isEqualTo("no jobs to show\n");
    }

    @Test
    void oneJobIsAPage() throws IOException {
        output(0).job(Samples.running(16));
        output(0).job(Samples.queued(17, 3));
        output(0).job(Samples.ended(9, "FAILED", 3));
        Golden.check("status-job", everything());
    }

    @Test
    void everythingAtAGlance() throws IOException {
        output(0)
                .overview(new Overview(Samples.server(), "alice", List.of(Samples.running(16)), Samples.queued(17, 1)));
        Golden.check("status", everything());
    }

    @Test
    void aServerWithoutGpusSaysSo() throws IOException {
        var server = Samples.server();
        var bare = new dev.berth.core.api.ServerView(
                server.version(),
                server.pid(),
                server.socket(),
                null,
                server.dataDirectory(),
                server.since(),
                1,
                0,
                server.image(),
                server.engine(),
                false,
                null,
                null,
                null,
                List.of(),
                List.of(),
                null,
                null,
                1,
                1,
                List.of(),
                List.of());
        output(0).overview(new Overview(bare, "alice", List.of(), null));
        output(0).gpus(new GpuList(List.of(), false));
        Golden.check("status-bare", everything());
    }

    @Test
    void theServerIsAPage() throws IOException {
        output(0).server(Samples.server());
        Golden.check("server-status", everything());
    }

    @Test
    void aServerWhoseEngineIsAwaySaysSinceWhenAndWhy() throws IOException {
        output(0).server(Samples.withoutEngine());
        assertThat(everything())
                .contains("outage      engine unreachable since")
                .contains("no Docker Engine answers at unix:///var/run/docker.sock")
                .contains("; jobs that run go on, and all else waits for it");
    }

    @Test
    void backgroundWorkThatFailsSaysSinceWhenWhyAndWhenItIsTriedAgain() throws IOException {
        output(0).server(Samples.withoutBackups());
        assertThat(everything())
                .contains("failing     daily backup, since ")
                .contains(" (4 failures): the database was not backed up: no space is left;"
                        + " tried again at 2026-03-01 10:20:00 UTC");
    }

    @Test
    void gpusAreALineEach() throws IOException {
        GpuView shared = new GpuView(
                "3:0",
                "MIG-1234",
                "",
                0,
                List.of(
                        new GpuView.Holder(17, "alice", 500, null, "17"),
                        new GpuView.Holder(18, "bob", 250, null, "18")),
                1,
                List.of(),
                null,
                null,
                null,
                null,
                null,
                List.of());
        output(0)
                .gpus(new GpuList(
                        List.of(
                                Samples.server().gpus().get(0),
                                Samples.server().gpus().get(1),
                                shared),
                        true));
        Golden.check("gpus", everything());
    }

    private static GpuView.Occupant process(long pid, String user, String command, @Nullable Long job, long memoryMiB) {
        return new GpuView.Occupant(pid, user, command, null, job, false, memoryMiB, "2026-03-01T09:00:00Z");
    }

    private static GpuView gpu(
            int index,
            GpuView.@Nullable Holder holder,
            GpuView.@Nullable Drain drain,
            @Nullable String obstacle,
            @Nullable Long cleaning,
            GpuView.@Nullable Reading reading,
            GpuView.Occupant... processes) {
        return new GpuView(
                Integer.toString(index),
                "GPU-" + index,
                "NVIDIA A100",
                12_287,
                holder == null ? List.of() : List.of(holder),
                1,
                index == 0 ? List.of("fast") : List.of(),
                drain,
                obstacle,
                cleaning,
                cleaning == null ? null : "3_" + cleaning,
                reading,
                List.of(processes));
    }

    private static GpuView.Reading reading(int percent, long usedMiB, int celsius) {
        return new GpuView.Reading("2026-03-01T09:59:59Z", percent, usedMiB, celsius, 200);
    }

    private static GpuList everyKindOfGpu() {
        GpuView.Holder holder = new GpuView.Holder(17, "alice", 1000, 11_000L, "17");
        return new GpuList(
                List.of(
                        gpu(
                                0,
                                holder,
                                null,
                                null,
                                null,
                                reading(96, 11_848, 77),
                                process(1, "alice", "x", 17L, 11_000)),
                        gpu(1, null, null, null, null, reading(0, 1, 35)),
                        gpu(
                                2,
                                null,
                                null,
                                "process 4711 of bob is on it with 812 MiB since 2026-03-01T09:00:00Z",
                                null,
                                reading(50, 813, 90),
                                process(4711, "bob", "", null, 812)),
                        gpu(
                                3,
                                null,
                                new GpuView.Drain("ada", "its fan is loud", "2026-02-28T06:00:00Z", null),
                                null,
                                null,
                                null),
                        gpu(4, null, null, null, 16L, reading(0, 300, 40), process(99, "alice", "python", 16L, 299)),
                        gpu(
                                10,
                                holder,
                                null,
                                null,
                                null,
                                new GpuView.Reading("2026-03-01T09:59:59Z", null, null, null, null),
                                process(4712, "bob", "python", null, 5))),
                false);
    }

    @Test
    void aGpuShowsHowItIsAndWhoIsOnIt() throws IOException {
        output(0).gpus(everyKindOfGpu());
        Golden.check("gpus-used", everything());
    }

    @Test
    void gpusFitATerminal() throws IOException {
        output(80).gpus(everyKindOfGpu());
        assertThat(captured.out().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
        Golden.check("gpus-80-columns", everything());
    }

    @Test
    void gpusAreInColoursWhereThereAreColours() {
        new TextOutput(captured.screen(70), InstantSource.fixed(Samples.NOW), true).gpus(everyKindOfGpu());
        assertThat(captured.out())
                .contains("\u001b[36m[0]\u001b[0m", "\u001b[34mNVIDIA A100 (fast)\u001b[0m", "\u001b[32m 96 %\u001b[0m")
                .contains("\u001b[31m90 C\u001b[0m", "\u001b[31mdrained\u001b[0m");
        assertThat(captured.out().replaceAll("\u001b\\[[0-9]+m", "").lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(70));
    }

    @Test
    void aJobShowsItsUsageAndWhatIsWrongWithIt() throws IOException {
        JobView job = Samples.used(Samples.running(16));
        output(0).job(job);
        output(0).jobs(new JobList(List.of(job), null), "");
        output(0).history(new JobList(List.of(Samples.used(Samples.ended(9, "FAILED", 3))), null), "");
        Golden.check("usage", everything());
    }

    @Test
    void historyShowsWhatATargetsAccountsSay() throws IOException {
        JobView ended = Samples.ended(9, "FAILED", 3);
        output(0)
                .history(
                        new JobList(List.of(Samples.atTarget(Samples.used(ended)), Samples.atTarget(ended)), null), "");
        assertThat(captured.out().lines().toList().get(1)).contains(" 1.00 h, 0.47 CPU-h, 3.1 GiB  ");
        assertThat(captured.out().lines().toList().get(2)).contains(" 1.00 h  ");
    }

    @Test
    void historyFitsATerminalOfEightyColumns() throws IOException {
        output(80).history(new JobList(List.of(Samples.used(Samples.ended(9, "FAILED", 3))), null), "");
        assertThat(captured.out().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
        assertThat(captured.out()).contains("2026-03-01 09:45 ");
    }

    @Test
    void sentencesAboutAJob() throws IOException {
        TextOutput output = output(0);
        output.submitted(Samples.queued(17, 3));
        output.submitted(Samples.running(16));
        output.submitted(Samples.first(18));
        output.changed(Samples.job(19, "HELD", "HELD", "held by bob", null));
        output.paused(Samples.paused());
        output.explanation(Samples.explanation(17, "QUEUED", "BEHIND_HEAD", "one job is ahead of it"));
        output.cancelled(Samples.job(17, "CANCELLED", "CANCELLED_BY_USER", "cancelled by bob", null));
        output.cancelled(Samples.job(18, "STOPPING", null, "is being stopped", null));
        output.ended(Samples.ended(9, "FAILED", 3));
        output.stopped(new Stopped(4711, 0, 0));
        output.stopped(new Stopped(4711, 1, 0));
        output.stopped(new Stopped(4711, 2, 5));
        output.following(Samples.queued(17, 1));
        output.standing(Samples.running(16));
        output.followed(Samples.ended(9, "FAILED", 3));
        Golden.check("sentences", everything());
    }

    @Test
    void nothingFromOutsideReachesTheTerminalRaw() {
        String nasty = "\u001b]0;owned\u0007\r\n\u009b31m\u202eabc";
        JobView job = new JobView(
                1,
                "QUEUED",
                nasty,
                nasty,
                nasty,
                nasty,
                List.of(nasty),
                nasty,
                1,
                List.of(nasty),
                List.of(nasty),
                1,
                null,
                1L,
                List.of(nasty),
                null,
                null,
                null,
                nasty,
                "2026-03-01T09:58:00Z",
                null,
                null,
                null,
                null,
                new GitView(nasty, nasty, true, nasty),
                1 * 1000,
                false,
                List.of(),
                List.of(),
                null,
                null,
                nasty,
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(),
                null,
                nasty,
                nasty,
                new OptionValues(Map.of(
                        "name",
                        nasty,
                        "project",
                        nasty,
                        "image",
                        nasty,
                        "tags",
                        List.of(nasty),
                        "workingDirectory",
                        nasty,
                        "pull",
                        nasty,
                        "network",
                        nasty,
                        "volumes",
                        List.of(nasty),
                        "gpuType",
                        nasty)));
        TextOutput output = output(0);
        output.jobs(new JobList(List.of(job), 1L), "hint");
        output.job(job);
        output.submitted(job);
        output.following(job);
        output.standing(job);
        output.ended(job);
        output.startLine(nasty);
        output.notice(nasty);
        output.changed(job);
        output.history(new JobList(List.of(job), 1L), "hint");
        output.event(new JobEventView(1, 1, nasty, nasty, nasty, nasty, 1, null, null, nasty));
        output.deleted(new DeletedJob(1, List.of(nasty)));
        output.fetched(new Fetched(1, nasty, nasty, 1, 1));
        output.planned(
                new SubmitPlan(List.of(new SubmitPlan.Setting(nasty, nasty, nasty)), nasty), SubmitPlan.Setting::name);
        JobFormat.of("{{.Name}} {{.Command}}").print(List.of(job), captured.screen(0), Samples.NOW);
        Canvas canvas = new Canvas(captured.screen(0), 0);
        canvas.close();
        canvas.draw(List.of(), nasty);
        output.explanation(Samples.explanation(1, nasty, nasty, nasty));
        output.gpus(new GpuList(
                List.of(new GpuView(
                        nasty,
                        nasty,
                        nasty,
                        1,
                        List.of(new GpuView.Holder(1, nasty, 1000, null, "1")),
                        1,
                        List.of(),
                        null,
                        null,
                        null,
                        null,
                        null,
                        List.of())),
                false));
        output.overview(new Overview(Samples.server(), nasty, List.of(), job));
        output.failure(Failure.usage(nasty));
        assertThat(captured.out() + captured.err())
                .doesNotContain("\u001b", "\u0007", "\r", "\u009b", "\u202e")
                .contains("\\x1b]0;owned\\x07\\x0d\\n\\x9b31m\\u202eabc");
    }

    @Test
    void aPictureKeepsTheLastCharacterOfALineAsWideAsTheTerminal() {
        try (Canvas canvas = new Canvas(captured.screen(4), 5)) {
            canvas.draw(List.of("abcd", "efgh"), "");
        }
        assertThat(captured.out())
                .contains("\u001b[Kabcd\r\n\u001b[Kefgh\r\n\u001b[J")
                .doesNotContain("d\u001b[K", "h\u001b[K");
    }

    @Test
    void aFailureWithMoreToSayHasALineForEach() {
        output(0).failure(Failure.of(2, "START_FAILED", List.of("2 problems:", "a:1: one\ntwo", "b")));
        assertThat(captured.err()).isEqualTo("berth: 2 problems:\na:1: one\\ntwo\nb\n");
    }
}
