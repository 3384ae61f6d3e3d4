package dev.berth.system.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Chromium;
import dev.berth.system.fixture.Chromium.Window;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.WithGpus;
import dev.berth.testclient.TestClient;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Measures the page and what it costs the server, and prints what it finds: no test, and run by {@code mvn verify -pl src/test
 * -am -DskipTests -Dit.test=PageFigures -Dsurefire.failIfNoSpecifiedTests=false -Dtest.server.flags=}. It asserts no times.
 */
@SystemTest
class PageFigures {
    private static final int ROUNDS = 20;
    private static final int JOBS = 10_000;
    private static final int PAGES = 50;

    /** Lines of 100 bytes: 200 MB. */
    private static final int LINES = 2_000_000;

    private static final Duration WINDOW = Duration.ofSeconds(60);

    /** When a row came onto the screen, by the clock of this machine, as the server's dates are. */
    private static final String WATCH = "name => new Promise(resolve => { const look = () => {"
            + " if ([...document.querySelectorAll('tbody tr')].some(row => row.textContent.includes(name))) {"
            + " resolve(Date.now()); } else { requestAnimationFrame(look); } }; look(); })";

    private static final String LONG_TASKS = "() => { window.tasks = []; new PerformanceObserver(list =>"
            + " list.getEntries().forEach(it => window.tasks.push(Math.round(it.duration))))"
            + ".observe({ type: 'longtask', buffered: true }); }";

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void measure(@WithGpus(4) Engine engine) {
        try (PageServer server = PageServer.start(Berth.on(engine), Map.of("BERTH_ACCESS_ANONYMOUS", "read"))) {
            pages(server);
            metrics(server, "a quiet server");
            SubmittedJob talker = PageJobTest.talker(server, LINES);
            try (Window window = server.window()) {
                Page page = server.logIn(window);
                load(page);
                Await.that(
                        "200 MB are written",
                        Duration.ofMinutes(5),
                        () -> talker.state().equals("COMPLETED"));
                log(page, talker);
                server.submit("4", "holder").awaitFile("result.json");
                changes(server, page);
                rows(server, page);
            }
            metrics(server, "%,d jobs".formatted(JOBS));
        }
    }

    private static void load(Page page) {
        List<Double> paints = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            PageServer.go(page, "/");
            assertThat(page.getByText("Log out")).isVisible();
            paints.add(number(
                    page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")));
        }
        Object bytes = page.evaluate("async () => { let sum = 0; const all = [location.pathname,"
                + " ...performance.getEntriesByType('resource').map(it => it.name).filter(it => !it.includes('/api/'))];"
                + " for (const url of all) { const answer = await fetch(url, { cache: 'reload' }); await"
                + " answer.arrayBuffer(); sum += performance.getEntriesByName(answer.url).at(-1).encodedBodySize; } return"
                + " sum; }");
        say("first paint %.0f ms (median of %d); %s bytes compressed", median(paints), ROUNDS, bytes);
    }

    private static void changes(PageServer server, Page page) {
        PageServer.go(page, "/");
        assertThat(page.getByLabel("Jobs that run")).isVisible();
        List<Double> delays = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            page.waitForTimeout(600);
            String name = "change-" + round + ".";
            page.evaluate("name => { window.seen = (" + WATCH + ")(name); }", name);
            SubmittedJob job = server.submitIdle(name);
            double seen = number(page.evaluate("() => window.seen"));
            delays.add(seen
                    - Instant.parse(job.view().path("submittedAt").asText()).toEpochMilli());
        }
        say("from a submit to its row on the screen %.0f ms (median of %d), %s", median(delays), ROUNDS, delays);
    }

    private static void rows(PageServer server, Page page) {
        for (int made = 0; made < JOBS; made++) {
            SubmittedJob _ = server.submitIdle("row " + made);
        }
        PageServer.go(page, "/jobs");
        assertThat(page.getByLabel("Table of jobs")).isVisible();
        page.evaluate(LONG_TASKS);
        for (int at = 0; at < 500; at++) {
            page.mouse().wheel(0, 900);
            page.waitForTimeout(30);
        }
        say(
                "longest tasks while the table of %,d jobs is scrolled to row %s: %s ms",
                JOBS,
                page.evaluate("() => [...document.querySelectorAll('tbody tr[aria-rowindex]')].at(-1).ariaRowIndex"),
                longest(page));
    }

    private static void log(Page page, SubmittedJob talker) {
        PageServer.go(page, "/jobs/" + talker.idText() + "?tab=log");
        page.evaluate(LONG_TASKS);
        assertThat(page.getByText("line %07d".formatted(LINES - 1))).isVisible();
        for (int at = 0; at < 20; at++) {
            page.getByText("Show earlier lines").click();
            page.waitForTimeout(200);
        }
        page.getByLabel("Log", new Page.GetByLabelOptions().setExact(true)).hover();
        for (int at = 0; at < 200; at++) {
            page.mouse().wheel(0, at < 100 ? -3_000 : 3_000);
            page.waitForTimeout(30);
        }
        say(
                "longest tasks of a log of 200 MB that is opened, loaded backwards 20 times and scrolled: %s ms",
                longest(page));
        page.keyboard().press("/");
        page.keyboard().type("line 1999");
        page.waitForTimeout(1_000);
        say("the same with a search in its loaded lines: %s ms", longest(page));
    }

    private static Object longest(Page page) {
        return page.evaluate("() => window.tasks.sort((a, b) => b - a).slice(0, 5)");
    }

    private static void pages(PageServer server) {
        cost(server, "no open page");
        String first = server.link().replaceFirst("/#.*", "/");
        List<Window> windows = new ArrayList<>();
        try {
            for (int at = 0; at < PAGES; at++) {
                Window window = server.window();
                windows.add(window);
                Chromium.open(window.page(), first);
                assertThat(window.page().getByText("Log in")).isVisible();
            }
            cost(server, PAGES + " open pages");
        } finally {
            windows.forEach(Window::close);
        }
    }

    /** The server's processor time over a while, and its memory after it. */
    private static void cost(PageServer server, String what) {
        ProcessHandle process = server.berth().server();
        Await.pass(Duration.ofSeconds(15));
        Duration before = process.info().totalCpuDuration().orElseThrow();
        Await.pass(WINDOW);
        Duration spent = process.info().totalCpuDuration().orElseThrow().minus(before);
        String memory = TestFiles.lines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                .filter(line -> line.startsWith("VmRSS"))
                .findFirst()
                .orElseThrow();
        say("%s: %d ms of processor time in %d s, %s", what, spent.toMillis(), WINDOW.toSeconds(), memory);
    }

    private static void metrics(PageServer server, String what) {
        UnixDomainSocketAddress socket =
                UnixDomainSocketAddress.of(server.berth().api().socket());
        List<Double> times = new ArrayList<>();
        int bytes = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long began = System.nanoTime();
            bytes = TestClient.bytes(socket, "/metrics").length;
            times.add((System.nanoTime() - began) / 1e6);
        }
        say("/metrics of %s: %.1f ms (median of %d), %d bytes", what, median(times), ROUNDS, bytes);
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private static void say(String format, Object... words) {
        System.out.println("page: " + format.formatted(words));
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(sorted.size() / 2);
    }
}
