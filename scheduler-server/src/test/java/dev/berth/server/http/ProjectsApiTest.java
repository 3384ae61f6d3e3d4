package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.server.store.Renaming;
import dev.berth.server.store.Tables;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code /projects}: what there is of them, other names, their end, their notes. */
@Timeout(120)
class ProjectsApiTest {
    private static final String PROJECTS = "/api/v1/projects";

    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private long submit(String project, String fields) {
        return fixture.submit("\"project\": \"" + project + "\", " + fields)
                .expect(201)
                .json()
                .path("id")
                .asLong();
    }

    private long ended(String project) {
        long id = submit(project, "\"gpus\": 1");
        fixture.await(id, StateName.RUNNING);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        return id;
    }

    private Answer ask(String path, Object... namesAndValues) {
        Map<String, Object> body = new LinkedHashMap<>();
        for (int at = 0; at < namesAndValues.length; at += 2) {
            body.put((String) namesAndValues[at], namesAndValues[at + 1]);
        }
        try {
            return fixture.post(PROJECTS + path, new JsonMapper().writeValueAsString(body));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Answer rename(String from, String to) {
        return ask("/rename", "project", from, "name", to);
    }

    private JsonNode list(String query) {
        return fixture.get(PROJECTS + query).expect(200).json();
    }

    private List<String> names() {
        return list("").path("projects").findValuesAsText("project");
    }

    private String project(Object number) {
        return fixture.job(number).path("project").asText();
    }

    private String notes(String project) {
        return fixture.get(PROJECTS + "/notes?project=" + project)
                .expect(200)
                .json()
                .path("notes")
                .asText();
    }

    @Test
    void projectsAreListedWithTheirJobsByState() {
        ended("ships");
        fixture.running(4);
        submit("ships", "\"gpus\": 1");
        submit("ships", "\"gpus\": 1, \"array\": \"0-9\"");
        submit("birds", "\"gpus\": 1");
        fixture.submitted("nobody", "theirs", 1);
        JsonNode projects = list("").path("projects");
        assertThat(names()).containsExactly("birds", "default", "ships");
        JsonNode ships = projects.path(2);
        assertThat(ships.path("jobs").asInt()).isEqualTo(3);
        assertThat(ships.path("states").toString()).isEqualTo("{\"COMPLETED\":1,\"QUEUED\":2}");
        assertThat(ships.path("user").asText()).isEqualTo("root");
        assertThat(ships.path("lastSubmittedAt").asText()).startsWith("20");
        assertThat(ships.path("notes").isNull()).isTrue();
        JsonNode first = list("?limit=2");
        assertThat(first.path("projects").findValuesAsText("project")).containsExactly("birds", "default");
        assertThat(list("?limit=2&cursor=" + first.path("next").asText())
                        .path("projects")
                        .findValuesAsText("project"))
                .containsExactly("ships");
        assertThat(list("?user=nobody").path("projects").findValuesAsText("project"))
                .containsExactly("p");
    }

    @Test
    void aRenameHoldsForJobsThatRunThatWaitAndThatHaveEnded() {
        long ended = ended("ships");
        long running = submit("ships", "\"gpus\": 4");
        fixture.await(running, StateName.RUNNING);
        long waiting = submit("ships", "\"gpus\": 4");
        long held = submit("ships", "\"gpus\": 1");
        fixture.verb(held, "hold").expect(202);
        long other = submit("birds", "\"gpus\": 1");
        long theirs = fixture.submitted("nobody", "theirs", 1);
        JsonNode renamed = rename("ships", "boats").expect(200).json();
        assertThat(renamed.path("project").asText()).isEqualTo("boats");
        assertThat(renamed.path("jobs").asInt()).isEqualTo(4);
        for (long id : List.of(ended, running, waiting, held)) {
            assertThat(project(id)).isEqualTo("boats");
        }
        assertThat(project(other)).isEqualTo("birds");
        assertThat(project(theirs)).isEqualTo("p");
        fixture.end(running, 0);
        fixture.await(waiting, StateName.RUNNING);
        assertThat(fixture.engine().plan(fixture.container(waiting)).environment())
                .as("what the scheduler had in memory")
                .containsEntry("BERTH_PROJECT", "boats");
        assertThat(fixture.listed("?scope=all&project=ships")).isEmpty();
        assertThat(names()).containsExactly("birds", "boats");
    }

    /** One of whose tasks has ended, one runs, one is held alone and the others are no jobs of their own yet. */
    @Test
    void anArrayIsRenamedWithAllItsTasks() {
        fixture.running(3);
        long array = submit("ships", "\"gpus\": 1, \"array\": \"0-5\"");
        fixture.await(array + "_0", StateName.RUNNING);
        fixture.end(array + 1, 0);
        fixture.await(array + "_1", StateName.RUNNING);
        fixture.verb(array + "_4", "hold").expect(202);
        rename("ships", "boats").expect(200);
        for (int task = 0; task < 6; task++) {
            assertThat(project(array + "_" + task)).as("task " + task).isEqualTo("boats");
        }
        fixture.end(array + 2, 0);
        fixture.await(array + "_2", StateName.RUNNING);
        assertThat(project(array + "_2")).isEqualTo("boats");
        assertThat(fixture.engine().plan(fixture.container(array + 3)).environment())
                .containsEntry("BERTH_PROJECT", "boats");
        assertThat(Tables.rows(directory.resolve("berth.db"), "SELECT DISTINCT project FROM job WHERE id >= " + array))
                .hasSize(1);
    }

    @Test
    void manyJobsAreRenamedPieceByPiece() {
        fixture.running(4);
        for (int job = 0; job < 600; job++) {
            fixture.submitted("root", "many", 1);
        }
        JsonNode renamed = rename("p", "q").expect(200).json();
        assertThat(renamed.path("jobs").asInt()).isEqualTo(600);
        assertThat(fixture.queries().project(0, "p")).isEmpty();
    }

    /** As one that a kill of the server broke off leaves it. */
    @Test
    void aRenameThatBrokeOffGoesOn() {
        long first = ended("ships");
        long second = ended("ships");
        long array = submit("ships", "\"gpus\": 1, \"array\": \"0-1\"");
        fixture.await(array + "_0", StateName.RUNNING);
        ask("/notes", "project", "ships", "notes", "of ships").expect(200);
        fixture.scheduling()
                .rename(new Renaming(0, "ships", "boats", List.of(new JobId(first), new JobId(array + 1)), null))
                .join();
        assertThat(rename("ships", "boats").code()).isEqualTo("PROJECT_EXISTS");
        ask("/rename", "project", "ships", "name", "boats", "merge", true).expect(200);
        for (Object number : List.of(first, second, array, array + "_0", array + "_1")) {
            assertThat(project(number)).isEqualTo("boats");
        }
        assertThat(notes("boats")).isEqualTo("of ships");
        assertThat(names()).containsExactly("boats");
    }

    @Test
    void twoProjectsBecomeOneOnRequestAlone() {
        long one = ended("ships");
        long two = ended("boats");
        ask("/notes", "project", "ships", "notes", "of ships\n").expect(200);
        ask("/notes", "project", "boats", "notes", "of boats").expect(200);
        Answer refused = rename("ships", "boats").expect(409);
        assertThat(refused.message())
                .isEqualTo(
                        "name: there is a project 'boats' already, with 1 job; --merge puts the two together, and goes on"
                                + " with a rename that broke off");
        assertThat(project(one)).isEqualTo("ships");
        ask("/rename", "project", "ships", "name", "boats", "merge", true).expect(200);
        assertThat(List.of(project(one), project(two))).containsOnly("boats");
        assertThat(notes("boats")).isEqualTo("of boats\n\nof ships\n");
        assertThat(names()).containsExactly("boats");
    }

    @Test
    void notesThatWouldBeTooLongTogetherKeepProjectsApart() {
        ended("ships");
        ended("boats");
        ask("/notes", "project", "ships", "notes", "s".repeat(40_000)).expect(200);
        ask("/notes", "project", "boats", "notes", "b".repeat(40_000)).expect(200);
        assertThat(ask("/rename", "project", "ships", "name", "boats", "merge", true)
                        .code())
                .isEqualTo("NOTES_TOO_LONG");
        assertThat(names()).containsExactly("boats", "ships");
    }

    @Test
    void notesAreWrittenShownAndRemoved() {
        ended("ships");
        assertThat(notes("ships")).isEmpty();
        assertThat(Files.exists(directory.resolve("tracking.db")))
                .as("asking for notes makes no database")
                .isFalse();
        String text = "\n  first \u001b[31mline\nsecond\n";
        ask("/notes", "project", "ships", "notes", text).expect(200);
        assertThat(notes("ships")).isEqualTo(text);
        assertThat(list("").path("projects").path(0).path("notes").asText()).isEqualTo("first \u001b[31mline");
        ask("/notes", "project", "ships", "notes", "\u00e9".repeat(32_768)).expect(200);
        Answer refused = ask("/notes", "project", "ships", "notes", "\u00e9".repeat(32_768) + "x")
                .expect(400);
        assertThat(refused.message()).startsWith("notes: 65537 bytes are more than the 65536 that a project may have");
        assertThat(ask("/notes", "project", "ships", "notes", "")
                        .expect(200)
                        .json()
                        .path("changedAt")
                        .isNull())
                .isTrue();
        assertThat(notes("ships")).isEmpty();
        assertThat(list("").path("projects").path(0).path("notes").isNull()).isTrue();
    }

    @Test
    void aProjectIsDeletedWithItsJobsWhatTheyToldAndItsNotes() throws IOException {
        List<Long> ids = new ArrayList<>();
        for (int job = 0; job < 3; job++) {
            long id = submit("ships", "\"gpus\": 1");
            fixture.await(id, StateName.RUNNING);
            Files.writeString(
                    directory.resolve("users/0/track/" + id + ".1"),
                    "{\"metric\":\"loss\",\"value\":1}\n",
                    StandardOpenOption.APPEND);
            fixture.get("/api/v1/jobs/" + id + "/tracking").expect(200);
            fixture.end(id, 0);
            fixture.await(id, StateName.COMPLETED);
            ids.add(id);
        }
        ask("/notes", "project", "ships", "notes", "n").expect(200);
        long open = submit("ships", "\"gpus\": 1");
        long other = ended("birds");
        assertThat(ask("/delete", "project", "ships").expect(409).message())
                .startsWith("project 'ships' has 1 job that runs or waits; only a project whose jobs have all ended");
        assertThat(fixture.job(ids.getFirst()).path("state").asText()).isEqualTo("COMPLETED");
        fixture.verb(open, "cancel").expect(202);
        fixture.await(open, StateName.CANCELLED);
        JsonNode deleted = ask("/delete", "project", "ships").expect(200).json();
        assertThat(deleted.path("deleted").asInt()).isEqualTo(4);
        assertThat(deleted.path("complete").asBoolean()).isTrue();
        assertThat(names()).containsExactly("birds");
        assertThat(fixture.get("/api/v1/jobs/" + ids.getFirst()).code()).isEqualTo("JOB_NOT_FOUND");
        assertThat(Tables.rows(directory.resolve("tracking.db"), "SELECT job FROM tracked WHERE job <> " + other))
                .isEmpty();
        assertThat(Tables.rows(directory.resolve("tracking.db"), "SELECT * FROM project_notes"))
                .isEmpty();
        assertThat(ask("/delete", "project", "ships").code()).isEqualTo("PROJECT_NOT_FOUND");
    }

    @Test
    void manyJobsAreDeletedStepByStep() {
        fixture.running(4);
        for (int job = 0; job < 150; job++) {
            long id = fixture.submitted("root", "many", 1);
            fixture.verb(id, "cancel").expect(202);
        }
        ask("/notes", "project", "p", "notes", "n").expect(200);
        JsonNode first = ask("/delete", "project", "p").expect(200).json();
        assertThat(first.path("deleted").asInt()).isEqualTo(100);
        assertThat(first.path("complete").asBoolean()).isFalse();
        assertThat(notes("p")).isEqualTo("n");
        JsonNode second = ask("/delete", "project", "p").expect(200).json();
        assertThat(second.path("deleted").asInt()).isEqualTo(50);
        assertThat(second.path("complete").asBoolean()).isTrue();
    }

    /** What is kept of a project beside its jobs is for who noted it. */
    @Test
    void notesOutliveTheLastJob() {
        long id = ended("ships");
        ask("/notes", "project", "ships", "notes", "n").expect(200);
        fixture.delete(id).expect(200);
        JsonNode ships = list("").path("projects").path(0);
        assertThat(ships.path("jobs").asInt()).isZero();
        assertThat(ships.path("lastSubmittedAt").isNull()).isTrue();
        rename("ships", "boats").expect(200);
        assertThat(notes("boats")).isEqualTo("n");
        assertThat(ask("/delete", "project", "boats")
                        .expect(200)
                        .json()
                        .path("complete")
                        .asBoolean())
                .isTrue();
        assertThat(names()).isEmpty();
    }

    @Test
    void aListDoesWithoutNotesThatCannotBeRead() throws IOException {
        ended("ships");
        Files.writeString(directory.resolve("tracking.db"), "no database".repeat(1_000));
        assertThat(names()).containsExactly("ships");
    }

    @Test
    void whatCannotBeDoneIsRefused() {
        ended("ships");
        assertThat(rename("nothing", "boats").expect(404).message())
                .startsWith("there is no project 'nothing' that you may see; berth projects lists yours");
        assertThat(rename("ships", "ships").expect(400).message())
                .isEqualTo("name: 'ships' is the name that it has; give another one");
        assertThat(rename("ships", "a\nb").expect(400).message())
                .startsWith("name: 'a?b' must not hold control or formatting characters");
        assertThat(rename("ships", "").expect(400).message()).isEqualTo("name: '' must have 1 to 128 characters");
        assertThat(ask("/rename", "name", "boats").expect(400).message())
                .isEqualTo("project: '' must be the name of a project");
        assertThat(ask("/notes", "project", "ships").expect(400).message())
                .isEqualTo("notes: '' must be there; an empty text removes the notes");
        assertThat(ask("/delete", "project", "ships", "user", "nobody-of-that-name")
                        .expect(400)
                        .message())
                .isEqualTo("user: 'nobody-of-that-name' is not in this machine's user database");
        assertThat(fixture.get(PROJECTS + "?limit=0").expect(400).message()).startsWith("limit: '0' must be");
        assertThat(names()).containsExactly("ships");
    }

    /** In UTF-16 the second of these is behind the third, in UTF-8, which is what pages go on by, before it. */
    @Test
    void pagesGoOnInOneOrderWhateverLettersNamesHave() {
        for (String project : List.of("a", "\uff01", "\ud83d\ude00")) {
            ended(project);
            ask("/notes", "project", project, "notes", "n").expect(200);
        }
        List<String> paged = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = list("?limit=1&cursor=" + URLEncoder.encode(cursor, StandardCharsets.UTF_8));
            paged.addAll(page.path("projects").findValuesAsText("project"));
            cursor = page.path("next").asText("");
        } while (!cursor.isEmpty() && paged.size() < 9);
        assertThat(paged).containsExactly("a", "\uff01", "\ud83d\ude00");
    }

    @Test
    void anAdministratorHasTheProjectsOfOneWhoIsGone() {
        long theirs = fixture.submitted("gone-from-here", "theirs", 0);
        assertThat(list("?user=gone-from-here").path("projects").findValuesAsText("project"))
                .containsExactly("p");
        ask("/rename", "project", "p", "name", "q", "user", "gone-from-here").expect(200);
        assertThat(project(theirs)).isEqualTo("q");
        fixture.verb(theirs, "cancel").expect(202);
        fixture.await(theirs, StateName.CANCELLED);
        assertThat(ask("/delete", "project", "q", "user", "gone-from-here")
                        .expect(200)
                        .json()
                        .path("complete")
                        .asBoolean())
                .isTrue();
        assertThat(fixture.get("/api/v1/jobs/" + theirs).code()).isEqualTo("JOB_NOT_FOUND");
    }

    @Test
    void anAdministratorChangesTheProjectsOfOthers() {
        long theirs = fixture.submitted("nobody", "theirs", 0);
        ask("/rename", "project", "p", "name", "q", "user", "nobody").expect(200);
        assertThat(project(theirs)).isEqualTo("q");
        ask("/notes", "project", "q", "user", "nobody", "notes", "n").expect(200);
        assertThat(list("?user=nobody").path("projects").path(0).path("notes").asText())
                .isEqualTo("n");
        assertThat(names()).isEmpty();
    }
}
