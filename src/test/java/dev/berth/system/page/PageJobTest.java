package dev.berth.system.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.ColorScheme;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Chromium.Window;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.WithGpus;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What jobs wrote and told, as the page shows it: logs, curves, files, comparisons, for everybody who looks. */
@SystemTest
class PageJobTest {
    private static final String AXE = TestFiles.read(Product.ROOT.resolve("page/node_modules/axe-core/axe.min.js"));
    private static final int LINES = 200_000;

    /** All that is drawn of a log, and no more than this. */
    private static final int MOST_ROWS = 200;

    private static final int MOST_LOADED = 1_000_000;

    private static PageServer server;
    private static SubmittedJob job;
    private static SubmittedJob other;
    private static SubmittedJob talker;

    @BeforeAll
    static void open(@WithGpus(4) Engine engine) {
        server = PageServer.start(engine);
        job = server.submit("1", "job", "0.1");
        other = server.submit("1", "other", "0.02");
        talker = talker(server, LINES);
        job.awaitFile("result.json");
        other.awaitFile("result.json");
    }

    /** A job that writes so many lines of 100 bytes. */
    static SubmittedJob talker(PageServer server, int lines) {
        String program = "for n in range(%d): print(f'line {n:07d} ' + 86 * 'x')".formatted(lines);
        return server.berth()
                .submit(Map.of(
                        "command",
                        List.of("python3", "-c", program),
                        "name",
                        "talker",
                        "gpus",
                        1,
                        "image",
                        Engine.IMAGE));
    }

    @AfterAll
    static void close() {
        server.close();
    }

    private static Locator log(Window window) {
        return window.page().getByLabel("Log", new Page.GetByLabelOptions().setExact(true));
    }

    private static Object rows(Window window) {
        return window.page().evaluate("() => document.querySelectorAll('.log .row').length");
    }

    @Test
    void aJobShowsItsLogCurvesAndFilesAndRunsNothingOfThem() {
        try (Window window = server.window()) {
            Page page = server.logIn(window, job.idText());
            assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setName("Job " + job.idText())))
                    .isVisible();

            window.text("Log").click();
            Locator log = log(window);
            assertThat(log).containsText("green and plain <script>window.hacked = 1</script>");
            assertThat(log.getByText("green", new Locator.GetByTextOptions().setExact(true)))
                    .hasCSS("color", "rgb(63, 185, 80)");
            assertThat(log).containsText("more characters; download it for all");
            window.text("stderr").click();
            assertThat(log).containsText("to standard error");
            assertThat(log).not().containsText("green");

            window.text("Metrics").click();
            assertThat(page.locator(".chart canvas")).hasCount(2);
            assertThat(page.getByText("<b>bold</b>")).isVisible();

