package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Samples;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.PointList;
import dev.berth.core.api.TrackingList;
import dev.berth.core.api.TrackingView;
import dev.berth.core.api.TrackingView.MetricView;
import dev.berth.core.api.TrackingView.PointView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands that list, compare and write what jobs told. */
class ToldCommandTest {
    private static final String ALL = "GET /api/v1/tracked?scope=all&limit=1000";

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private static PointView point(long step, double value) {
        return new PointView(step, "2026-03-01T09:00:00Z", value);
    }

    private static TrackingView told(long id, Map<String, String> params, Map<String, String> tags, double... values) {
        List<MetricView> metrics = new ArrayList<>();
        if (values.length > 0) {
            metrics.add(new MetricView("acc", 3, point(9, values[0]), point(1, values[1]), point(5, values[2])));
        }
        return new TrackingView(
                id,
                id == 9 ? "8_0" : Long.toString(id),
                "train",
                "ships",
                "ada",
                "COMPLETED",
                "2026-03-01T08:00:00Z",
                new TreeMap<>(params),
                new TreeMap<>(tags),
                metrics,
                List.of(),
                null,
                List.of());
    }

    private static TrackingList list(TrackingView... jobs) {
        return new TrackingList(List.of(jobs), null);
    }

    private static JobList jobs(long... ids) {
        List<JobView> jobs = new ArrayList<>();
        for (long id : ids) {
            jobs.add(Samples.ended(id, "COMPLETED", 0));
        }
        return new JobList(jobs, null);
    }

    private static final TrackingView FIRST =
            told(7, Map.of("lr", "0.1", "opt", "adam"), Map.of("base", ""), 0.5, 0.25, 0.75);
    private static final TrackingView SECOND =
            told(9, Map.of("lr", "0.010000000000001", "opt", "adam"), Map.of(), 0.6, 0.5, 0.6);
    private static final TrackingView THIRD = told(10, Map.of("opt", "adam"), Map.of());

    @Test
    void onlyWhatDiffersIsCompared() {
        stage.server().json("GET /api/v1/tracking?jobs=7,9&after=0", 200, list(FIRST, SECOND));
        assertThat(stage.run("compare", "7", "9")).isZero();
        assertThat(stage.out()).isEqualTo("""
                           7      8_0
                lr         0.1    0.01
                tag.base   true   -
                acc        0.5    0.6
                1 value is the same in all
                """);
    }

    @Test
    void whatIsNearlyTheSameDiffers() {
        TrackingView one = told(1, Map.of("seed", "1234567890", "x", "0.12345671"), Map.of(), 0.9000001, 0, 1);
        TrackingView other = told(2, Map.of("seed", "1234567891", "x", "0.12345672"), Map.of(), 3, 0, 3);
        stage.server().json("GET /api/v1/tracking?jobs=1,2&after=0", 200, list(one, other));
        assertThat(stage.run("compare", "1", "2")).isZero();
        assertThat(stage.out()).isEqualTo("""
                       1            2
                seed   1234567890   1234567891
                x      0.12345671   0.12345672
                acc    0.9          3
                """);
    }

    @Test
    void moreThanCanBeComparedIsRefused() {
        Map<String, String> large = new TreeMap<>();
        for (int i = 0; i < 1_000; i++) {
            large.put("p" + i, "x".repeat(300));
        }
        List<TrackingView> many = new ArrayList<>();
        for (int id = 1; id <= 100; id++) {
            many.add(told(id * 10L, large, Map.of()));
        }
        stage.server().json("GET /api/v1/tracking?jobs=8&after=0", 200, new TrackingList(many, null));
        assertThat(stage.run("compare", "8")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.err()).contains("told more than can be compared at once");
    }

    @Test
    void manyJobsStandBelowEachOther() {
        TrackingView[] many = {
            FIRST, SECOND, THIRD, told(11, Map.of("opt", "adam"), Map.of()), told(12, Map.of("opt", "adam"), Map.of())
        };
        stage.server().json("GET /api/v1/tracking?jobs=8&after=0", 200, list(many));
        assertThat(stage.run("compare", "8")).isZero();
        assertThat(stage.out()).startsWith("""
                ID    lr     tag.base   acc
                7     0.1    true       0.5
                8_0   0.01   -          0.6
                10    -      -          -
                """);
    }

