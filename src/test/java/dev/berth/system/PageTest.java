package dev.berth.system;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Chromium;
import dev.berth.system.fixture.Chromium.Window;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The page in a real browser. */
@SystemTest
class PageTest {
    private static final Path AXE = Product.ROOT.resolve("page/node_modules/axe-core/axe.min.js");

    private static Chromium chromium;

    @BeforeAll
    static void open() {
        chromium = new Chromium();
    }

    @AfterAll
    static void close() {
        chromium.close();
    }

    private static Window window() {
        return chromium.window(1280, 850, ColorScheme.LIGHT);
    }

    /** Opens the page as {@code berth open} does. */
    private static Page logIn(Berth berth, Window window, String... id) {
        String url = berth.command("open", "--print").and(id).run().expect(0).text();
        window.page().navigate(url);
        assertThat(window.page().getByRole(AriaRole.BUTTON, button("Log out"))).isVisible();
        return window.page();
    }

    private static Page.GetByRoleOptions button(String name) {
        return new Page.GetByRoleOptions().setName(name).setExact(true);
    }

    private static SubmittedJob submit(Berth berth, String gpus, String name) {
        return berth.submit(
                berth.project("page.py"), "--num-gpus", gpus, "--name", name, "--project", "vision", "page.py", "0.1");
    }

    private static void assertHarmless(Window window) {
        assertThat(window.page().evaluate("() => window.hacked === undefined")).isEqualTo(true);
        assertThat(window.complaints()).isEmpty();
        String origin = window.page().evaluate("() => location.origin").toString();
        assertThat(window.requests()).allMatch(url -> url.startsWith(origin + "/") || url.startsWith("blob:" + origin));
    }

