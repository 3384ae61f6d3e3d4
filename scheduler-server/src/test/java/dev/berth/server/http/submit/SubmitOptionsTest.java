package dev.berth.server.http.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.api.OptionValues;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Guarantee;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Mount;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Retry;
import dev.berth.core.job.RetryCauses;
import dev.berth.core.job.RetryDelay;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Tasks;
import dev.berth.core.job.TrackSources;
import dev.berth.core.option.JobOption;
import dev.berth.core.option.OptionKind;
import dev.berth.server.example.Jobs;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.view.SpecValues;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a submit may say beyond its program, at and beyond the edge of each rule. */
class SubmitOptionsTest {
    @TempDir
    private Path directory;

    @AutoClose
    private Submissions submissions;

    @BeforeEach
    void open() {
        submissions = new Submissions(directory);
    }

    private JobSpec taken(String fields) {
        return submissions.check("{\"command\": [\"tool\"], " + fields + "}", Jobs.ADA);
    }

    private ApiException refusal(String fields) {
        ApiException refusal = catchThrowableOfType(ApiException.class, () -> taken(fields));
        assertThat(refusal).as("it was taken: %s", fields).isNotNull();
        return refusal;
    }

    private void refused(String fields, String field, String rule) {
        ApiException refusal = refusal(fields);
        assertThat(refusal.status()).isEqualTo(400);
        assertThat(refusal.error().code()).isEqualTo("INVALID_FIELD");
        assertThat(refusal.error().details()).containsEntry("field", field);
        assertThat(refusal.error().message())
                .startsWith(field + ": '")
                .contains(rule)
                .doesNotContain("\n", "\u0000", "\u001b", "\u202e");
    }

    private void underLimits(String timeLimit) {
        submissions.under(
                "jobs.image=image",
                "jobs.time-limit=" + timeLimit,
                "jobs.max-time-limit=2h",
                "jobs.memory=1g",
                "jobs.cpus=2",
                "jobs.shm-size=256m",
                "jobs.network=jobs",
                "jobs.networks=jobs",
                "jobs.pull=never");
    }

    @Test
    void whatIsLeftOutIsAsTheServerHasIt() {
        JobSpec nothing = taken("\"gpus\": 0");
        assertThat(nothing.place()).isEqualTo(InContainer.of("", nothing.image()));
        assertThat(nothing.resources()).isEqualTo(Resources.of(GpuRequest.NONE));
        assertThat(nothing.label().tags()).isEmpty();
        assertThat(nothing.requeue()).isFalse();

        underLimits("1h");
        JobSpec spec = taken("\"gpus\": 0");
        assertThat(spec.image()).isEqualTo("image");
        assertThat(spec.timeLimit()).isEqualTo(Duration.ofHours(1));
        assertThat(spec.place())
                .isEqualTo(new InContainer("", "image", PullPolicy.NEVER, null, 1L << 28, "jobs", List.of()));
        assertThat(spec.resources()).isEqualTo(new Resources(GpuRequest.NONE, GpuTraits.ANY, 2_000, 1L << 30, 0));
    }

    @Test
    void whatIsSaidIsKept() throws Exception {
        Path source = Files.createDirectory(directory.resolve("data"));
        JobSpec spec = taken("""
                "tags": ["a", "b c"], "pull": "always", "workingDirectory": "src", "cpuMilli": 1500,
                "memoryBytes": 1073741824, "nice": 7, "shmBytes": 67108864, "network": "none", "requeue": true,
                "volumes": ["%s:/data", "%s/:/other/:ro", "%s:/third:rw"]""".formatted(source, source, source));
        assertThat(spec.label().tags()).containsExactly("a", "b c");
        assertThat(spec.resources()).isEqualTo(new Resources(GpuRequest.NONE, GpuTraits.ANY, 1_500, 1L << 30, 7));
        assertThat(spec.requeue()).isTrue();
        assertThat(spec.place())
                .isEqualTo(new InContainer(
                        "",
                        spec.image(),
                        PullPolicy.ALWAYS,
                        "/workspace/src",
                        1L << 26,
                        "none",
                        List.of(
                                new Mount(source.toString(), "/data", false),
                                new Mount(source.toString(), "/other", true),
                                new Mount(source.toString(), "/third", false))));
    }

