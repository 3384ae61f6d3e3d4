package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.TestTable;
import dev.berth.testclient.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An upload that is cut off, doubled, or not what it says leaves nothing behind but a sentence, and does not keep the
 * right one from being taken afterwards.
 */
@SystemTest
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class BadUploadTest {
    private static final Berth BERTH = Berth.on(Engine.ofMachine());
    private static final String FIRST = digest("hello\n");
    private static final String SECOND = digest("world\n");

    private static String snapshot = "";

    /** A directory of two files, of which the server lacks both. */
    @BeforeAll
    static void start() {
        BERTH.start();
        Answer waits = BERTH.api()
                .post(
                        "/snapshots",
                        "{\"version\":1,\"entries\":[" + file("first", FIRST) + "," + file("second", SECOND) + "]}")
                .expect(200);
        snapshot = waits.json().path("snapshot").asText();
        assertThat(JsonReading.strings(waits.json().path("missing"))).containsExactlyInAnyOrder(FIRST, SECOND);
    }

    private static String file(String path, String digest) {
        return "{\"path\":\"" + path + "\",\"type\":\"file\",\"mode\":\"644\",\"size\":6,\"sha256\":\"" + digest
                + "\"}";
    }

    private static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    @AfterAll
    static void stop() {
        BERTH.close();
    }

    static List<List<String>> uploads() {
        return TestTable.rows("/bad-input/uploads.txt");
    }

    private static Answer send(String body) {
        return BERTH.api().post("/contents?snapshot=" + snapshot, body);
    }

    @Order(1)
    @ParameterizedTest(name = "{0}")
    @MethodSource("uploads")
    void isRefused(List<String> row) {
        String body = row.getFirst()
                .replace("{FIRST}", FIRST)
                .replace("{SECOND}", SECOND)
                .replace("{ZEROS}", "0".repeat(FIRST.length()))
                .replace("{LONG}", "x".repeat(10_000))
                .replace("{LF}", "\n");

        Answer refused = send(body).expect(Integer.parseInt(row.get(1)));

        assertThat(refused.json().path("message").asText())
                .startsWith("the directory was not taken: ")
                .contains(row.get(2))
                .hasSizeLessThan(1_000);
        assertNothingIsLeft();
    }

    /** It says that more comes than does. */
    @Order(1)
    @Test
    void aConnectionThatBreaksOff() {
        String head = "POST /api/v1/contents?snapshot=" + snapshot
                + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n";

        BERTH.api()
                .send((head + FIRST + " 6\nhel").getBytes(StandardCharsets.UTF_8))
                .expect(400);

        assertNothingIsLeft();
    }

    private static void assertNothingIsLeft() {
        Path kept = BERTH.dataDirectory().resolve("snapshots/0");
        assertThat(TestFiles.tree(kept.resolve("partial"))).hasSize(1);
        assertThat(TestFiles.tree(kept.resolve("content"))).noneMatch(path -> path.endsWith(FIRST.substring(2)));
        BERTH.api()
                .post("/jobs", "{\"snapshot\":\"" + snapshot + "\",\"command\":[\"true\"]}")
                .expect(400);
    }

    @Order(2)
    @Test
    void theRightOneIsTakenAfterwards() {
        send(FIRST + " 6\nhello\n" + SECOND + " 6\nworld\n").expect(200);

        assertThat(BERTH.api()
                        .post("/jobs", "{\"snapshot\":\"" + snapshot + "\",\"command\":[\"true\"]}")
                        .expect(201)
                        .json()
                        .path("id")
                        .asLong())
                .as("the first job that was accepted")
                .isEqualTo(1);
    }
}