            window.text("Output").click();
            for (String file : List.of("page.html", "picture.svg", "result.json")) {
                window.button(file).click();
                assertThat(page.getByLabel("Preview of " + file).locator("pre")).isVisible();
            }
            assertThat(page.getByLabel("Preview of result.json")).containsText("\"loss\": 0.25");
            window.text("Events").click();
            assertThat(page.getByText("ContainerStarted")).isVisible();
            job.open();
            job.awaitCompleted();
            assertThat(page.getByText("ContainerExited")).isVisible();
            PageServer.assertHarmless(window);
        }
    }

    /** Beside its GPUs, of which this one has none. */
    @Test
    void theCoresAndTheMemoryThatAJobUsesAreShown() {
        Berth berth = server.berth();
        SubmittedJob busy = berth.submit(berth.project("uses.py"), "uses.py", "--num-gpus", "0", "--memory", "1g");
        try (Window window = server.window()) {
            Page page = server.logIn(window, busy.idText());
            // Two looks at it, of which each is some seconds after the one before.
            assertThat(page.getByLabel("Cores over time")).isVisible();
            assertThat(page.getByLabel("Memory over time")).isVisible();
            // A look may come while the program still fills its memory: the last one counts.
            assertThat(page.getByText(Pattern.compile("^(19\\d|[23]\\d\\d)(\\.\\d)? MiB at most$")))
                    .isVisible();
            assertThat(window.complaints()).isEmpty();
        }
        // Beside other load it gets little of the processors.
        Await.that(
                "a second of processor time is seen",
                () -> busy.view().path("machineUsage").path("cpuSeconds").asInt() > 0);
        busy.open();
        busy.awaitCompleted();

        JsonNode usage = busy.view().path("machineUsage");
        assertThat(usage.path("peakMemoryMiB").asInt()).isBetween(190, 400);
        assertThat(usage.path("meanCpuMilli").asInt()).isBetween(100, 1_100);
        assertThat(usage.path("cpuSeconds").asInt()).isPositive();
        assertThat(berth.run("status", busy.idText()).out())
                .containsPattern("\ncores used  [01]\\.\\d\\d on average, 0\\.\\d\\d CPU-hours  ")
                .containsPattern("\nmemory used at most \\d{3} MiB  ");
    }

    @Test
    void aLogIsTextWhateverIsInIt() {
        try (Window window = server.window()) {
            Page page = server.logIn(window);
            PageServer.go(page, "/jobs/" + other.idText() + "?tab=log");
            Locator log = log(window);
            assertThat(log).containsText("written");
            assertThat(log)
                    .containsText("\" onmouseover=\"window.hacked=1\""
                            + " <span style=\"background:url(//elsewhere.example)\">marked</span>");
            assertThat(log.getByText("onmouseover")).hasCSS("color", "rgb(255, 123, 114)");
            assertThat(log).containsText("no text");
            assertThat(log.locator(".row").filter(new Locator.FilterOptions().setHasText("right to left")))
                    .hasCSS("unicode-bidi", "isolate");
            assertThat(page.evaluate("() => [...document.querySelectorAll('[aria-label=Log] *')].filter(it =>"
                            + " !['DIV', 'SPAN'].includes(it.tagName) || it.getAttributeNames().some(name =>"
                            + " !['class', 'style', 'title'].includes(name)) || it.style.backgroundImage !== ''"
                            + " || it.textContent.length > 500000).map(it => it.outerHTML.slice(0, 200))"))
                    .as("what a log may not make")
                    .isEqualTo(List.of());
            assertThat(page.title()).isEqualTo("Job " + other.idText() + " · Berth");
            PageServer.assertHarmless(window);
        }
    }

    @Test
    void ofALongLogOnlyWhatIsInSightIsLoadedAndDrawn() {
        talker.awaitCompleted();
        String lastLine = "line %07d".formatted(LINES - 1);
        try (Window window = server.window()) {
            Page page = server.logIn(window);
            PageServer.go(page, "/jobs/" + talker.idText() + "?tab=log");
            assertThat(log(window)).containsText(lastLine);
            assertThat((int) rows(window)).isLessThan(MOST_ROWS);
            Object loaded = page.evaluate("() => performance.getEntriesByType('resource')"
                    + ".filter(it => it.name.includes('/log?')).reduce((sum, it) => sum + it.decodedBodySize, 0)");
            assertThat((int) loaded).isLessThan(MOST_LOADED);

            window.button("Show earlier lines").click();
            Locator box = log(window);
            assertThat(box).not().containsText(lastLine);
            box.evaluate("box => { box.scrollTop = 0; }");
            assertThat(box.locator(".row").first()).containsText("line 019");
            assertThat((int) rows(window)).isLessThan(MOST_ROWS);

            page.keyboard().press("/");
            page.keyboard().type("line %07d".formatted(LINES - 2));
            assertThat(page.getByText("1 line")).isVisible();
            page.keyboard().press("Enter");
            assertThat(page.locator(".log .hit")).containsText("line %07d".formatted(LINES - 2));
            PageServer.assertHarmless(window);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1280, 700})
    void aRangeOfAnAxisChoosesTheRunsThatLieInIt(int width) {
        try (Window window = server.window(width, 850, ColorScheme.LIGHT)) {
            Page page = server.logIn(window);
            PageServer.go(page, "/compare?jobs=" + job.idText() + "," + other.idText());
            Locator table = page.getByLabel("What differs");
            assertThat(table.locator("tbody tr")).hasCount(2);

            drag(page, "lr", 0.55, 1.05);
            assertThat(page.getByText("1 run of 2 chosen")).isVisible();
            assertThat(table.locator("tbody tr")).hasCount(1);
            assertThat(table.locator("tbody")).containsText("other");
            drag(page, "lr", 0.45, -0.05);
            assertThat(table.locator("tbody")).containsText("job");
            assertThat(table.locator("tbody")).not().containsText("other");
            window.button("Choose all").click();
            assertThat(table.locator("tbody tr")).hasCount(2);
            PageServer.assertHarmless(window);
        }
    }

    /** Drags along an axis between two shares of its length, from its upper end; runs stand at its very ends. */
    private static void drag(Page page, String axis, double from, double to) {
        BoundingBox box = page.locator("svg.parallel g")
                .filter(new Locator.FilterOptions().setHas(page.locator("text").getByText(axis)))
                .locator("rect[cursor]")
                .boundingBox();
        double across = box.x + box.width / 2;
        page.mouse().move(across, box.y + from * box.height);
        page.mouse().down();
        page.mouse().move(across, box.y + to * box.height);
        page.mouse().up();
    }

    @Test
    void nothingBarsWhoReadsOrSeesOtherwise() {
        SubmittedJob waiting = server.submit("4", "a very long name ".repeat(7).strip());
        String base = "/jobs/" + other.idText();
        List<String> paths = List.of(
                "/",
                "/jobs",
                "/compare?jobs=%s,%s".formatted(job.idText(), other.idText()),
                "/projects",
                base,
                base + "?tab=log",
                base + "?tab=metrics",
                base + "?tab=files",
                base + "?tab=events",
                base + "?tab=snapshot");
        for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            try (Window window = server.window(360, 780, scheme)) {
                Page page = server.logIn(window);
                for (String path : paths) {
                    PageServer.go(page, path);
                    assertThat(page.getByText("Loading")).hasCount(0);
                    assertBarsNobody(page, "%s in %s".formatted(path, scheme));
                    assertThat(page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
                            .as("the width of %s", path)
                            .isEqualTo(true);
                }
                PageServer.assertHarmless(window);
            }
        }
        server.berth().run("cancel", waiting.idText());
    }

    @ParameterizedTest
    @EnumSource(names = {"LIGHT", "DARK"})
    void whatStandsInALogForItsLinesCanBeReadToo(ColorScheme scheme) {
        SubmittedJob silent = server.submitIdle("silent");
        SubmittedJob later = server.submitLater("later");
        silent.awaitCompleted();
        try (Window window = server.window(1280, 850, scheme)) {
            Page page = server.logIn(window);
            page.route("**/log?*", _ -> {});
            PageServer.go(page, "/jobs/" + silent.idText() + "?tab=log");
            assertThat(log(window)).containsText("Loading");
            assertBarsNobody(page, "a log that has not come in " + scheme);
            page.unrouteAll();
            PageServer.go(page, "/jobs/" + silent.idText() + "?tab=log");
            assertThat(log(window)).containsText("It wrote nothing.");
            assertBarsNobody(page, "an empty log in " + scheme);
            PageServer.go(page, "/jobs/" + later.idText() + "?tab=log");
            assertThat(log(window)).containsText("Nothing written yet.");
            assertBarsNobody(page, "a log of a job to come in " + scheme);
            PageServer.assertHarmless(window);
        }
        server.berth().run("cancel", later.idText());
    }

    @ParameterizedTest
    @ValueSource(strings = {"green", "onmouseover", "to standard error", "xxx", "written"})
    void aLineThatWasFoundCanBeRead(String words) {
        try (Window window = server.window()) {
            Page page = server.logIn(window);
            PageServer.go(page, "/jobs/" + other.idText() + "?tab=log");
            page.getByLabel("Search the whole log").fill(words);
            assertThat(page.getByText("1 line")).isVisible();
            page.getByLabel("Search the whole log").press("Enter");
            assertThat(page.locator(".log .hit")).containsText(words);
            // What is beside the window is not looked at.
            page.locator(".log").evaluate("box => { box.scrollLeft = box.scrollWidth; }");
            assertBarsNobody(page, "a line found by " + words);
            page.locator(".log").evaluate("box => { box.scrollLeft = 0; }");
            assertBarsNobody(page, "a line found by " + words);
        }
    }

    private static void assertBarsNobody(Page page, String what) {
        page.evaluate(AXE);
        Object found = page.evaluate("async () => (await axe.run()).violations"
                + ".map(it => it.id + ': ' + it.nodes.map(node => node.html.slice(0, 200)).join(' '))");
        assertThat(found).as("axe on " + what).isEqualTo(List.of());
    }
}