    /** A wrong type is not seen by the compiler, and only where the option has a value. */
    @ParameterizedTest
    @EnumSource(JobOption.class)
    void everyOptionIsOfTheTypeOfItsKindInARequestWhereItIsCheckedAndWhereItIsShown(JobOption option)
            throws IOException {
        Class<?> type = type(option.kind());
        String fields = '"' + option.field() + "\": " + value(option)
                + (option == JobOption.SAMPLE || option == JobOption.SEED ? ", \"sweep\": [\"a=1,2\"]" : "")
                + (option == JobOption.SEED ? ", \"sample\": 1" : "")
                + (option == JobOption.PACK || option == JobOption.PARALLEL ? ", \"array\": \"0-31\"" : "")
                + (option == JobOption.PARALLEL ? ", \"pack\": 4" : "")
                + (option.field().startsWith("retry") ? ", \"retries\": 3" : "")
                + (option == JobOption.SIGNAL || option == JobOption.GRACE ? ", \"timeLimitSeconds\": 3600" : "")
                + (option == JobOption.KEEP_WAITING ? ", \"dependencies\": [\"afterok:1\"]" : "")
                + (option.isOf(false) ? "" : ", \"host\": true, \"directory\": \"/\"");
        OptionValues asked = Json.parse(("{" + fields + "}").getBytes(StandardCharsets.UTF_8), SubmitRequest.class)
                .options();
        assertThat((Object) asked.get(option, type)).isNotNull();
        OptionValues shown = SpecValues.of(taken(fields));
        if (SpecValues.isShown(option)) {
            assertThat((Object) shown.get(option, type)).isNotNull();
        }
    }

    private static Class<?> type(OptionKind kind) {
        return switch (kind) {
            case FLAG -> Boolean.class;
            case TEXT, PULL, SIGNAL, DATE, TASKS, TASK_COUNT -> String.class;
            case TEXTS, VOLUMES, JOBS, DEPENDENCIES -> List.class;
            case VARIABLES, VARIABLE_FILES -> Map.class;
            case GPUS, CPUS -> Integer.class;
            case NUMBER -> Number.class;
            case SIZE, MEMORY, DURATION -> Long.class;
        };
    }

    private String value(JobOption option) {
        return switch (option.kind()) {
            case FLAG -> "true";
            case TEXT ->
                switch (option) {
                    case NETWORK -> "\"none\"";
                    case RETRY_DELAY -> "\"1m..1h\"";
                    case RETRY_PLACE -> "\"end\"";
                    default -> "\"a100\"";
                };
            case PULL -> "\"always\"";
            case TEXTS ->
                switch (option) {
                    case SWEEP, ZIP -> "[\"a=1,2\"]";
                    case RETRY_ON -> "[\"exit,code:75\"]";
                    case TRACK -> "[\"csv,stdout\"]";
                    case NOTIFY -> "[\"end:https://example.org/hook\"]";
                    default -> "[\"a\"]";
                };
            case VOLUMES -> "[\"" + directory + ":/data\"]";
            case VARIABLES, VARIABLE_FILES -> "{\"A\": \"b\"}";
            case GPUS, NUMBER -> "1";
            case CPUS -> "1500";
            case SIZE, MEMORY -> "67108864";
            case DURATION -> "60";
            case SIGNAL -> "\"USR1@60\"";
            case DATE -> "\"2026-12-01T08:00:00Z\"";
            case TASKS, TASK_COUNT -> "\"0-31%4\"";
            case JOBS, DEPENDENCIES -> "[\"afterok:1\"]";
        };
    }

