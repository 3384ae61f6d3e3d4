package dev.berth.server.notify;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is sent, also of jobs whose names are made to be obeyed. */
class MessageTest {
    private static final String EVIL =
            "<!channel> @everyone *b* [x](https://evil.example) <https://evil.example|y> \"},{\"a\":\r\nX-Evil: 1\u202e\u0000&amp;`";

    private static Content content(String name) {
        return new Content(
                42,
                "42",
                name,
                name,
                "ada",
                "fail",
                "FAILED",
                "EXITED_NONZERO",
                "it ended with code 3; " + name,
                3,
                3_725L,
                "2",
                1,
                Map.of(),
                "2026-02-01T09:30:00Z",
                "harbour1");
    }

    private static JsonNode json(Message message) throws Exception {
        return JsonMapper.builder().build().readTree(message.body());
    }

    @Test
    void programsAreToldAllInFields() throws Exception {
        Message message = Message.of(Form.JSON, "key", content("train"), true);
        assertThat(message.headers())
                .containsEntry("Berth-Notice-Id", "key")
                .containsEntry("Berth-Notice-Repeated", "true");
        assertThat(message.body())
                .isEqualTo("{\"id\":\"key\",\"repeated\":true,\"moment\":\"fail\",\"at\":\"2026-02-01T09:30:00Z\","
                        + "\"server\":\"harbour1\",\"text\":\"Job 42 (train) ended: FAILED\",\"job\":{\"id\":42,\"number\":\"42\","
                        + "\"name\":\"train\",\"project\":\"train\",\"user\":\"ada\",\"state\":\"FAILED\","
                        + "\"reason\":\"EXITED_NONZERO\",\"sentence\":\"it ended with code 3; train\",\"exitCode\":3,"
                        + "\"runSeconds\":3725,\"gpus\":\"2\",\"attempt\":1}}");
    }

    @Test
    void anArrayIsToldOfWithItsSums() {
        Content array = new Content(
                7,
                "7",
                "sweep",
                "p",
                "ada",
                "end",
                "FAILED",
                null,
                null,
                null,
                60L,
                "1",
                1,
                Map.of("COMPLETED", 30L),
                "2026-02-01T09:30:00Z",
                "s");
        assertThat(Message.text(array, false)).startsWith("Array 7 (sweep) ended: FAILED\nTasks: 30 COMPLETED\n");
    }

    @Test
    void whatMayHaveArrivedBeforeSaysSo() {
        assertThat(Message.text(content("train"), true)).contains("may have been sent before");
        assertThat(Message.text(content("train"), false)).doesNotContain("before");
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void nothingOfANameIsObeyed(Form form) throws Exception {
        Message message = Message.of(form, "key", content(EVIL), false);
        assertThat(message.headers().values())
                .allSatisfy(value -> assertThat(value).matches("[ -~]*"));
        assertThat(message.headers().toString()).doesNotContain("Evil");
        if (form != Form.JSON) {
            assertThat(message.body()).doesNotContain("\\r", "\r", "\\u0000", "\u0000", "\u202e");
        }
        switch (form) {
            case JSON ->
                assertThat(json(message).path("job").path("name").asText()).isEqualTo(EVIL);
            case SLACK -> {
                assertThat(json(message).path("text").asText())
                        .doesNotContain("<", ">")
                        .contains("&lt;!channel&gt;");
                JsonNode text = json(message).path("blocks").path(0).path("text");
                assertThat(text.path("type").asText()).isEqualTo("plain_text");
                assertThat(text.path("text").asText()).contains("<!channel>");
            }
            case DISCORD -> {
                assertThat(json(message).path("allowed_mentions").path("parse")).isEmpty();
                assertThat(json(message).path("content").asText())
                        .contains("\\<\\!channel\\> \\@everyone \\*b\\* \\[x\\]\\(https\\:")
                        .hasSizeLessThan(2_000);
            }
            case TEAMS ->
                assertThat(json(message).at("/attachments/0/content/body"))
                        .allSatisfy(
                                block -> assertThat(block.path("type").asText()).isEqualTo("RichTextBlock"));
            case NTFY -> assertThat(message.contentType()).startsWith("text/plain");
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void aLongNameFitsAllForms(Form form) {
        assertThat(Message.of(form, "key", content("*".repeat(128)), false).body())
                .hasSizeLessThan(8_000);
    }
}