    @Test
    void whatHappensIsOnTheScreenWithoutAReload(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine);
                Window window = window()) {
            berth.start("-g");
            Page page = logIn(berth, window);
            assertThat(page.getByText("No job yet.")).isVisible();
            assertThat(page.getByRole(AriaRole.ARTICLE)).hasCount(4);

            SubmittedJob first = submit(berth, "4", "<script>window.hacked = 1</script>");
            Locator running = page.getByLabel("Jobs that run");
            assertThat(running.getByText("<script>window.hacked = 1</script>")).isVisible();
            assertThat(running.getByText("RUNNING")).isVisible();
            assertThat(running.locator("progress")).hasAttribute("value", "0.5");
            SubmittedJob second = submit(berth, "1", "second");
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
            assertThat(window.complaints()).isEmpty();
        }
    }

    @Test
    void jobsGpusAndTheQueueAreSteered(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine);
                Window window = window()) {
            berth.start("-g");
            SubmittedJob runs = submit(berth, "4", "runs");
            SubmittedJob waits = submit(berth, "1", "waits");
            Page page = logIn(berth, window);

            page.getByRole(AriaRole.BUTTON, button("Hold job " + waits.idText()))
                    .click();
            waits.await("HELD");
            page.getByRole(AriaRole.BUTTON, button("Release job " + waits.idText()))
                    .click();
            waits.await("QUEUED");

            page.getByRole(AriaRole.BUTTON, button("Cancel job " + waits.idText()))
                    .click();
            assertThat(page.getByRole(AriaRole.DIALOG)).containsText("berth cancel " + waits.idText());
            page.getByRole(AriaRole.BUTTON, button("Leave it")).click();
            assertThat(waits.state()).isEqualTo("QUEUED");
            page.getByRole(AriaRole.BUTTON, button("Cancel job " + waits.idText()))
                    .click();
            page.getByRole(AriaRole.DIALOG)
                    .getByText("Cancel", new Locator.GetByTextOptions().setExact(true))
                    .click();
            waits.await("CANCELLED");
            assertThat(page.getByRole(AriaRole.STATUS)).containsText("Job " + waits.idText() + " is CANCELLED");

            page.getByRole(AriaRole.BUTTON, button("Pause")).click();
            page.getByRole(AriaRole.DIALOG)
                    .getByText("Pause", new Locator.GetByTextOptions().setExact(true))
                    .click();
            assertThat(page.getByText("The queue is paused by root")).isVisible();
            page.getByRole(AriaRole.BUTTON, button("Resume")).click();
            assertThat(page.getByText("The queue is paused by root")).isHidden();

            Locator gpu = page.getByLabel("GPU 3", new Page.GetByLabelOptions().setExact(true));
            gpu.getByText("Drain", new Locator.GetByTextOptions().setExact(true))
                    .click();
            page.getByLabel("Why, for everybody who waits").fill("loud fan");
            page.getByRole(AriaRole.DIALOG)
                    .getByText("Drain", new Locator.GetByTextOptions().setExact(true))
                    .click();
            assertThat(gpu).containsText("loud fan");
            assertThat(berth.run("gpus").out()).contains("loud fan");
            gpu.getByText("Resume").click();
            assertThat(gpu).not().containsText("loud fan");

            runs.open();
            runs.awaitCompleted();
            page.navigate(page.url() + "jobs/" + runs.idText());
            page.getByRole(AriaRole.BUTTON, button("Run again job " + runs.idText()))
                    .click();
            assertThat(page.getByRole(AriaRole.HEADING, button("Job 3"))).isVisible();
            page.getByRole(AriaRole.BUTTON, button("Cancel job 3")).click();
            page.getByRole(AriaRole.DIALOG)
                    .getByText("Cancel", new Locator.GetByTextOptions().setExact(true))
                    .click();
            assertThat(page.getByRole(AriaRole.BUTTON, button("Delete job 3"))).isVisible();
            assertHarmless(window);
        }
    }

    @Test
    void aJobShowsItsLogCurvesAndFilesAndRunsNothingOfThem(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine);
                Window window = window()) {
            berth.start("-g");
            SubmittedJob job = submit(berth, "1", "job");
            job.awaitFile("result.json");
            Page page = logIn(berth, window, job.idText());
            assertThat(page.getByRole(AriaRole.HEADING, button("Job " + job.idText())))
                    .isVisible();

            page.getByText("Log", new Page.GetByTextOptions().setExact(true)).click();
            Locator log = page.getByLabel("Log", new Page.GetByLabelOptions().setExact(true));
            assertThat(log).containsText("green and plain <script>window.hacked = 1</script>");
            assertThat(log.getByText("green", new Locator.GetByTextOptions().setExact(true)))
                    .hasCSS("color", "rgb(0, 187, 0)");
            assertThat(log).containsText("more characters; download it for all");
            page.getByText("stderr", new Page.GetByTextOptions().setExact(true)).click();
            assertThat(log).containsText("to standard error");
            assertThat(log).not().containsText("green");

            page.getByText("Metrics", new Page.GetByTextOptions().setExact(true))
                    .click();
            assertThat(page.locator(".chart canvas")).hasCount(2);
            assertThat(page.getByText("<b>bold</b>")).isVisible();

            page.getByText("Output", new Page.GetByTextOptions().setExact(true)).click();
            for (String file : List.of("page.html", "picture.svg", "result.json")) {
                page.getByRole(AriaRole.BUTTON, button(file)).click();
                assertThat(page.getByLabel("Preview of " + file).locator("pre")).isVisible();
            }
            assertThat(page.getByLabel("Preview of result.json")).containsText("\"loss\": 0.25");
            page.getByText("Events", new Page.GetByTextOptions().setExact(true)).click();
            assertThat(page.getByText("ContainerStarted")).isVisible();
            job.open();
            job.awaitCompleted();
            assertThat(page.getByText("ContainerExited")).isVisible();
            assertHarmless(window);
        }
    }

    @Test
    void aLinkOpensItOnceAndALogOutEndsIt(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine);
                Window first = window();
                Window second = window()) {
            berth.start("-g");
            String link = berth.run("open", "--print").text();
            first.page().navigate(link);
            assertThat(first.page().getByText("GPUs").first()).isVisible();
            assertThat(first.page().url()).doesNotContain("link");
            second.page().navigate(link);
            assertThat(second.page().getByLabel("Token")).isVisible();

            second.page().getByLabel("Token").fill("berth_no_token");
            second.page().getByRole(AriaRole.BUTTON, button("Log in")).click();
            assertThat(second.page().getByText("this server knows no such token"))
                    .isVisible();
            second.page()
                    .getByLabel("Token")
                    .fill(berth.run("token", "create", "-q").text());
            second.page().getByRole(AriaRole.BUTTON, button("Log in")).click();
            assertThat(second.page().getByRole(AriaRole.BUTTON, button("Log out")))
                    .isVisible();

            first.page().getByRole(AriaRole.BUTTON, button("Log out")).click();
            assertThat(first.page().getByLabel("Token")).isVisible();
            first.page().reload();
            assertThat(first.page().getByLabel("Token")).isVisible();
            assertThat(second.complaints()).isEmpty();
        }
    }

    @Test
    void keysGoThroughItAll(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine);
                Window window = window()) {
            berth.start("-g");
            SubmittedJob older = submit(berth, "1", "older");
            SubmittedJob newer = submit(berth, "1", "newer");
            Page page = logIn(berth, window);
            page.keyboard().press("g");
            page.keyboard().press("j");
            assertThat(page.getByLabel("Table of jobs")).containsText("older");
            page.keyboard().press("j");
            page.keyboard().press("j");
            page.keyboard().press("Enter");
            assertThat(page.getByRole(AriaRole.HEADING, button("Job " + older.idText())))
                    .isVisible();
            page.keyboard().press("?");
            assertThat(page.getByRole(AriaRole.DIALOG)).containsText("the next and the previous row");
            page.keyboard().press("Escape");
            assertThat(page.getByRole(AriaRole.DIALOG)).isHidden();
            older.awaitFile("result.json");
            newer.awaitFile("result.json");
            older.open();
            newer.open();
        }
    }

    @Test
    void nothingBarsWhoReadsOrSeesOtherwise(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine)) {
            berth.start("-g");
            SubmittedJob job = submit(berth, "4", "job");
            SubmittedJob waiting =
                    submit(berth, "1", "a very long name ".repeat(7).strip());
            job.awaitFile("result.json");
            String axe = TestFiles.read(AXE);
            String base = "/jobs/" + job.idText();
            List<String> paths = List.of(
                    "/",
                    "/jobs",
                    "/compare?jobs=1",
                    "/projects",
                    base,
                    base + "?tab=log",
                    base + "?tab=metrics",
                    base + "?tab=files",
                    base + "?tab=events",
                    base + "?tab=snapshot");
            for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
                try (Window window = chromium.window(360, 780, scheme)) {
                    Page page = logIn(berth, window);
                    String origin = page.evaluate("() => location.origin").toString();
                    for (String path : paths) {
                        page.navigate(origin + path);
                        assertThat(page.getByText("Loading")).hasCount(0);
                        assertThat(page.locator("main")).isVisible();
                        page.evaluate(axe);
                        Object found = page.evaluate("async () => (await axe.run()).violations"
                                + ".map(it => it.id + ': ' + it.nodes.map(node => node.html).join(' '))");
                        assertThat(found).as("axe on %s in %s", path, scheme).isEqualTo(List.of());
                        assertThat(page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
                                .as("the width of %s", path)
                                .isEqualTo(true);
                    }
                    assertHarmless(window);
                }
            }
            berth.run("cancel", waiting.idText());
            job.open();
        }
    }
}