    @Test
    void whatIsAskedForWhereAnAttemptFailsIsKept() {
        assertThat(taken("\"retries\": 3").retry()).isEqualTo(new Retry(3, RetryCauses.USUAL, RetryDelay.NONE, false));
        assertThat(taken("""
                "retries": 100, "retryOn": ["exit", "timeout,code:75"], "retryDelay": "1m..1h", "retryPlace": "end\"""").retry())
                .isEqualTo(new Retry(
                        100,
                        RetryCauses.parse("exit,timeout,code:75"),
                        new RetryDelay(Duration.ofMinutes(1), Duration.ofHours(1)),
                        true));
        assertThat(taken("\"retries\": 0").retry()).isEqualTo(Retry.NONE);
        assertThat(taken("\"retries\": 1, \"retryPlace\": \"keep\"").retry().atEnd())
                .isFalse();
    }

    @Test
    void metricsAreReadFromWhereItIsAskedFor() {
        assertThat(taken("\"gpus\": 0").sources()).isEqualTo(TrackSources.USUAL);
        assertThat(taken("\"track\": [\"stdout\", \"csv,csv\"]").sources().words())
                .containsExactly("csv", "stdout");
        assertThat(taken("\"track\": [\"none\"]").sources()).isEqualTo(TrackSources.NONE);
    }

    @Test
    void tasksShareContainersAsAskedFor() throws IOException {
        assertThat(taken("\"array\": \"0-31\", \"pack\": 64").tasks())
                .isEqualTo(Tasks.parse("0-31").with(new Packing(64, 1)));
        assertThat(taken("\"array\": \"0-31%4\", \"pack\": 8, \"parallel\": 4").tasks())
                .isEqualTo(Tasks.parse("0-31%4").with(new Packing(8, 4)));
        assertThat(taken("\"array\": \"0-3\", \"pack\": 2, \"timeLimitSeconds\": 60")
                        .limits()
                        .grace())
                .as("the time limit of a pack counts what the server gives")
                .isEqualTo(Duration.ofSeconds(10));
        assertThat(taken("\"array\": \"0-3\", \"timeLimitSeconds\": 60")
                        .limits()
                        .grace())
                .isNull();
        assertThat(taken("\"sweep\": [\"a=1..4\"], \"pack\": 1").tasks())
                .isEqualTo(Tasks.parse("0-3").with(new Packing(1, 1)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"pack\": 4|pack: '4' is of the tasks of an array, and this job is none; make it one (--array,",
                "\"array\": \"0-9\", \"pack\": 0|pack: '0' must be from 1 to 64",
                "\"array\": \"0-9\", \"pack\": 65|pack: '65' must be from 1 to 64",
                "\"array\": \"0-9\", \"pack\": -1|pack: '-1' must be from 1 to 64",
                "\"array\": \"0-9\", \"parallel\": 2|parallel: '2' is of the tasks of a pack; say how many these are (--pack)",
                "\"parallel\": 2|parallel: '2' is of the tasks of a pack; say how many these are (--pack)",
                "\"array\": \"0-9\", \"pack\": 3, \"parallel\": 5|parallel: '5' must be from 1 to 3, the tasks of a pack (--pack)",
                "\"array\": \"0-9\", \"pack\": 3, \"parallel\": 0|parallel: '0' must be from 1 to 64",
                "\"array\": \"0-9%2\", \"pack\": 4, \"parallel\": 3|parallel: '3' is more than the 2 tasks of the array that may run at the same time (%2)",
                "\"host\": true, \"directory\": \"/\", \"pack\": 4|pack: '' is a container's, and a process of the machine itself (host) has none; leave it out",
            })
    void aPackThatIsNoneIsRefused(String fields, String refusal) {
        assertThatThrownBy(() -> taken(fields)).hasMessageContaining(refusal);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"sweep\": [\"a=1,2\"], \"sample\": 0|sample: '0' must be from 1 to 1000000",
                "\"sweep\": [\"a=1,2\"], \"sample\": 1, \"seed\": -1|seed: '-1' must be from 0 to 281474976710655",
                "\"sweep\": [\"a=1,2\"], \"sample\": 1, \"seed\": 281474976710656|seed: '281474976710656' must be from",
                "\"sweep\": [\"a=1,2\"], \"sample\": 3, \"seed\": 281474976710655|sample: '3' is more than the 2 sets",
                "\"track\": [\"stdout\", \"none\"]|track: 'none' must be of tensorboard, csv and stdout, or none alone",
                "\"track\": [\"\"]|track: '' must be of tensorboard",
                "\"track\": [null]|track: 'null' must be of tensorboard",
                "\"retries\": 3000000000|retries: '3000000000' must be from 0 to 100",
                "\"retries\": 1, \"retryOn\": [\"timeout\"], \"gpus\": 1|retryOn: 'timeout' needs a limit at which the job is ended",
                "\"retries\": 101|retries: '101' must be from 0 to 100",
                "\"retries\": -1|retries: '-1' must be from 0 to 100",
                "\"retryOn\": [\"exit\"]|retryOn: 'exit' needs a number of retries above 0",
                "\"retries\": 0, \"retryDelay\": \"1m\"|retryDelay: '1m' needs a number of retries above 0",
                "\"retryPlace\": \"end\"|retryPlace: 'end' needs a number of retries above 0",
                "\"retries\": 1, \"retryOn\": [\"exit,fail\"]|retryOn: 'exit,fail' must be of exit, oom, lost, timeout and code:N",
                "\"retries\": 1, \"retryOn\": [\"code:256\"]|retryOn: 'code:256' must be of exit",
                "\"retries\": 1, \"retryOn\": [null]|retryOn: 'null' must be of exit",
                "\"retries\": 1, \"retryDelay\": \"soon\"|retryDelay: 'soon' must be a time of at most 30 days",
                "\"retries\": 1, \"retryDelay\": \"1h..1m\"|retryDelay: '1h..1m' must not go from the longer to the shorter time",
                "\"retries\": 1, \"retryPlace\": \"front\"|retryPlace: 'front' must be keep, its old place in the queue, or end",
            })
    void aRetryThatIsNoneIsRefused(String fields, String refusal) {
        assertThatThrownBy(() -> taken(fields)).hasMessageContaining(refusal);
    }

