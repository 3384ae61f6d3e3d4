package dev.berth.cli.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.Samples;
import dev.berth.cli.exit.Failure;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.Explanation;
import dev.berth.core.api.GpuHistoryView;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.JobList;
import dev.berth.core.api.SnapshotView;
import dev.berth.core.api.SubmitPlan;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ViewsTest {
    private static JsonObject json(String text) {
        return JsonObject.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    private static JsonObject json(Record value) {
        return json(JsonText.of(value));
    }

    @Test
    void everyRecordComesBackAsItWas() {
        assertThat(Views.job(json(Samples.running(17)))).isEqualTo(Samples.running(17));
        assertThat(Views.job(json(Samples.queued(18, 3)))).isEqualTo(Samples.queued(18, 3));
        assertThat(Views.job(json(Samples.ended(19, "FAILED", 3)))).isEqualTo(Samples.ended(19, "FAILED", 3));
        JobList list = new JobList(List.of(Samples.running(1), Samples.queued(2, 1)), 2L);
        assertThat(Views.jobs(json(list))).isEqualTo(list);
        assertThat(Views.server(json(Samples.server()))).isEqualTo(Samples.server());
        GpuList gpus = new GpuList(Samples.server().gpus(), true);
        assertThat(Views.gpus(json(gpus))).isEqualTo(gpus);
        assertThat(Views.event(json(Samples.event(4, 17, null, "QUEUED"))))
                .isEqualTo(Samples.event(4, 17, null, "QUEUED"));
        GpuHistoryView history = new GpuHistoryView(
                "GPU-aaaa",
                "seconds",
                "2026-03-01T09:58:00Z",
                1,
                Arrays.asList(0, null, 100),
                Arrays.asList(1, null, 2),
                Arrays.asList(40, null, null),
                Arrays.asList(null, null, 300));
        assertThat(Views.history(json(history))).isEqualTo(history);
        assertThat(Views.job(json(Samples.used(Samples.running(16))))).isEqualTo(Samples.used(Samples.running(16)));
        Explanation explanation = Samples.explanation(17, "RUNNING", null, "it runs");
        assertThat(Views.explanation(json(explanation))).isEqualTo(explanation);
        SnapshotView snapshot = new SnapshotView("ab", 3, 5_000_000_000L, List.of("cd"));
        assertThat(Views.snapshot(json(snapshot))).isEqualTo(snapshot);
        SubmitPlan plan = new SubmitPlan(List.of(new SubmitPlan.Setting("gpus", "2", "request")), "it would wait");
        assertThat(Views.plan(json(plan))).isEqualTo(plan);
        DeletedJob deleted = new DeletedJob(17, List.of("the output"));
        assertThat(Views.deleted(json(deleted))).isEqualTo(deleted);
        ApiError error = new ApiError("BAD", "no", Map.of("field", "gpus"));
        assertThat(Views.error(json(error))).isEqualTo(error);
    }

    @Test
    void aRecordIsOneLineOfJsonWithItsNulls() {
        assertThat(JsonText.of(Samples.explanation(17, "RUNNING", null, "\"ü\"\n")))
                .isEqualTo("{\"id\":17,\"state\":\"RUNNING\",\"reason\":null,\"sentence\":\"\\\"ü\\\"\\n\","
                        + "\"since\":\"2026-03-01T09:58:00Z\",\"position\":null,\"latestStart\":null,\"expectedStart\":null,"
                        + "\"ahead\":[],"
                        + "\"holders\":[],\"help\":null,\"warnings\":[],\"number\":\"17\"}");
    }

    @Test
    void whatANewerServerSaysMoreIsIgnored() {
        Explanation read = Views.explanation(
                json(
                        "{\"more\":{\"x\":[1,null,2.5,true]},\"id\":1,\"state\":\"S\",\"sentence\":\"s\","
                                + "\"since\":\"2026-03-01T09:58:00Z\",\"ahead\":[],\"holders\":[],\"help\":null,\"warnings\":[]}"));
        assertThat(read).isEqualTo(Samples.explanation(1, "S", null, "s"));
    }

    @Test
    void anAnswerThatIsNotUnderstoodIsNamed() {
        assertRefused("{\"id\":1,\"state\":\"S\"}", "'sentence' is missing");
        assertRefused("{\"id\":\"1\",\"state\":\"S\",\"sentence\":\"s\"}", "'id' is something else than expected");
        assertRefused("[1]", "not one JSON object");
        assertRefused("{} {}", "not JSON (something follows its end, at character 3)");
        assertRefused("{\"id\":", "not JSON (a value is missing, at character 6)");
        assertRefused("", "not JSON (a value is missing, at character 0)");
    }

    private static void assertRefused(String text, String why) {
        assertThatThrownBy(() -> Views.explanation(json(text)))
                .isInstanceOf(Failure.class)
                .hasMessageContaining(why)
                .hasMessageContaining("same version");
    }
}
