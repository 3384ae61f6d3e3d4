package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Golden;
import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.Explanation;
import dev.berth.core.api.GpuHistoryView;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.OverviewView;
import dev.berth.core.api.WarningView;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that show: what they ask for, and what comes of the answer. */
class SeeingTest {
    private static final String ACTIVE = "GET /api/v1/jobs?scope=active&limit=1000";
    private static final String EVENTS = "GET /api/v1/events?follow=true";
    private static final String OVERVIEW = "GET /api/v1/overview?seconds=120&limit=1000";
    private static final Terminal TERMINAL = new Terminal(24, false, null);

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private final ScriptedServer server = stage.server();

    private static JobList list(JobView... jobs) {
        return new JobList(List.of(jobs), null);
    }

    @Test
    void filtersAreAskedOfTheServer() {
        server.json(ACTIVE + "&user=bob&project=demo&name=a%20b", 200, list())
                .json("GET /api/v1/jobs?scope=ended&limit=100&project=demo", 200, list())
                .json("GET /api/v1/jobs?scope=all&limit=5&state=FAILED,LOST", 200, list())
                .json("GET /api/v1/jobs?scope=all&limit=100&state=HELD", 200, list());
        assertThat(stage.run("ps", "--user", "bob", "--project", "demo", "--name", "a b"))
                .isZero();
        assertThat(stage.run("history", "--project", "demo")).isZero();
        assertThat(stage.run("history", "-n", "5", "--state", "failed,lost")).isZero();
        assertThat(stage.run("ps", "--state", "held")).isZero();
    }

    @Test
    void formatsAreDockers() {
        JobList jobs = list(Samples.running(16), Samples.queued(17, 1));
        server.json(ACTIVE, 200, jobs).json(ACTIVE, 200, jobs);
        assertThat(stage.run("ps", "--format", "{{.ID}}:{{ .Name }}\\t{{.Place}} {{.GPUIndices}}|"))
                .isZero();
        assertThat(stage.run("ps", "--format", "table {{.State}}\\t{{.Why}}")).isZero();
        assertThat(stage.out()).isEqualTo("""
            16:train\t 0,2|
            17:eval\t1 |
            STATE     WHY
            RUNNING   its program runs
            QUEUED    one job is ahead of it; job 16 is first and waits for 2 GPUs
            """);
    }

    @Test
    void everyFieldOfAFormatHasAValue() {
        StringBuilder template = new StringBuilder();
        for (String field : dev.berth.cli.output.text.JobFormat.FIELDS) {
            template.append(field).append("={{.").append(field).append("}}\\n");
        }
        server.json(ACTIVE, 200, list(Samples.inList(16)))
                // The command stands in no list.
                .json("GET /api/v1/jobs/16", 200, Samples.running(16));
        assertThat(stage.run("ps", "--format", template.toString())).isZero();
        assertThat(stage.out())
                .contains("ID=16\n", "Command=main.py --lr 0.1 'a b'\n", "GPUUUIDs=GPU-aaaa,GPU-bbbb\n", "Ended=\n");
    }