    @Test
    void aSignalAndAGraceAreKept() {
        JobSpec spec = taken("\"timeLimitSeconds\": 3600, \"signal\": \"SIGUSR1@300\", \"graceSeconds\": 120");
        assertThat(spec.limits())
                .isEqualTo(new Limits(
                        Duration.ofHours(1),
                        null,
                        new LimitSignal(Signal.USR1, Duration.ofMinutes(5)),
                        Duration.ofMinutes(2)));
        assertThat(SpecValues.value(JobOption.SIGNAL, spec)).isEqualTo("USR1@300");
        assertThat(taken("\"idleTimeoutSeconds\": 60, \"graceSeconds\": 600")
                        .limits()
                        .grace())
                .isEqualTo(Duration.ofMinutes(10));
    }

    @ParameterizedTest
    @CsvSource({
        "'\"signal\": \"KILL@60\", \"timeLimitSeconds\": 100', must name one of HUP",
        "'\"signal\": \"USR1@x\", \"timeLimitSeconds\": 100', must be a signal",
        "'\"signal\": \"USR1@0\", \"timeLimitSeconds\": 100', must come from 1 second",
        "'\"signal\": \"USR1\"', needs a time limit",
        "'\"signal\": \"USR1@100\", \"timeLimitSeconds\": 100', 'must come within the job''s time limit, which is 1m 40s'",
        "'\"signal\": \"\\u001b\", \"timeLimitSeconds\": 100', must name one of HUP"
    })
    void aSignalThatCannotComeIsRefused(String fields, String rule) {
        refused(fields, "signal", rule);
    }

