package dev.berth.system.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.berth.system.fixture.JsonReading.strings;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.berth.system.fixture.Chromium.Window;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is done to jobs and projects in their tables, by a server whose queue is paused, so that no job runs. */
@SystemTest
class PageJobsTest {
    private static PageServer server;

    @BeforeAll
    static void open(@WithGpus(4) Engine engine) {
        server = PageServer.start(engine);
        server.berth().run("server", "pause");
    }

    @AfterAll
    static void close() {
        server.close();
    }

    /** The table of the jobs whose name begins so, these selected. */
    private static Page select(Window window, String name, SubmittedJob... jobs) {
        Page page = server.logIn(window);
        PageServer.go(page, "/jobs?text=" + name);
        for (SubmittedJob job : jobs) {
            page.getByLabel(selecting(job), new Page.GetByLabelOptions().setExact(true))
                    .check();
        }
        assertThat(toolbar(page)).containsText(jobs.length + " jobs selected");
        return page;
    }

    private static String selecting(SubmittedJob job) {
        return "Select job " + job.idText();
    }

    private static Locator toolbar(Page page) {
        return page.getByRole(AriaRole.TOOLBAR);
    }

    private static List<String> states(SubmittedJob... jobs) {
        return Stream.of(jobs).map(SubmittedJob::state).toList();
    }

    @Test
    void selectedJobsAreHeldReleasedCancelledAndDeletedAndNoOther() {
        SubmittedJob first = server.submitIdle("many 1");
        SubmittedJob second = server.submitIdle("many 2");
        SubmittedJob other = server.submitIdle("many 3");
        String both = first.idText() + " " + second.idText();
        try (Window window = server.window()) {
            Page page = select(window, "many", second, first);

            window.button("Hold").click();
            assertThat(window.dialog()).containsText("Hold 2 jobs?");
            window.answer("Leave it");
            assertThat(states(first, second, other)).containsExactly("QUEUED", "QUEUED", "QUEUED");
            window.button("Hold").click();
            window.answer("Hold");
            assertThat(page.getByText("Hold: done for 2 of 2 jobs.")).isVisible();
            assertThat(states(first, second, other)).containsExactly("HELD", "HELD", "QUEUED");

            window.button("Release").click();
            window.answer("Release");
            assertThat(page.getByText("Release: done for 2 of 2 jobs.")).isVisible();
            assertThat(states(first, second, other)).containsExactly("QUEUED", "QUEUED", "QUEUED");

            window.button("Cancel").click();
            assertThat(window.dialog().locator("pre"))
                    .hasText(Pattern.compile(
                            "berth cancel (%s|%s)".formatted(both, second.idText() + " " + first.idText())));
            window.answer("Cancel");
            assertThat(page.getByText("Cancel: done for 2 of 2 jobs.")).isVisible();
            assertThat(states(first, second, other)).containsExactly("CANCELLED", "CANCELLED", "QUEUED");

            window.button("Delete").click();
            assertThat(window.dialog()).containsText("This cannot be undone.");
            window.answer("Delete");
            assertThat(page.getByText("Delete: done for 2 of 2 jobs.")).isVisible();
            assertThat(page.getByLabel(selecting(first))).isHidden();
            assertThat(server.berth().api().get("/jobs/" + first.idText()).status())
                    .isEqualTo(404);
            assertThat(server.berth().api().get("/jobs/" + second.idText()).status())
                    .isEqualTo(404);
            assertThat(other.state()).isEqualTo("QUEUED");
        }
    }

    @Test
    void selectedJobsAreTagged() {
        SubmittedJob first = server.submitIdle("tagged 1");
        SubmittedJob second = server.submitIdle("tagged 2");
        SubmittedJob other = server.submitIdle("tagged 3");
        try (Window window = server.window()) {
            Page page = select(window, "tagged", first, second);
            window.button("Tag").click();
            assertThat(window.dialog().getByText("Tag", new Locator.GetByTextOptions().setExact(true)))
                    .isDisabled();
            page.getByLabel("Name", new Page.GetByLabelOptions().setExact(true)).fill("baseline");
            page.getByLabel("Value").fill("<img src=x onerror=window.hacked=1>");
            window.answer("Tag");
            assertThat(page.getByText("2 jobs have the tag.")).isVisible();
            assertThat(tags(first)).isEqualTo("<img src=x onerror=window.hacked=1>");
            assertThat(tags(second)).isEqualTo("<img src=x onerror=window.hacked=1>");
            assertThat(tags(other)).isEmpty();
            page.getByLabel("Tag", new Page.GetByLabelOptions().setExact(true)).fill("baseline");
            assertThat(page.getByLabel(selecting(other))).isHidden();
            assertThat(page.getByLabel(selecting(first))).isVisible();
            PageServer.assertHarmless(window);
        }
    }

    private static String tags(SubmittedJob job) {
        return server.berth()
                .api()
                .get("/jobs/" + job.idText() + "/tracking")
                .json()
                .path("tags")
                .path("baseline")
                .asText();
    }

