package dev.berth.server.http.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.api.OptionValues;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Label;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Resources;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.submit.Submission.Wanted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every field of a submit at and beyond the edge of its rule. */
class SubmissionTest {
    @TempDir
    private Path directory;

    @AutoClose
    private Submissions submissions;

    @BeforeEach
    void open() {
        submissions = new Submissions(directory);
    }

    /** A request with one field as the test has it. */
    private final class Request {
        private @Nullable String name;
        private @Nullable String project;
        private @Nullable List<String> command = List.of("tool");
        private @Nullable String digest = submissions.emptySnapshot();
        private @Nullable String image;
        private @Nullable Integer gpus;
        private @Nullable Map<String, String> environment;
        private @Nullable Long seconds;

        Wanted taken() {
            return submissions
                    .submission()
                    .check(
                            Profiled.none(new SubmitRequest(
                                    command,
                                    digest,
                                    null,
                                    false,
                                    null,
                                    false,
                                    null,
                                    null,
                                    new OptionValues(options()))),
                            Caller.local(Jobs.ADA),
                            false);
        }

        private Map<String, @Nullable Object> options() {
            Map<String, @Nullable Object> options = new HashMap<>();
            options.put("name", name);
            options.put("project", project);
            options.put("environment", environment);
            options.put("image", image);
            options.put("gpus", gpus);
            options.put("timeLimitSeconds", seconds);
            return options;
        }

        void refused(String field, String rule) {
            ApiException refusal = catchThrowableOfType(ApiException.class, this::taken);
            assertThat(refusal).as("it was taken").isNotNull();
            assertThat(refusal.status()).isEqualTo(400);
            assertThat(refusal.error().code()).isEqualTo("INVALID_FIELD");
            assertThat(refusal.error().details()).containsEntry("field", field);
            assertThat(refusal.error().message()).startsWith(field + ": '").contains(rule);
            assertThat(refusal.error().message().length()).isLessThan(1_000);
        }

        Request name(String value) {
            name = value;
            return this;
        }

        Request withoutFiles() {
            digest = null;
            return this;
        }

        Request command(@Nullable List<String> words) {
            command = words;
            return this;
        }

        Request environment(Map<String, String> variables) {
            environment = variables;
            return this;
        }
    }

    private Request request() {
        return new Request();
    }

    private static Map<String, String> variables(int count, String value) {
        return IntStream.range(0, count).boxed().collect(Collectors.toMap(i -> "V" + i, _ -> value));
    }

    @Test
    void whatIsLeftOutIsFilledIn() {
        assertThat(request().taken().spec())
                .isEqualTo(new JobSpec(
                        new Label("tool", "default", List.of()),
                        InContainer.of(submissions.emptySnapshot(), "berth-job:latest"),
                        Resources.of(GpuRequest.NONE),
                        Limits.NONE,
                        false,
                        null));
    }

    @ParameterizedTest
    @CsvSource({"main.py,main.py", "./src/train.py,train.py", "/usr/bin/env,env", "a/,job", "/,job"})
    void theNameIsTheLastPartOfTheProgram(String word, String name) {
        assertThat(request()
                        .withoutFiles()
                        .command(List.of(word))
                        .taken()
                        .spec()
                        .name())
                .isEqualTo(name);
    }

    @Test
    void aLongProgramMakesAShortName() {
        assertThat(request().command(List.of("n".repeat(200))).taken().spec().name())
                .isEqualTo("n".repeat(128));
    }