    /** The limit that counts is the one that the job has in the end. */
    @Test
    void aSignalComesBeforeTheLimitThatTheServerGives() {
        underLimits("1h");
        assertThat(taken("\"signal\": \"TERM@3599\"").limits().signal()).isNotNull();
        refused("\"signal\": \"TERM@3600\"", "signal", "which is 1h");
    }

    @Test
    void aGraceIsBounded() {
        refused(
                "\"timeLimitSeconds\": 9, \"graceSeconds\": 601",
                "graceSeconds",
                "must be at most 10m, the most that this server gives a job (jobs.max-stop-grace)");
        refused("\"timeLimitSeconds\": 9, \"graceSeconds\": 0", "graceSeconds", "must be from 1 second");
        refused("\"graceSeconds\": 5", "graceSeconds", "give the job one");
        submissions.under("jobs.max-stop-grace=1h");
        assertThat(taken("\"timeLimitSeconds\": 9, \"graceSeconds\": 3600")
                        .limits()
                        .grace())
                .isEqualTo(Duration.ofHours(1));
    }

    @Test
    void whatAJobWaitsForIsKept() {
        JobSpec spec = taken("""
                "dependencies": ["afterok:1", "afterany:1", "afterok:1"], "keepWaiting": true,
                "begin": "2026-12-01T08:00:00+01:00\"""");
        assertThat(spec.prerequisites())
                .isEqualTo(new Prerequisites(
                        Instant.parse("2026-12-01T07:00:00Z"),
                        List.of(
                                new Dependency(DependencyKind.AFTER_OK, new JobId(1)),
                                new Dependency(DependencyKind.AFTER_ANY, new JobId(1))),
                        true));
        assertThat(SpecValues.value(JobOption.DEPENDENCY, spec)).isEqualTo(List.of("afterok:1", "afterany:1"));
        assertThat(taken("\"gpus\": 0").prerequisites()).isEqualTo(Prerequisites.NONE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"afterok:3\"|names job 3, which is not there",
                "\"afterok:2\"|names job 2, which is not there; berth ps -a lists your jobs",
                "\"afterok\"|must be one of afterok, afterany, afternotok, aftercorr with a job's id",
                "\"afterok:\"|must be one of",
                "\"afterok:0\"|must be one of",
                "\"afterok:1:1\"|must be one of",
                "\"afterok:99999999999999999999\"|must be one of",
                "\"after:1\"|must be one of",
                "\"AFTEROK:1\"|must be one of",
                "\"\"|must be one of",
                "null|must be one of",
            })
    void aDependencyIsOfAKindAndOnAJobOfOnesOwn(String dependency, String rule) {
        refused("\"dependencies\": [" + dependency + "]", "dependencies", rule);
    }

