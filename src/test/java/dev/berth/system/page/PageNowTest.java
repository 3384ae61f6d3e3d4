package dev.berth.system.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Chromium;
import dev.berth.system.fixture.Chromium.Window;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The first screen: it follows what happens, and jobs, GPUs and the queue are steered from it. */
@SystemTest
class PageNowTest {
    /** What a browser opens to one server at once over HTTP/1.1, all its tabs together. */
    private static final int CONNECTIONS = 6;

    private static PageServer server;

    @BeforeAll
    static void open(@WithGpus(4) Engine engine) {
        server = PageServer.start(engine);
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @Test
    void whatHappensIsOnTheScreenWithoutAReload() {
        Berth berth = server.berth();
        try (Window window = server.window()) {
            Page page = server.logIn(window);
            assertThat(page.getByRole(AriaRole.ARTICLE)).hasCount(4);

            SubmittedJob first = server.submit("4", "<script>window.hacked = 1</script>");
            Locator running = page.getByLabel("Jobs that run");
            assertThat(running.getByText("<script>window.hacked = 1</script>")).isVisible();
            assertThat(running.getByText("RUNNING")).isVisible();
            assertThat(running.locator("progress")).hasAttribute("value", "0.5");
            SubmittedJob second = server.submit("1", "second");
            assertThat(page.getByLabel("Jobs that wait").getByText("second")).isVisible();
            assertThat(page.getByLabel("Jobs that wait")).containsText("first in the queue; waits for 1 GPU");

            berth.kill();
            assertThat(page.getByText("What is shown is not the newest")).isVisible();
            String port = page.evaluate("() => location.port").toString();
            berth.start("-g", "--port", port);
            first.open();
            first.awaitCompleted();
            assertThat(running.getByText("second")).isVisible();
            assertThat(page.getByText("What is shown is not the newest")).isHidden();
            second.awaitFile("result.json");
            second.open();
            second.awaitCompleted();
            assertThat(page.getByText("Nothing runs.")).isVisible();
            PageServer.assertHarmless(window);
        }
    }

    @Test
    void tabsThatNobodySeesLeaveTheBrowsersConnectionsToTheOneInSight() {
        SubmittedJob talks = server.submit("1", "talks");
        talks.awaitFile("result.json");
        try (Window window = server.window()) {
            Page first = server.logIn(window);
            hide(first);
            for (int tab = 1; tab < CONNECTIONS; tab++) {
                Page log = window.tab();
                Chromium.open(log, first.url() + "jobs/" + talks.idText() + "?tab=log");
                assertThat(log.getByText("to standard error")).isVisible();
                hide(log);
            }
            Page inSight = window.tab();
            Chromium.open(inSight, first.url());
            assertThat(inSight.getByRole(AriaRole.ARTICLE)).hasCount(4);

            SubmittedJob later = server.submitLater("seen later");
            assertThat(inSight.getByLabel("Jobs that wait")).containsText("seen later");
            assertThat(first.getByText("seen later")).hasCount(0);
            first.evaluate("() => window.see(true)");
            assertThat(first.getByLabel("Jobs that wait")).containsText("seen later");
            server.berth().run("cancel", later.idText(), talks.idText());
        }
    }

    /** Has a page take it that another tab is before it, which a browser without a display does not say. */
    private static void hide(Page page) {
        page.evaluate("() => { Object.defineProperty(document, 'hidden', { get: () => window.isUnseen });"
                + " window.see = isSeen => { window.isUnseen = !isSeen;"
                + " document.dispatchEvent(new Event('visibilitychange')); }; window.see(false); }");
    }

    @Test
    void jobsGpusAndTheQueueAreSteered() {
        Berth berth = server.berth();
        try (Window window = server.window()) {
            SubmittedJob runs = server.submit("4", "runs");
            SubmittedJob waits = server.submit("1", "waits");
            Page page = server.logIn(window);

            window.button("Hold job " + waits.idText()).click();
            waits.await("HELD");
            window.button("Release job " + waits.idText()).click();
            waits.await("QUEUED");

            window.button("Cancel job " + waits.idText()).click();
            assertThat(window.dialog()).containsText("berth cancel " + waits.idText());
            window.answer("Leave it");
            assertThat(waits.state()).isEqualTo("QUEUED");
            window.button("Cancel job " + waits.idText()).click();
            window.answer("Cancel");
            waits.await("CANCELLED");
            assertThat(page.getByRole(AriaRole.STATUS)).containsText("Job " + waits.idText() + " is CANCELLED");

            window.button("Pause").click();
            window.answer("Pause");
            assertThat(page.getByText("The queue is paused by root")).isVisible();
            window.button("Resume").click();
            assertThat(page.getByText("The queue is paused by root")).isHidden();

            Locator gpu = page.getByLabel("GPU 3", new Page.GetByLabelOptions().setExact(true));
            gpu.getByText("Drain", new Locator.GetByTextOptions().setExact(true))
                    .click();
            page.getByLabel("Why, for everybody who waits").fill("loud fan");
            window.answer("Drain");
            assertThat(gpu).containsText("loud fan");
            assertThat(berth.run("gpus").out()).contains("loud fan");
            gpu.getByText("Resume").click();
            assertThat(gpu).not().containsText("loud fan");

            runs.open();
            runs.awaitCompleted();
            Chromium.open(page, page.url() + "jobs/" + runs.idText());
            window.button("Run again job " + runs.idText()).click();
            String again = Long.toString(waits.id() + 1);
            assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setName("Job " + again)))
                    .isVisible();
            window.button("Cancel job " + again).click();
            window.answer("Cancel");
            assertThat(window.button("Delete job " + again)).isVisible();
            PageServer.assertHarmless(window);
        }
    }
}
