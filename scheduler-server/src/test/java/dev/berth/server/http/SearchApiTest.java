package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import dev.berth.server.http.access.RoleNames;
import dev.berth.server.http.access.TokenSecret;
import dev.berth.server.linux.Users;
import dev.berth.server.store.Token;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that are looked for by a text and by a tag; bin is a reader. */
@Timeout(120)
class SearchApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        RoleNames roles = new RoleNames(List.of(), List.of("bin"));
        fixture = new ServerFixture(
                directory,
                settings -> new HttpSettings(
                        settings.socket(), settings.address(), List.of(), null, false, roles, settings.limits()));
    }

    private long submit(String fields) {
        return fixture.submit("\"gpus\": 1, " + fields)
                .expect(201)
                .json()
                .path("id")
                .asLong();
    }

    /** A job that told of a tag and has ended. */
    private long told(String fields, String tag) throws IOException {
        long id = submit(fields);
        fixture.await(id, StateName.RUNNING);
        Files.writeString(directory.resolve("users/0/track/" + id + ".1"), tag + "\n", StandardOpenOption.APPEND);
        fixture.get("/api/v1/jobs/" + id + "/tracking").expect(200);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        return id;
    }

    private List<Long> ids(String target) {
        return ids(fixture.get(target).expect(200));
    }

    private static List<Long> ids(Answer answer) {
        List<Long> ids = new ArrayList<>();
        answer.json().path("jobs").forEach(job -> ids.add(job.path("id").asLong()));
        return ids;
    }

    private static String coded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private List<Long> withText(String text) {
        return ids("/api/v1/jobs?scope=all&text=" + coded(text));
    }

    private List<Long> withTag(String tag) {
        return ids("/api/v1/jobs?scope=all&tag=" + coded(tag));
    }

    @Test
    void aTextIsLookedForInNameProjectTagsAndNumber() throws IOException {
        long named = submit("\"name\": \"Train-RESNET\"");
        long ofProject = submit("\"project\": \"resnet50\"");
        long tagged = submit("\"tags\": [\"my-ResNet\"]");
        long toldTag = told("\"name\": \"x\"", "{\"tag\":\"arch\",\"value\":\"ResNet \u00c4\"}");
        long other = submit("\"name\": \"other\"");
        assertThat(withText("resnet")).containsExactly(toldTag, tagged, ofProject, named);
        assertThat(withText("ARCH=resnet")).containsExactly(toldTag);
        assertThat(withText("net \u00c4")).containsExactly(toldTag);
        assertThat(withText("net \u00e4"))
                .as("case counts where it is no ASCII")
                .isEmpty();
        assertThat(withText(Long.toString(other))).contains(other);
        assertThat(withText("%")).isEmpty();
        assertThat(ids("/api/v1/tracked?text=" + coded("ARCH=RESNET"))).containsExactly(toldTag);
        assertThat(ids("/api/v1/tracked?text=nothing&best=acc&order=max")).isEmpty();
    }

    @Test
    void aTagIsTheWholeTag() throws IOException {
        long submitted = submit("\"tags\": [\"base\"]");
        long toldTag = told("\"tags\": [\"given\"]", "{\"tag\":\"base\",\"value\":\"v2\"}");
        submit("\"tags\": [\"baseline\"], \"name\": \"base\"");
        assertThat(withTag("base")).containsExactly(toldTag, submitted);
        assertThat(withTag("base=v2")).containsExactly(toldTag);
        assertThat(withTag("base=v")).isEmpty();
        assertThat(withTag("BASE")).isEmpty();
        assertThat(ids("/api/v1/tracked?tag=" + coded("base=v2"))).containsExactly(toldTag);
        assertThat(withTag("given")).containsExactly(toldTag);
        fixture.post("/api/v1/jobs/" + toldTag + "/tags", "{\"set\":{\"mine\":\"\"},\"remove\":[\"given\"]}")
                .expect(200);
        assertThat(withTag("given"))
                .as("a tag that was taken away is not found")
                .isEmpty();
        assertThat(withTag("mine")).containsExactly(toldTag);
        assertThat(ids("/api/v1/jobs?scope=all&tag=base&text=" + submitted)).containsExactly(submitted);
    }

    @Test
    void theQueueIsLookedThroughToo() {
        long running = fixture.running(4);
        long waiting = submit("\"name\": \"needle\"");
        submit("\"name\": \"hay\"");
        assertThat(ids("/api/v1/jobs?text=needle")).containsExactly(waiting);
        assertThat(ids("/api/v1/jobs")).hasSize(3).contains(running);
    }

    @Test
    void pagesGoOnBehindWhatIsNotMeant() {
        List<Long> meant = new ArrayList<>();
        for (int job = 0; job < 12; job++) {
            long id = submit("\"name\": \"" + (job % 4 == 0 ? "needle" : "hay") + "\"");
            if (job % 4 == 0) {
                meant.addFirst(id);
            }
        }
        List<Long> found = new ArrayList<>();
        String cursor = "";
        for (int page = 0; page < 5; page++) {
            JsonNode list = fixture.get("/api/v1/jobs?scope=all&text=needle&limit=1" + cursor)
                    .expect(200)
                    .json();
            list.path("jobs").forEach(job -> found.add(job.path("id").asLong()));
            if (list.path("next").isNull()) {
                break;
            }
            cursor = "&cursor=" + list.path("next").asLong();
        }
        assertThat(found).isEqualTo(meant);
    }

    @Test
    void whatProgramsOfOthersToldIsNotFound() throws IOException {
        long id = told("\"tags\": [\"shown\"]", "{\"tag\":\"secret\",\"value\":\"hidden\"}");
        assertThat(withTag("secret")).containsExactly(id);
        String token = token("bin");
        assertThat(ids(get(token, "?scope=all&text=secret"))).isEmpty();
        assertThat(ids(get(token, "?scope=all&text=hidden"))).isEmpty();
        assertThat(ids(get(token, "?scope=all&tag=secret"))).isEmpty();
        assertThat(ids(get(token, "?scope=all&tag=shown"))).containsExactly(id);
        assertThat(ids(get(token("nobody"), "?scope=all&tag=shown"))).isEmpty();
    }

    private Answer get(String token, String query) {
        return Wire.ask(
                        fixture.tcp(),
                        "GET",
                        "/api/v1/jobs" + query,
                        new byte[0],
                        "Host: localhost",
                        "Authorization: Bearer " + token)
                .expect(200);
    }

    private String token(String user) {
        TokenSecret secret = TokenSecret.fresh(new SecureRandom());
        long uid = new Users().find(user).orElseThrow().uid();
        Token token =
                new Token(secret.id(), "t", secret.hash(), uid, user, "ADMIN", Instant.EPOCH, null, null, null, null);
        var _ = fixture.scheduling()
                .write(store -> assertThat(store.keepToken(token, 10)).isTrue())
                .join();
        return secret.text();
    }
}