    @Test
    void selectedJobsAreCompared() {
        SubmittedJob first = server.submitIdle("compared 1");
        SubmittedJob second = server.submitIdle("compared 2");
        try (Window window = server.window()) {
            Page page = select(window, "compared", first, second);
            window.button("Compare").click();
            assertThat(page.getByLabel("Jobs to compare"))
                    .hasValue(Pattern.compile("(%1$s,%2$s|%2$s,%1$s)".formatted(first.idText(), second.idText())));
            assertThat(page.getByText("2 runs")).isVisible();
        }
    }

    @Test
    void aProjectsNotesAreKeptAndAreText() {
        String notes = "seed 3 is the one\n<script>window.hacked = 1</script>";
        server.berth()
                .submit(Map.of("command", List.of("true"), "project", "thesis", "gpus", 1, "image", Engine.IMAGE));
        try (Window window = server.window()) {
            Page page = server.logIn(window);
            PageServer.go(page, "/projects");
            page.getByLabel("Part of a project's name").fill("thesis");
            window.button("Add notes").click();
            assertThat(window.dialog()).containsText("berth projects notes thesis");
            page.getByLabel("Notes", new Page.GetByLabelOptions().setExact(true))
                    .fill(notes);
            window.answer("Keep");
            assertThat(page.getByText("seed 3 is the one").first()).isVisible();
            assertThat(server.berth()
                            .api()
                            .get("/projects/notes?project=thesis")
                            .json()
                            .path("notes")
                            .asText())
                    .isEqualTo(notes);
            PageServer.assertHarmless(window);
        }
    }

    @Test
    void aJobIsRunAgainWithWhatWasChanged() {
        SubmittedJob job = server.berth()
                .submit(Map.of(
                        "command",
                        List.of("python3", "-c", "print('a b')"),
                        "name",
                        "before",
                        "gpus",
                        1,
                        "image",
                        Engine.IMAGE,
                        "tags",
                        List.of("kept"),
                        "environment",
                        Map.of("SEED", "1", "TOKEN", "secret")));
        try (Window window = server.window()) {
            Page page = server.logIn(window, job.idText());
            window.button("Run again with changes").click();
            assertThat(page.getByLabel("Command")).hasValue("python3 -c 'print('\\''a b'\\'')'");
            assertThat(window.dialog()).containsText("SEED=…");
            assertThat(window.dialog()).containsText("TOKEN=…");
            assertThat(window.dialog()).not().containsText("secret");
            page.getByLabel("Command").fill("echo 'two words' \"<b>\" three");
            page.getByLabel("Name", new Page.GetByLabelOptions().setExact(true)).fill("after");
            page.getByLabel("GPUs", new Page.GetByLabelOptions().setExact(true)).fill("99");
            page.getByLabel("Time limit in seconds").fill("120");
            page.getByLabel("Variables, NAME=VALUE").fill("SEED=2\nMODE=a=b");
            window.answer("Submit");
            assertThat(window.dialog()).containsText("Not accepted: ");
            assertThat(page.getByLabel("Command")).hasValue("echo 'two words' \"<b>\" three");
            page.getByLabel("GPUs", new Page.GetByLabelOptions().setExact(true)).fill("2");
            window.answer("Submit");

            String number = Long.toString(job.id() + 1);
            assertThat(page).hasURL(Pattern.compile(".*/jobs/" + number));
            JsonNode made = server.berth().api().get("/jobs/" + number).json();
            assertThat(strings(made.path("command"))).containsExactly("echo", "two words", "<b>", "three");
            assertThat(made.path("name").asText()).isEqualTo("after");
            assertThat(made.path("gpuMilli").asInt()).isEqualTo(2_000);
            assertThat(made.path("timeLimitSeconds").asInt()).isEqualTo(120);
            assertThat(strings(made.path("environment"))).containsExactlyInAnyOrder("SEED", "MODE");
            assertThat(strings(made.path("tags"))).containsExactly("kept");
            assertThat(job.view().path("name").asText()).isEqualTo("before");
        }
    }

    @Test
    void keysGoThroughItAll() {
        SubmittedJob older = server.submitIdle("older");
        SubmittedJob newer = server.submitIdle("newer");
        try (Window window = server.window()) {
            Page page = server.logIn(window);
            page.keyboard().press("g");
            page.keyboard().press("j");
            assertThat(page.getByLabel("Table of jobs")).containsText("older");
            page.keyboard().press("j");
            page.keyboard().press("x");
            assertThat(page.getByLabel(selecting(newer))).isChecked();
            page.keyboard().press("j");
            page.keyboard().press("Enter");
            assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setName("Job " + older.idText())))
                    .isVisible();
            page.keyboard().press("?");
            assertThat(window.dialog()).containsText("the next and the previous row");
            page.keyboard().press("Escape");
            assertThat(window.dialog()).isHidden();
        }
    }
}