    @Test
    void dependenciesHaveABound() {
        String many = String.join(",", Collections.nCopies(1_001, "\"afterok:1\""));
        refused("\"dependencies\": [" + many + "]", "dependencies", "must be at most 1000");
        refused("\"keepWaiting\": true", "keepWaiting", "goes with jobs to wait for");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tomorrow",
                "2026-12-01",
                "2026-12-01T08:00",
                "2026-02-30T08:00:00Z",
                "+2h",
                "",
                "1969-01-01T00:00:00Z",
                "3000-01-01T00:00:00Z",
                "+999999999-01-01T00:00:00Z"
            })
    void aBeginIsADateWithItsZone(String text) {
        refused("\"begin\": \"" + text + "\"", "begin", "must be a date with its zone");
    }

    @Test
    void aGuaranteeIsAtMostTheLimit() {
        assertThat(taken("\"cpuMilli\": 2000, \"cpuGuaranteeMilli\": 1500")
                        .resources()
                        .guarantee())
                .isEqualTo(new Guarantee(1_500, null));
        assertThat(taken("\"memoryBytes\": 1073741824, \"memoryGuaranteeBytes\": 1073741824")
                        .resources()
                        .guarantee())
                .isEqualTo(new Guarantee(null, 1L << 30));
        refused(
                "\"cpuMilli\": 2000, \"cpuGuaranteeMilli\": 2001",
                "cpuGuaranteeMilli",
                "is more than the 2000 thousandths of a CPU that the job may use");
        refused("\"cpuGuaranteeMilli\": 0", "cpuGuaranteeMilli", "must be above 0");
        refused(
                "\"memoryBytes\": 1073741824, \"memoryGuaranteeBytes\": 1073741825",
                "memoryGuaranteeBytes",
                "is more than what the job may use: 1 GiB");
        refused("\"memoryGuaranteeBytes\": 0", "memoryGuaranteeBytes", "is less than");
        refused("\"host\": true, \"memoryGuaranteeBytes\": 1", "memoryGuaranteeBytes", "is a container's");
    }

    @Test
    void nicenessHasBounds() {
        assertThat(taken("\"nice\": 19").resources().nice()).isEqualTo(19);
        refused("\"nice\": 20", "nice", "must be from 0 to 19");
        refused("\"nice\": -1", "nice", "must be from 0 to 19");
        refused("\"host\": true, \"shell\": true, \"nice\": 1", "nice", "is of programs that Berth starts");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[\"\"]|must have 1 to 128 characters",
                "[null]|must have 1 to 128 characters",
                "[\"a\\nb\"]|must not hold control",
                "[\"\\u202eevil\"]|must not hold control",
                "[\"a\", \"b\", \"a\"]|must be given once"
            })
    void tagsAreLabels(String tags, String rule) {
        refused("\"tags\": " + tags, "tags", rule);
    }

    @Test
    void tagsHaveABound() {
        assertThat(taken("\"tags\": " + tags(32)).label().tags()).hasSize(32);
        refused("\"tags\": " + tags(33), "tags", "must be at most 32");
    }

    private static String tags(int count) {
        return IntStream.range(0, count).mapToObj(i -> "\"t" + i + "\"").collect(Collectors.joining(",", "[", "]"));
    }

    @Test
    void anEntrypointStandsBeforeTheCommandAndNothingElseDoes() {
        assertThat(submissions.wanted("{\"command\": [\"main.py\", \"x\"], \"entrypoint\": \"/bin/run\"}", Jobs.ADA))
                .satisfies(wanted -> {
                    assertThat(wanted.program().command()).containsExactly("/bin/run", "main.py", "x");
                    assertThat(wanted.spec().name()).isEqualTo("main.py");
                });
        assertThat(submissions.wanted("{\"entrypoint\": \"/bin/run\"}", Jobs.ADA))
                .satisfies(wanted -> {
                    assertThat(wanted.program().command()).containsExactly("/bin/run");
                    assertThat(wanted.spec().name()).isEqualTo("run");
                });
        for (String bad : List.of("", " ", "a\\u0000b", "a\\nb")) {
            refused("\"entrypoint\": \"" + bad + "\"", "entrypoint", "must be one program");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "src,/workspace/src",
        "src/,/workspace/src",
        "a b/c,/workspace/a b/c",
        "/opt/app,/opt/app",
        "/workspace/x,/workspace/x",
        "/,/"
    })
    void aWorkingDirectoryIsAbsoluteOrInTheWorkspace(String given, String expected) {
        assertThat(taken("\"workingDirectory\": \"" + given + "\"").container().workingDirectory())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ".", "..", "../x", "a/../../b", "/a/../b", "//a", "a//b", "/a/./b", "a\\u0000", "a\\nb"})
    void aWorkingDirectoryIsClean(String path) {
        refused("\"workingDirectory\": \"" + path + "\"", "workingDirectory", "must");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Always", "if-missing", "always\\n"})
    void aPullPolicyIsOneOfThree(String pull) {
        refused("\"pull\": \"" + pull + "\"", "pull", "must be missing, always or never");
    }

    @ParameterizedTest
    @CsvSource({
        "0, must be above 0",
        "-1, must be above 0",
        "4001, is more than this machine's 4 CPUs",
        "2147483647, is more than this machine's 4 CPUs"
    })
    void cpusAreThoseOfTheMachine(int milli, String rule) {
        refused("\"cpuMilli\": " + milli, "cpuMilli", rule);
        assertThat(taken("\"cpuMilli\": 4000").resources().cpuMilli()).isEqualTo(4_000);
        assertThat(taken("\"cpuMilli\": 1").resources().cpuMilli()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 'is less than 6 MiB, the least there may be'",
        "-1, 'is less than 6 MiB, the least there may be'",
        "6291455, 'is less than 6 MiB, the least there may be'",
        "8589934593, is more than this machine's 8 GiB",
        "9223372036854775807, is more than this machine's 8 GiB"
    })
    void memoryIsThatOfTheMachine(long bytes, String rule) {
        refused("\"memoryBytes\": " + bytes, "memoryBytes", rule);
        assertThat(taken("\"memoryBytes\": 6291456").resources().memoryBytes()).isEqualTo(6_291_456);
        assertThat(taken("\"memoryBytes\": 8589934592").resources().memoryBytes())
                .isEqualTo(8L << 30);
    }

    @Test
    void sharedMemoryIsPartOfTheMemory() {
        refused("\"shmBytes\": 0", "shmBytes", "is less than 1 B, the least there may be");
        refused("\"shmBytes\": 8589934593", "shmBytes", "is more than this machine's 8 GiB");
        refused(
                "\"memoryBytes\": 10485760, \"shmBytes\": 10485761",
                "shmBytes",
                "is more than the job's memory, as which it counts: 10 MiB");
        assertThat(taken("\"shmBytes\": 1").container().shmBytes()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "container:berth-1", "ns:/proc/1/ns/net", "default", "mine", "bridge\\n", "none,bridge"})
    void aNetworkIsOneOfThoseThatAreAllowed(String network) {
        refused("\"network\": \"" + network + "\"", "network", "must be one of bridge, none");
    }

    @Test
    void theMachinesOwnNetworkIsTheAdministratorsToGive() {
        refused("\"network\": \"host\"", "network", "only the administrator can allow (privileges.host-network)");
        submissions.under("privileges.host-network=true");
        assertThat(taken("\"network\": \"host\"").container().network()).isEqualTo("host");
        refused("\"network\": \"container:x\"", "network", "must be one of bridge, host, none");
    }

    /** A configuration that names it as the default has not allowed it yet. */
    @Test
    void theMachinesOwnNetworkIsNobodysByDefault() {
        submissions.under("jobs.network=host", "jobs.networks=host");
        refused("\"gpus\": 0", "network", "only the administrator can allow (privileges.host-network)");
    }

    @Test
    void theDefaultNetworkMayBeAskedForByName() {
        submissions.under("jobs.network=jobs", "jobs.networks=none,jobs");
        assertThat(taken("\"network\": \"jobs\"").container().network()).isEqualTo("jobs");
        refused("\"network\": \"bridge\"", "network", "must be one of jobs, none");
    }

    @Test
    void aTimeLimitIsWithinTheServers() {
        underLimits("none");
        assertThat(taken("\"gpus\": 0").timeLimit()).isEqualTo(Duration.ofHours(2));
        assertThat(taken("\"timeLimitSeconds\": 7200").timeLimit()).isEqualTo(Duration.ofHours(2));
        refused("\"timeLimitSeconds\": 7201", "timeLimitSeconds", "must be at most 2h, the most that this server lets");
    }

    @Test
    void rootsJobsAreTheAdministratorsToAllow() {
        assertThat(submissions
                        .wanted("{\"command\": [\"x\"]}", Jobs.ROOT)
                        .program()
                        .command())
                .containsExactly("x");
        submissions.under("privileges.root-jobs=false");
        assertThat(taken("\"gpus\": 0").name()).isEqualTo("tool");
        ApiException refusal =
                catchThrowableOfType(ApiException.class, () -> submissions.check("{\"command\": [\"x\"]}", Jobs.ROOT));
        assertThat(refusal.status()).isEqualTo(403);
        assertThat(refusal.error().code()).isEqualTo("ROOT_JOBS");
        assertThat(refusal.error().message()).contains("privileges.root-jobs", "runuser -u USER -- berth submit");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "/tmp",
                "data:/data",
                "/tmp:data",
                "/tmp:/data:",
                "/tmp:/data:z",
                "/tmp:/data:ro,rw",
                "/tmp:/data:RO",
                "/tmp:/data:ro:rw",
                "./x:/data",
                "name:/data"
            })
    void aVolumeIsTwoAbsolutePathsAndPerhapsAMode(String volume) {
        refused("\"volumes\": [\"" + volume + "\"]", "volumes", "must be SOURCE:TARGET");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/tmp/../etc:/data", "/tmp:/data/../etc", "/tmp:/data//x", "/tmp:/./data", "//tmp:/data"})
    void aVolumesPathsAreClean(String volume) {
        refused("\"volumes\": [\"" + volume + "\"]", "volumes", "must be a path without empty parts");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/tmp\\n:/data", "/tmp:/da\\u0000ta", "/tmp:/da\\u202eta", "/tmp:/\\u001b[2J"})
    void aVolumesPathsCanBeShown(String volume) {
        refused("\"volumes\": [\"" + volume + "\"]", "volumes", "must not hold control");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/workspace",
                "/output",
                "/checkpoint",
                "/home/ada",
                "/home",
                "/proc",
                "/proc/1",
                "/sys",
                "/dev",
                "/dev/shm",
                "/etc",
                "/etc/passwd",
                "/usr",
                "/usr/local/lib",
                "/bin",
                "/sbin",
                "/lib",
                "/lib64",
                "/lib/x86_64-linux-gnu",
                "/run",
                "/var",
                "/var/run",
                "/var/run/docker.sock",
                "/boot"
            })
    void theContainersSystemAndBerthsPlacesAreNoTargets(String target) {
        refused("\"volumes\": [\"" + directory + ":" + target + "\"]", "volumes", "target " + target + " ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/data",
                "/workspace/data",
                "/output/a/b",
                "/checkpoint/a",
                "/home/ada/.cache",
                "/home/bob",
                "/opt/x",
                "/procs",
                "/library"
            })
    void elsewhereIsGood(String target) {
        assertThat(taken("\"volumes\": [\"" + directory + ":" + target + "\"]")
                        .container()
                        .mounts())
                .containsExactly(new Mount(directory.toString(), target, false));
    }

    @ParameterizedTest
    @CsvSource({"/data,/data", "/data,/data/x", "/data/x,/data", "/data,/data/"})
    void mountsLieBesideEachOther(String first, String second) {
        refused(
                "\"volumes\": [\"%s:%s\", \"%s:%s:ro\"]".formatted(directory, first, directory, second),
                "volumes",
                "mounts lie beside each other");
    }

    @Test
    void volumesHaveABound() {
        String many = IntStream.range(0, 33)
                .mapToObj(i -> "\"" + directory + ":/d" + i + "\"")
                .collect(Collectors.joining(","));
        refused("\"volumes\": [" + many + "]", "volumes", "must be at most 32");
    }

    @Test
    void sourcesAreLookedAtAtOnce() {
        refused("\"volumes\": [\"/no/such/thing:/data\"]", "volumes", "source /no/such/thing is not there; a source");
        refused("\"volumes\": [\"/dev/null:/data\"]", "volumes", "no directory and no regular file");
        refused("\"volumes\": [\"/:/data\"]", "volumes", "never mounted into a job");
        submissions.under("mounts.enabled=false");
        refused("\"volumes\": [\"" + directory + ":/data\"]", "volumes", "mounts are switched off on this server");
    }
}