    @ParameterizedTest
    @CsvSource({"main.py,true", "./a/b.py,true", ".py,true", "main.pyc,false", "python,false", "main.PY,false"})
    void aPythonFileIsRunByPython(String word, boolean byPython) {
        assertThat(request()
                        .withoutFiles()
                        .command(List.of(word, "x.py"))
                        .taken()
                        .program()
                        .command())
                .isEqualTo(byPython ? List.of("python3", word, "x.py") : List.of(word, "x.py"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a b", "\u00fcber", "\ud83d\udea2", "-", "1"})
    void namesAreFree(String name) {
        assertThat(request().name(name).taken().spec().name()).isEqualTo(name);
        Request request = request();
        request.project = name;
        assertThat(request.taken().spec().project()).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\u3000"})
    void namesAreNotBlank(String name) {
        request().name(name).refused("name", "must have 1 to 128 characters");
        Request request = request();
        request.project = name;
        request.refused("project", "must have 1 to 128 characters");
    }

    @Test
    void namesHaveABound() {
        assertThat(request().name("n".repeat(128)).taken().spec().name()).hasSize(128);
        request().name("n".repeat(129)).refused("name", "must have 1 to 128 characters");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\nb",
                "a\tb",
                "a\0b",
                "\u001b[31m",
                "a\u007f",
                "a\u0085b",
                "\u202eevil",
                "a\u200bb",
                "a\u2028b",
                "a\u2029b",
                "\ufeffa",
                "a\ud83d",
                "\udea2a",
                "a\u2066b"
            })
    void namesShowWhatTheyAre(String name) {
        request().name(name).refused("name", "must not hold control or formatting characters");
    }

    /** The name that is made of the program is held to the same rule. */
    @Test
    void aProgramWithAHiddenNameIsRefusedOrNamed() {
        request().command(List.of("a\u001b[2J")).refused("name", "must not hold control or formatting characters");
    }

    @Test
    void aCommandHasAProgram() {
        request().command(null).refused("command", "must name a program");
        request().command(List.of()).refused("command", "must name a program");
        request().command(List.of("")).refused("command", "must name a program first");
        request().command(List.of(" ", "x")).refused("command", "must name a program first");
        request().command(Collections.singletonList(null)).refused("command", "must be words without NUL");
        request().command(Arrays.asList("x", null)).refused("command", "must be words without NUL");
        request().command(List.of("x", "a\0b")).refused("command", "must be words without NUL");
        assertThat(request()
                        .command(List.of("x", "", "\n", "--"))
                        .taken()
                        .program()
                        .command())
                .containsExactly("x", "", "\n", "--");
    }

    @Test
    void aCommandHasABound() {
        assertThat(request()
                        .command(Collections.nCopies(4_096, "x"))
                        .taken()
                        .program()
                        .command())
                .hasSize(4_096);
        request().command(Collections.nCopies(4_097, "x")).refused("command", "at most 4096 words and 131072 bytes");
        assertThat(request()
                        .command(List.of("x", "y".repeat(131_071)))
                        .taken()
                        .program()
                        .command())
                .hasSize(2);
        request().command(List.of("x", "y".repeat(131_072))).refused("command", "at most 4096 words");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "abc",
                "../../../etc/passwd",
                "0000000000000000000000000000000000000000000000000000000000000000"
            })
    void aSnapshotIsOneThatIsHere(String digest) {
        Request request = request();
        request.digest = digest;
        request.refused("snapshot", "is not on this server; upload the directory first");
    }

    @Test
    void anothersSnapshotIsNotHere() throws Exception {
        Request request = request();
        request.digest = submissions.uploaded(new Draft().file("f", "secret"), Jobs.BOB);
        request.refused("snapshot", "is not on this server; upload the directory first");
    }

    @ParameterizedTest
    @ValueSource(strings = {"busybox", "python:3.12-slim", "host:5000/a/b_c@sha256:0123", "A", "ubuntu:24.04"})
    void imagesHaveNames(String image) {
        Request request = request();
        request.image = image;
        assertThat(request.taken().spec().image()).isEqualTo(image);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "-rm", "--privileged", "a b", "a\nb", "\u00fc", "$(x)", "/abs", "a;b", ".a", "a\0"})
    void whatIsNoImagesNameIsRefused(String image) {
        Request request = request();
        request.image = image;
        request.refused("image", "is not an image name such as python:3.12-slim");
    }

    @Test
    void imagesNamesHaveABound() {
        Request request = request();
        request.image = "i".repeat(255);
        assertThat(request.taken().spec().image()).hasSize(255);
        request.image = "i".repeat(256);
        request.refused("image", "is not an image name");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, 1_025, Integer.MAX_VALUE})
    void gpusAreCountedWithinBounds(int count) {
        Request request = request();
        request.gpus = count;
        request.refused("gpus", "must be a whole number from 0 to 1024");
    }

    @Test
    void gpusAreAskedForWhole() {
        Request request = request();
        request.gpus = 1_024;
        assertThat(request.taken().spec().gpus()).isEqualTo(GpuRequest.whole(1_024));
    }

    @ParameterizedTest
    @ValueSource(strings = {"A", "_", "PATH", "lower_Case9", "CUDA_LAUNCH_BLOCKING", "NVIDIA_DRIVER_CAPABILITIES"})
    void variablesHaveNames(String name) {
        Map<String, String> variables = Map.of(name, "a=b\n\u00fc");
        assertThat(request().environment(variables).taken().program().environment())
                .isEqualTo(variables);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1A", "A-B", "A=B", "A B", " A", "\u00c4", "A\n", "A\0", "%", "BASH_FUNC_x%%"})
    void whatIsNoVariablesNameIsRefused(String name) {
        request().environment(Map.of(name, "x")).refused("environment", "is not a variable's name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_MIG_CONFIG_DEVICES"})
    void whatDecidesOnGpusIsRefused(String name) {
        request().environment(Map.of(name, "")).refused("environment", "is set by Berth alone");
    }

    @Test
    void variablesHaveValues() {
        Map<String, String> without = new HashMap<>();
        without.put("A", null);
        request().environment(without).refused("environment", "must have a value without NUL");
        request().environment(Map.of("A", "x\0y")).refused("environment", "must have a value without NUL");
    }

    @Test
    void variablesHaveABound() {
        assertThat(request().environment(variables(1_024, "")).taken().program().environment())
                .hasSize(1_024);
        request().environment(variables(1_025, "")).refused("environment", "at most 1024 variables of 131072 bytes");
        assertThat(request()
                        .environment(Map.of("A", "x".repeat(131_071)))
                        .taken()
                        .program()
                        .environment())
                .hasSize(1);
        request().environment(Map.of("A", "x".repeat(131_072))).refused("environment", "131072 bytes in UTF-8 in all");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 315_360_001, Long.MAX_VALUE, Long.MIN_VALUE})
    void aTimeLimitIsWithinBounds(long seconds) {
        Request request = request();
        request.seconds = seconds;
        request.refused("timeLimitSeconds", "must be from 1 second to 315360000 (ten years)");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 60, 315_360_000})
    void aTimeLimitIsTakenToTheSecond(long seconds) {
        Request request = request();
        request.seconds = seconds;
        assertThat(request.taken().spec().timeLimit()).isEqualTo(Duration.ofSeconds(seconds));
    }
}