    /** A wrong line, and the sentence. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "ps --format {{.Nmae}}          | --format: 'Nmae' is not a field; did you mean Name? the fields are"
                        + " ID,",
                "ps --format {{.Xyzzy}}         | --format: 'Xyzzy' is not a field; the fields are ID,",
                "ps --format {{.ID}             | --format: '{{.ID}' has {{ without a field behind it",
                "ps --format {{ID}}             | --format: '{{ID}}' has {{ without a field behind it",
                "ps --format ID                 | --format: 'ID' names no field; for example '{{.ID}} {{.State}}'",
                "ps --format {{.ID}} --json     | --format and --json exclude each other; give one of them",
                "ps --format {{.ID}} -q         | --format and --quiet exclude each other; give one of them",
                "history --state QUEUED         | --state: 'QUEUED' is not a state that is meant here; the states are",
                "cancel --state FAILED          | --state: 'FAILED' is not a state that is meant here; the states are",
                "ps --watch                     | --watch draws on a terminal, and standard output is none; berth ps",
                "top                            | berth top draws on a terminal, and standard output is none",
                "top --json                     | berth top and --json exclude each other; berth events -f --json goes"
                        + " on",
                "ps --watch --format {{.ID}}    | --watch and --format exclude each other; give one of them",
                "ps --color blue                | --color: 'blue' is none of auto, always, never; for example --color"
                        + " never",
                "history -n 0                   | --last: '0' is not a whole number from 1 to 10000",
                "top 17                         | berth top takes no '17'",
                "history 17                     | berth history takes no '17'",
            })
    void whatIsWrongIsTold(String line, String sentence) {
        assertThat(stage.run(line.split(" "))).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains(sentence).startsWith(line.contains("--json") ? "{" : "berth: " + sentence);
    }

    @Test
    void historyTellsHowJobsEnded() throws IOException {
        server.json(
                "GET /api/v1/jobs?scope=ended&limit=2",
                200,
                new JobList(
                        List.of(Samples.ended(9, "FAILED", 3), Samples.job(8, "CANCELLED", "X", "gone", null)), 8L));
        assertThat(stage.run("history", "-n", "2")).isZero();
        Golden.check("history", stage.out() + "--- standard error\n" + stage.err());
    }

    @Test
    void anExplanationHasTheFactsBehindItsSentence() throws IOException {
        Explanation explanation = new Explanation(
                17,
                "QUEUED",
                "BEHIND_HEAD",
                "2 jobs are ahead of it",
                "2026-03-01T09:58:00Z",
                4L,
                "2026-03-02T15:04:00Z",
                "2026-03-01T14:20:00Z",
                List.of(
                        new Explanation.Ahead(11, "ada", 3, 3_000, "11"),
                        new Explanation.Ahead(12, "bob", 1, 1_000, "12")),
                List.of(
                        new Explanation.Holder(
                                9,
                                "ada",
                                2,
                                2_000,
                                "2026-03-01T09:00:00Z",
                                "2026-03-01T12:00:00Z",
                                "2026-03-01T11:20:00Z",
                                "9"),
                        new Explanation.Holder(10, "bob", 1, 1_000, null, null, null, "42_7")),
                "berth hold 11 lets those behind it by",
                List.of(new WarningView(
                        "GPU_IDLE", "its GPU 0 is idle since 2026-03-01T09:00:00Z", "2026-03-01T09:00:00Z", null)),
                "17");
        server.json("GET /api/v1/jobs/17/explanation", 200, explanation);
        assertThat(stage.run("explain", "17")).isZero();
        Golden.check("explain", stage.out());
    }

    @Test
    void followedEventsAreALineEachOverABreak() {
        JobEventView first = Samples.event(4, 17, null, "QUEUED");
        JobEventView second = Samples.event(5, 17, "QUEUED", "STARTING");
        server.allEvents(EVENTS, false, first)
                .allEvents(EVENTS, true, second)
                .json(EVENTS, 403, new ApiError("NO", "not you", Map.of()));
        assertThat(stage.run("events", "-f")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.out()).isEqualTo("""
            2026-03-01 09:30:00 UTC  job 17  -> QUEUED  SomethingHappened
            2026-03-01 09:30:00 UTC  job 17  QUEUED -> STARTING  SomethingHappened
            """);
        assertThat(stage.err()).isEqualTo("""
            berth: the server is away; trying again for 60 s
            berth: the server is back
            berth: not you
            """);
    }

    @Test
    void eventsOfThePastEndByThemselves() {
        String past = "GET /api/v1/events?follow=false";
        server.allEvents(past, true, Samples.event(1, 16, null, "QUEUED"), Samples.event(2, 17, null, "QUEUED"))
                .json("GET /api/v1/jobs/17", 200, Samples.running(17))
                .allEvents(past, true, Samples.event(1, 16, null, "QUEUED"), Samples.event(2, 17, null, "QUEUED"))
                .json("GET /api/v1/jobs/9", 200, Samples.ended(9, "FAILED", 3))
                .events(9, true, Samples.event(3, 9, "RUNNING", "FAILED"))
                .events(9, true, Samples.event(3, 9, "RUNNING", "FAILED"))
                .json("GET /api/v1/jobs/9", 200, Samples.ended(9, "FAILED", 3));
        assertThat(stage.run("events", "-q")).isZero();
        assertThat(stage.run("events", "17", "-q")).isZero();
        assertThat(stage.run("events", "9", "--json")).isZero();
        assertThat(stage.run("events", "9", "-f", "-q")).isZero();
        assertThat(stage.out())
                .isEqualTo("16\n17\n17\n" + JsonText.of(Samples.event(3, 9, "RUNNING", "FAILED")) + "\n9\n");
    }

    /** What a newer server may say. */
    private static String newer(Record value) {
        return JsonText.of(value).replaceAll("\\}$", ",\"mood\":{\"of\":[1.50,null],\"say\":\"a } b\"}}");
    }