    @Test
    void whatIsTheSameIsSaidAndOneJobIsNone() {
        stage.server()
                .json(
                        "GET /api/v1/tracking?jobs=10,12&after=0",
                        200,
                        list(THIRD, told(12, Map.of("opt", "adam"), Map.of())))
                .json("GET /api/v1/tracking?jobs=7,7&after=0", 200, list(FIRST, FIRST))
                .json("GET /api/v1/tracking?jobs=7&after=0", 200, list(FIRST));
        assertThat(stage.run("compare", "10", "12")).isZero();
        assertThat(stage.out()).endsWith("they told the same\n");
        assertThat(stage.run("compare", "7")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("compare", "7", "7")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("needs two jobs at least");
    }

    @Test
    void pagesOfAComparisonAreJoined() {
        stage.server()
                .json("GET /api/v1/tracking?jobs=8&after=0", 200, new TrackingList(List.of(FIRST), 1L))
                .json("GET /api/v1/tracking?jobs=8&after=1", 200, list(SECOND));
        assertThat(stage.run("compare", "8", "-q")).isZero();
        assertThat(stage.out()).isEqualTo("7\n8_0\n");
    }

    @Test
    void theBestHaveTheParametersInWhichTheyDiffer() {
        stage.server()
                .json("GET /api/v1/tracked?scope=all&limit=10&project=ships&best=acc&order=max", 200, jobs(7, 9))
                .json("GET /api/v1/tracking?jobs=7,9&after=0&skipMissing=true", 200, list(FIRST, SECOND));
        assertThat(stage.run("best", "--metric", "acc", "--max", "--project", "ships"))
                .isZero();
        assertThat(stage.out()).isEqualTo("""
                ID    NAME    STATE       acc    STEP   lr     tag.base
                7     train   COMPLETED   0.75   5      0.1    true
                8_0   train   COMPLETED   0.6    5      0.01   -
                """);
    }

    @Test
    void scriptsGetTheNumbersOfTheBest() {
        stage.server()
                .json("GET /api/v1/tracked?scope=all&limit=1&where=lr&best=acc&order=min&last=true", 200, jobs(7))
                .json("GET /api/v1/tracking?jobs=7&after=0&skipMissing=true", 200, list(FIRST));
        assertThat(stage.run("best", "--metric", "acc", "--min", "--by-last", "--where", "lr", "-n", "1", "-q"))
                .isZero();
        assertThat(stage.out()).isEqualTo("7\n");
    }

    @Test
    void columnsAreFieldsAndWhatJobsTold() {
        JobView job =
                Samples.withValues(Samples.ended(7, "COMPLETED", 0), Map.of("acc:max", "0.123456789", "base", "true"));
        stage.server()
                .json(
                        "GET /api/v1/tracked?scope=ended&limit=100&columns=acc%3Amax%2Cbase%2Clr&where=acc%3E0.9",
                        200, new JobList(List.of(job), null));
        assertThat(stage.run("history", "--columns", "id,STATE, acc:max,base,lr", "--where", "acc>0.9"))
                .isZero();
        assertThat(stage.out()).isEqualTo("""
                ID   STATE       acc:max   base   lr
                7    COMPLETED   0.12346   true   -
                """);
    }

    @Test
    void jobsAreFoundByTextAndTag() {
        stage.server()
                .json(
                        "GET /api/v1/jobs?scope=ended&limit=100&text=res%20net&tag=base%3Dv2",
                        200, new JobList(List.of(), 50L))
                .json("GET /api/v1/jobs?scope=ended&limit=100&text=res%20net&tag=base%3Dv2&cursor=50", 200, jobs(7));
        assertThat(stage.run("history", "--text", "res net", "--tag", "base=v2", "-q"))
                .isZero();
        assertThat(stage.out()).isEqualTo("7\n");
    }

    @Test
    void listsHaveTheOrderOfAColumn() {
        stage.server()
                .json(
                        "GET /api/v1/jobs?scope=ended&limit=2&sort=duration&order=desc",
                        200,
                        new JobList(jobs(9, 7).jobs(), 7L))
                .json("GET /api/v1/jobs?scope=active&limit=1000&sort=name", 200, jobs(8));
        assertThat(stage.run("history", "-n", "2", "--sort", "duration:desc")).isZero();
        assertThat(stage.err()).contains("these are the first 2; berth history -n 20 shows more");
        assertThat(stage.run("ps", "--sort", "name", "-q")).isZero();
        assertThat(stage.out()).endsWith("8\n");

        assertThat(stage.run("ps", "--sort", "name:up")).isEqualTo(2);
        assertThat(stage.err()).contains("--sort: 'up' must be asc or desc; for example --sort duration:desc");
    }

    @Test
    void jobsAreWrittenAsCsv() {
        TrackingView odd = told(10, Map.of("a,b", "say \"x\""), Map.of("stage", "2"), Double.NaN, 1, 2);
        for (int pass = 0; pass < 2; pass++) {
            stage.server()
                    .json(ALL + "&where=acc", 200, new JobList(jobs(7).jobs(), 7L))
                    .json("GET /api/v1/tracked?scope=all&limit=999&where=acc&cursor=7", 200, jobs(10))
                    .json("GET /api/v1/tracking?jobs=7,10&after=0&skipMissing=true", 200, list(FIRST, odd));
        }
        assertThat(stage.run("export", "--where", "acc")).isZero();
        assertThat(stage.out()).isEqualTo("""
                id,name,project,user,state,submitted,"param.a,b",param.lr,param.opt,tag.base,tag.stage,metric.acc,metric.acc:min,metric.acc:max,metric.acc:count
                7,train,ships,ada,COMPLETED,2026-03-01T08:00:00Z,,0.1,adam,true,,0.5,0.25,0.75,3
                10,train,ships,ada,COMPLETED,2026-03-01T08:00:00Z,"say ""x""\",,,,2,NaN,1.0,2.0,3
                """);
    }

    @Test
    void pointsAreWrittenOneALine() {
        for (int pass = 0; pass < 2; pass++) {
            stage.server()
                    .json("GET /api/v1/tracking?jobs=7&after=0", 200, list(FIRST))
                    .json(
                            "GET /api/v1/jobs/7/points?metric=acc&after=0",
                            200,
                            new PointList(7, "7", "acc", 3, false, List.of(point(1, 0.25), point(5, 0.75)), 2L))
                    .json(
                            "GET /api/v1/jobs/7/points?metric=acc&after=2",
                            200,
                            new PointList(7, "7", "acc", 3, false, List.of(point(9, Double.NaN)), null));
        }
        assertThat(stage.run("export", "7", "--points")).isZero();
        assertThat(stage.out()).isEqualTo("""
                id,metric,step,time,value
                7,acc,1,2026-03-01T09:00:00Z,0.25
                7,acc,5,2026-03-01T09:00:00Z,0.75
                7,acc,9,2026-03-01T09:00:00Z,NaN
                """);
        assertThat(stage.run("export", "7", "--points", "--metric", "acc", "--format", "jsonl"))
                .isZero();
        assertThat(stage.out())
                .contains(
                        "{\"id\":\"7\",\"metric\":\"acc\",\"step\":9,\"time\":\"2026-03-01T09:00:00Z\",\"value\":\"NaN\"}\n");
    }

    @Test
    void jobsAreWrittenAsJson() {
        stage.server()
                .json(ALL, 200, jobs(7))
                .json("GET /api/v1/tracking?jobs=7&after=0&skipMissing=true", 200, list(FIRST));
        assertThat(stage.run("export", "--json")).isZero();
        assertThat(stage.out()).isEqualTo(JsonText.of(FIRST) + "\n");
    }

    @Test
    void tagsAreShownSetAndRemoved() {
        String tags = "POST /api/v1/jobs/7/tags";
        stage.server()
                .json("GET /api/v1/jobs/7/tracking", 200, FIRST)
                .json("GET /api/v1/jobs/7/tracking", 200, THIRD)
                .json(tags, 200, FIRST);
        assertThat(stage.run("tag", "7")).isZero();
        assertThat(stage.out()).isEqualTo("TAG    VALUE\nbase\n");
        assertThat(stage.run("tag", "7")).isZero();
        assertThat(stage.err()).isEqualTo("job 10 has no tags; berth tag 10 NAME sets one\n");
        assertThat(stage.run("tag", "7", "base", "stage=a=b", "--remove", "old"))
                .isZero();
        assertThat(stage.server().received(tags).text())
                .isEqualTo("{\"set\":{\"base\":\"\",\"stage\":\"a=b\"},\"remove\":[\"old\"]}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    best                                      | --metric is needed
                    best --metric acc                         | give either --max or --min
                    best --metric acc --max --min             | give either --max or --min
                    best 7 --metric acc --max                 | takes no
                    compare                                   | needs a job id
                    tag                                       | needs a job id
                    tag 7 x --remove x                        | is to be set and removed
                    ps --watch --columns id                   | --watch and --columns exclude each other
                    export --where=                           | must be a condition
                    tag 7 =x                                  | tag: '=x' must have a name
                    export --format xml                       | --format: 'xml' is neither csv nor jsonl
                    export --format parquet                   | pandas makes it of the CSV
                    export --format csv --json                | exclude each other
                    export --metric acc                       | --metric goes with --points
                    export 7 --project ships                  | takes job ids or a filter, not both
                    export -q                                 | --quiet goes with lists
                    ps --columns id,,lr                       | must be names with commas between them
                    ps --columns id --format {{.ID}}          | --columns and --format exclude each other
                    ps --tasks 42 --param lr=1 --where acc    | --param and --where exclude each other
                    history --where=                          | must be a condition
                    """)
    void wrongLinesAreRefused(String line, String sentence) {
        assertThat(stage.run(line.strip().split(" +"))).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains(sentence);
    }
}
