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

/** Lists of jobs in the order of a column. */
@Timeout(120)
class SortApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        RoleNames roles = new RoleNames(List.of(), List.of());
        fixture = new ServerFixture(
                directory,
                settings -> new HttpSettings(
                        settings.socket(), settings.address(), List.of(), null, false, roles, settings.limits()));
    }

    private long submit(String fields) {
        return fixture.submit(fields).expect(201).json().path("id").asLong();
    }

    private long ended(String fields) {
        long id = submit(fields);
        fixture.await(id, StateName.RUNNING);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        return id;
    }

    private List<Long> ids(String query) {
        List<Long> ids = new ArrayList<>();
        JsonNode list = fixture.get("/api/v1/" + query).expect(200).json();
        list.path("jobs").forEach(job -> ids.add(job.path("id").asLong()));
        return ids;
    }

    /** All pages, of so many jobs each. */
    private List<Long> paged(String query, int limit) {
        List<Long> found = new ArrayList<>();
        for (String cursor = ""; cursor != null; ) {
            JsonNode list = fixture.get("/api/v1/" + query + "&limit=" + limit + cursor)
                    .expect(200)
                    .json();
            list.path("jobs").forEach(job -> found.add(job.path("id").asLong()));
            JsonNode next = list.path("next");
            assertThat(found).hasSizeLessThan(100);
            cursor = next.isNull() ? null : "&cursor=" + next.asLong();
        }
        return found;
    }

    @Test
    void jobsAreListedByNameOverAllPages() {
        long c = submit("\"gpus\": 1, \"name\": \"Cat\"");
        long a = submit("\"gpus\": 2, \"name\": \"ant\"");
        long b = submit("\"gpus\": 0, \"name\": \"bee\"");
        long a2 = submit("\"gpus\": 1, \"name\": \"ant\"");
        assertThat(ids("jobs?scope=all&sort=name")).containsExactly(a, a2, b, c);
        assertThat(ids("jobs?sort=name&order=desc")).containsExactly(c, b, a2, a);
        for (int limit = 1; limit <= 4; limit++) {
            assertThat(paged("jobs?sort=name", limit)).containsExactly(a, a2, b, c);
            assertThat(paged("jobs?sort=gpus&order=desc", limit)).containsExactly(a, a2, c, b);
            assertThat(paged("jobs?sort=id&text=ee", limit)).containsExactly(b);
            assertThat(paged("jobs?sort=name&order=desc&text=nt", limit)).containsExactly(a2, a);
        }
        assertThat(ids("jobs?sort=name&name=ant")).containsExactly(a, a2);
        assertThat(ids("jobs?scope=ended&sort=name")).isEmpty();
    }

    @Test
    void jobsWithoutAValueComeLast() {
        long first = ended("\"gpus\": 4, \"name\": \"first\"");
        long second = ended("\"gpus\": 4");
        long running = fixture.running(4);
        long waiting = submit("\"gpus\": 1");
        assertThat(paged("jobs?scope=all&sort=ended", 2)).containsExactly(first, second, running, waiting);
        assertThat(paged("jobs?scope=all&sort=ended&order=desc", 1)).containsExactly(second, first, waiting, running);
        assertThat(paged("jobs?scope=all&sort=started&order=desc", 3)).containsExactly(running, second, first, waiting);
        assertThat(ids("jobs?scope=all&sort=duration")).hasSize(4).endsWith(waiting);
        assertThat(ids("jobs?scope=all&sort=submitted")).containsExactly(first, second, running, waiting);
        assertThat(ids("jobs?scope=all&sort=state")).containsExactly(first, second, waiting, running);
        assertThat(ids("jobs?sort=state&order=desc")).containsExactly(running, waiting);
        assertThat(ids("jobs?scope=ended&sort=name&order=desc")).contains(first, second);
    }

    @Test
    void aQueuedJobIsAmongTheQueuedHoweverItIsStored() {
        long running = fixture.running(4);
        long deferred = submit("\"gpus\": 1, \"dependencies\": [\"afterany:" + running + "\"]");
        long queued = submit("\"gpus\": 1");
        assertThat(ids("jobs?sort=state")).containsExactly(deferred, queued, running);
    }

    @Test
    void conditionsAreSortedToo() throws IOException {
        long b = told("\"gpus\": 1, \"name\": \"b\"", 1);
        long a = told("\"gpus\": 1, \"name\": \"a\"", 2);
        long none = told("\"gpus\": 1, \"name\": \"0\"", -1);
        assertThat(paged("tracked?where=acc%3E0&sort=name", 1)).containsExactly(a, b);
        assertThat(ids("tracked?where=acc%3C0&sort=name&order=desc")).containsExactly(none);
    }

    private long told(String fields, int value) throws IOException {
        long id = submit(fields);
        fixture.await(id, StateName.RUNNING);
        Files.writeString(
                directory.resolve("users/0/track/" + id + ".1"),
                "{\"metric\":\"acc\",\"value\":" + value + ",\"step\":1}\n",
                StandardOpenOption.APPEND);
        fixture.get("/api/v1/jobs/" + id + "/tracking").expect(200);
        return id;
    }

    @Test
    void aCursorTellsNothingOfOthersJobs() {
        long other = submit("\"gpus\": 1, \"name\": \"middle\"");
        String message = Wire.ask(
                        fixture.tcp(),
                        "GET",
                        "/api/v1/jobs?sort=name&cursor=" + other,
                        new byte[0],
                        "Host: localhost",
                        "Authorization: Bearer " + token())
                .expect(400)
                .json()
                .path("message")
                .asText();
        Answer missing =
                fixture.get("/api/v1/jobs?sort=name&cursor=" + (other + 1)).expect(400);
        assertThat(missing.json().path("message").asText())
                .isEqualTo(message.replace("'" + other + "'", "'" + (other + 1) + "'"));
    }

    private String token() {
        TokenSecret secret = TokenSecret.fresh(new SecureRandom());
        long uid = new Users().find("nobody").orElseThrow().uid();
        Token token = new Token(
                secret.id(), "t", secret.hash(), uid, "nobody", "ADMIN", Instant.EPOCH, null, null, null, null);
        var _ = fixture.scheduling()
                .write(store -> assertThat(store.keepToken(token, 10)).isTrue())
                .join();
        return secret.text();
    }
}