    @Test
    void whatANewerServerSaysIsPrintedAsItCame() {
        String job = newer(Samples.running(17));
        String other = newer(Samples.queued(18, 1));
        String event = newer(Samples.event(1, 17, null, "QUEUED"));
        String jobs = "{\"jobs\":[" + job + "," + other + "],\"next\":null,\"total\":2}";
        server.json(ACTIVE, 200, jobs)
                .json("GET /api/v1/jobs/17", 200, job.replace(",\"name\"", ",\n\t\"name\""))
                .json("GET /api/v1/server", 200, newer(Samples.server()))
                .json("GET /api/v1/jobs?scope=active&limit=100", 200, jobs)
                .eventJson("GET /api/v1/events?follow=false", event)
                .json("GET /api/v1/jobs?scope=all&limit=1000", 200, "{\"jobs\":[" + other + "],\"next\":18}")
                .json("GET /api/v1/jobs?scope=all&limit=999&cursor=18", 200, "{\"jobs\":[" + job + "],\"next\":null}");
        assertThat(stage.run("ps", "--json")).isZero();
        assertThat(stage.run("status", "17", "--json")).isZero();
        assertThat(stage.run("status", "--json")).isZero();
        assertThat(stage.run("events", "--json")).isZero();
        assertThat(stage.run("ps", "-n", "1000", "--json")).isZero();
        assertThat(stage.out().lines())
                .containsExactly(
                        jobs,
                        job.replace(",\"name\"", ", \t\"name\""),
                        "{\"server\":" + newer(Samples.server()) + ",\"user\":\"alice\",\"jobs\":[" + job
                                + "],\"first\":" + other + "}",
                        event,
                        "{\"jobs\":[" + other + "," + job + "],\"next\":null}");
    }

    private static final ApiError NOT_YOU = new ApiError("NO", "not you", Map.of());

    @Test
    void aWatchedListIsDrawnAgainWhenSomethingHappens() {
        server.json(ACTIVE, 200, list(Samples.queued(17, 1)))
                .openEvents(EVENTS, Samples.event(4, 17, "QUEUED", "RUNNING"))
                .json(ACTIVE, 403, NOT_YOU);
        assertThat(stage.runAt(TERMINAL, 80, "ps", "--watch")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.out())
                .startsWith("\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[H\u001b[KID   NAME")
                .contains("17   eval")
                .endsWith("\u001b[J\u001b[?7h\u001b[?25h\u001b[?1049l");
        assertThat(stage.err()).isEqualTo("berth: not you\n");
    }

    @Test
    void topShowsServerAndJobs() {
        server.json(OVERVIEW, 200, overview(history("GPU-bbbb", null, 1))).json(EVENTS, 403, NOT_YOU);
        Terminal unicode = new Terminal(24, false, null, true, size -> size);
        assertThat(stage.runAt(unicode, 130, "top")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.out())
                .contains("[0] NVIDIA A100 | ", "| ▁█▅ ", "|  ▂ ", "alice:17", "17   train", "█ ▁█ 48 %")
                .contains("! its GPUs 0, 2 are idle");
    }

