package dev.berth.system.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Chromium;
import dev.berth.system.fixture.Chromium.Window;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.SlurmSite;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Jobs that run at a Slurm cluster, as the page shows them to their owner, and what the owner does with them there. */
@SystemTest
class PageTargetTest {
    private static final SlurmSite SITE = SlurmSite.start("page");
    private static final Berth BERTH = SITE.serve(Berth.on(Engine.ofMachine()));
    private static final ProjectDirectory PROJECT = BERTH.project("gated.py");
    private static final Chromium CHROMIUM = new Chromium();

    @AfterAll
    static void stop() {
        try (SITE;
                BERTH) {
            CHROMIUM.close();
        }
    }

    private static SubmittedJob gated(int gpus, Path folder, String name, int code) {
        return SITE.submit(
                SITE.ada(),
                BERTH,
                "big",
                PROJECT,
                "gated.py",
                "--num-gpus",
                "" + gpus,
                "--name",
                name,
                "--",
                folder.toString(),
                name,
                "" + code);
    }

    private static Page open(Window window, SubmittedJob job) {
        Chromium.open(
                window.page(),
                SITE.as(SITE.ada(), BERTH, "open", "--print", job.idText())
                        .run()
                        .expect(0)
                        .text());
        assertThat(window.button("Log out")).isVisible();
        return window.page();
    }

    private static Locator sentence(Page page) {
        return page.locator(".sentence").first();
    }

    @Test
    void whatRunsAndWaitsThereIsShownSteeredAndRunAgain() {
        Path folder = SITE.folder(SITE.ada());
        SubmittedJob runs = gated(4, folder, "first", 3);
        SubmittedJob waits = gated(1, folder, "second", 0);
        runs.await("RUNNING");
        try (Window window = CHROMIUM.window(1280, 850, ColorScheme.LIGHT)) {
            Page page = open(window, waits);
            assertThat(page.locator(".title")).containsText("at big (Slurm)");
            assertThat(sentence(page)).containsText("Slurm waits for Resources");
            window.button("Hold job " + waits.idText()).click();
            assertThat(sentence(page)).containsText("it is held");
            window.button("Release job " + waits.idText()).click();
            assertThat(sentence(page)).containsText("Slurm waits for");
            window.button("Cancel job " + waits.idText()).click();
            window.answer("Cancel");
            assertThat(page.locator(".title")).containsText("CANCELLED");

            PageServer.go(page, "/jobs/" + runs.idText());
            assertThat(sentence(page)).containsText("runs at target big (Slurm): job ");
            window.text("Log").click();
            assertThat(page.getByLabel("Log", new Page.GetByLabelOptions().setExact(true)))
                    .containsText("devices");
            SlurmSite.open(folder, "first");
            assertThat(sentence(page)).containsText("the program ended with exit code 3");
            assertThat(page.getByLabel("Log", new Page.GetByLabelOptions().setExact(true)))
                    .containsText("the gate of first is open");
            window.text("Metrics").click();
            assertThat(page.getByText("loss").first()).isVisible();
            window.text("Output").click();
            assertThat(window.button("result")).isVisible();
            again(window, page, runs);
            assertThat(window.complaints()).isEmpty();
        }
    }

    private static void again(Window window, Page page, SubmittedJob job) {
        window.button("Run again with changes").click();
        page.getByLabel("Command").fill("echo once more");
        page.getByLabel("GPUs", new Page.GetByLabelOptions().setExact(true)).fill("0");
        window.answer("Submit");
        String number = Long.toString(job.id() + 2);
        assertThat(page).hasURL(Pattern.compile(".*/jobs/" + number));
        assertThat(page.locator(".title")).containsText("at big (Slurm)");
        assertThat(page.locator(".title")).containsText("COMPLETED");
        JsonNode made = BERTH.api().get("/jobs/" + number).json();
        assertThat(made.path("target").asText()).isEqualTo("big");
    }
}
