package dev.berth.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Samples;
import dev.berth.cli.json.JsonObject;
import dev.berth.cli.json.JsonText;
import dev.berth.cli.json.Views;
import dev.berth.cli.output.text.JobText;
import dev.berth.core.api.JobView;
import dev.berth.core.option.JobOption;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@code berth status ID} shows of a job: every option that was given. */
class JobPageTest {
    /** A value of each kind as the API has it, and how people read it. */
    private static final Map<String, String> TEXTS = Map.of(
            "CPUS", "1500=1.5",
            "NUMBER", "7=7",
            "SIZE", "1073741824=1 GiB",
            "MEMORY", "1073741824=1 GiB",
            "DURATION", "5400=1h 30m",
            "FLAG", "true=yes",
            "TEXTS", "[\"a\",\"b c\"]=a, b c",
            "VOLUMES", "[\"/a:/b\"]=/a:/b");

    private static List<String> page(boolean host, String field, String value) {
        String fields = ",\"" + field + "\":" + value;
        String json = JsonText.of(Samples.queued(17, 1))
                .replaceFirst(",\"" + field + "\":(\\[[^]]*]|[^,}]*)", "")
                .replace("\"host\":false", "\"host\":" + host)
                .replaceFirst("}$", fields + "}");
        JobView job = Views.job(JsonObject.parse(json.getBytes(StandardCharsets.UTF_8)));
        return JobText.page(job, Samples.NOW, true);
    }

    @Test
    void allThatWasSaidStandsBehindTheSentence() {
        assertThat(page(false, "details", "\"OCI runtime create failed: x\""))
                .filteredOn(line -> line.startsWith("details "))
                .containsExactly("details     OCI runtime create failed: x");
        String attempts = """
            [{"attempt": 1, "state": "TIMEOUT", "reason": "TIME_LIMIT", "sentence": "stopped at its time limit of 4h", "exitCode": 143,
              "retried": true, "gpuUuids": ["GPU-1"], "gpuIndices": ["1"], "startedAt": "2026-01-31T08:00:00Z",
              "endedAt": "2026-01-31T12:00:00Z", "ranSeconds": 14400},
             {"attempt": 2, "state": "LOST", "reason": "ENGINE_STOPPED", "sentence": "nobody knows whether it ran", "exitCode": null,
              "retried": false, "gpuUuids": [], "gpuIndices": [], "startedAt": null, "endedAt": "2026-01-31T12:10:00Z",
              "ranSeconds": 0}]""";
        assertThat(page(false, "earlierAttempts", attempts))
                .containsSubsequence(
                        "attempts    1: TIMEOUT, after 4h on GPU 1: stopped at its time limit of 4h (exit code 143)",
                        "            2: LOST: nobody knows whether it ran; queued again");
        assertThat(page(false, "details", "null")).noneMatch(line -> line.startsWith("details"));
    }

    @ParameterizedTest
    @EnumSource(JobOption.class)
    void everyOptionThatIsGivenIsShown(JobOption option) {
        if (option.title().isEmpty()) {
            assertThat(option)
                    .isIn(EnumSet.of(
                            JobOption.GPUS,
                            JobOption.NAME,
                            JobOption.ENVIRONMENT,
                            JobOption.ENVIRONMENT_FILES,
                            JobOption.ENTRYPOINT,
                            JobOption.AFTER,
                            JobOption.REPEAT,
                            JobOption.SWEEP,
                            JobOption.ZIP,
                            JobOption.SAMPLE,
                            JobOption.SEED,
                            JobOption.PACK,
                            JobOption.PARALLEL));
            return;
        }
        String[] text = TEXTS.getOrDefault(option.kind().name(), "\"x y\"=x y").split("=", 2);
        boolean host = !option.isOf(false);
        List<String> lines = page(host, option.field(), text[0]);
        assertThat(lines)
                .filteredOn(line -> line.startsWith(option.title() + " "))
                .hasSize(1)
                .allMatch(line -> line.endsWith(" " + text[1]));
    }

    @Test
    void aProcessOfTheMachineHasNothingOfAContainer() {
        assertThat(page(true, "name", "\"x\""))
                .noneMatch(line -> line.startsWith("pull") || line.startsWith("network"));
    }

    /** A newer server's field is printed as it came. */
    @Test
    void whatIsNotKnownIsKept() {
        String json = JsonText.of(Samples.queued(17, 1)).replaceFirst("}$", ",\"later\":{\"a\":[1,2.5]}}");
        assertThat(JsonText.of(Views.job(JsonObject.parse(json.getBytes(StandardCharsets.UTF_8)))))
                .isEqualTo(json);
    }
}