    @Test
    void aTerminalWithoutUnicodeGetsPlainCurves() {
        server.json(OVERVIEW, 200, overview(history("GPU-bbbb"))).json(EVENTS, 403, NOT_YOU);
        assertThat(stage.runAt(TERMINAL, 130, "top")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.out()).contains("| _#= ").doesNotContain("▁", "█");
    }

    @Test
    void topAsksOnceForEachPictureAndOnOneConnection() {
        OverviewView overview = overview(history("GPU-bbbb"));
        server.json(OVERVIEW, 200, overview)
                .openEvents(EVENTS, Samples.event(4, 17, "QUEUED", "RUNNING"))
                .json(OVERVIEW, 200, overview)
                .json(OVERVIEW, 200, overview)
                .json(OVERVIEW, 403, NOT_YOU);
        assertThat(stage.runAt(TERMINAL, 130, "top")).isEqualTo(ExitCode.REFUSED);
        assertThat(server.received()).as("four pictures and the events").hasSize(5);
        assertThat(server.connections())
                .as("one for the pictures, one for the events")
                .isEqualTo(2);
    }

    private static OverviewView overview(GpuHistoryView second) {
        return new OverviewView(
                Samples.server(),
                List.of(history("GPU-aaaa", 0, 100, 50, null), second),
                list(Samples.used(Samples.running(17))));
    }

    private static GpuHistoryView history(String gpu, @Nullable Integer... percents) {
        List<@Nullable Integer> values = Arrays.asList(percents);
        return new GpuHistoryView(gpu, "seconds", "2026-03-01T09:58:00Z", 1, values, values, values, values);
    }

    @Test
    void aPictureFollowsTheSizeOfTheTerminal() {
        server.json(ACTIVE, 200, list(Samples.queued(17, 1)))
                .openEvents(EVENTS, Samples.event(4, 17, "QUEUED", "RUNNING"))
                .json(ACTIVE, 200, list(Samples.queued(17, 1)))
                .json(ACTIVE, 403, NOT_YOU);
        Terminal growing = new Terminal(24, false, null, false, _ -> new Size(140, 50));
        assertThat(stage.runAt(growing, 80, "ps", "--watch")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.out())
                .contains(
                        "one job is ahead of it; job 1…",
                        "one job is ahead of it; job 16 is first and waits for 2 GPUs");
    }

    @Test
    void gpusCanBeWatched() {
        GpuList gpus = new GpuList(Samples.server().gpus(), true);
        server.json("GET /api/v1/gpus", 200, gpus).json(EVENTS, 403, NOT_YOU);
        assertThat(stage.runAt(TERMINAL, 100, "gpus", "--watch")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.out()).contains("[0] NVIDIA A100", "simulated GPUs and figures");
    }

    @Test
    void coloursAreForTerminalsThatTakeThem() {
        String line = "GET /api/v1/jobs?scope=active&limit=1000";
        for (int time = 0; time < 4; time++) {
            server.json(line, 200, list(Samples.running(16)));
        }
        assertThat(stage.runAt(new Terminal(24, true, null), 80, "ps")).isZero();
        assertThat(stage.run("--color", "always", "ps")).isZero();
        assertThat(stage.out().split("\u001b\\[32mRUNNING\u001b\\[0m   ", -1)).hasSize(3);
        assertThat(stage.run("ps")).isZero();
        assertThat(stage.runAt(new Terminal(24, true, null), 80, "ps", "--color=never"))
                .isZero();
        assertThat(stage.out().split("\u001b", -1)).hasSize(5);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "80, xterm, -, 24, true",
                "80, xterm, '', 24, true",
                "80, xterm, 1, 24, false",
                "80, dumb, -, 0, false",
                "0, xterm, -, 0, false"
            })
    void aTerminalDrawsAndColoursUnlessItIsToldNotTo(
            int columns, String term, String noColor, int rows, boolean colour) {
        Map<String, String> variables =
                noColor == null ? Map.of("TERM", term) : Map.of("TERM", term, "NO_COLOR", noColor);
        Terminal terminal = Terminal.of(columns, 24, variables, null, size -> size);
        assertThat(terminal.rows()).isEqualTo(rows);
        assertThat(terminal.colour()).isEqualTo(colour);
    }
}
