package dev.berth.system;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Chromium;
import dev.berth.system.fixture.Chromium.Window;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Measures the page, and prints what it finds: no test, and run by {@code mvn verify -pl src/test -am -DskipTests
 * -Dit.test=PageFigures -Dsurefire.failIfNoSpecifiedTests=false}. It asserts no times.
 */
@SystemTest
class PageFigures {
    private static final int ROUNDS = 20;
    private static final int JOBS = 10_000;

    /** The time between an event and its row on the screen; both are by the clock of this machine. */
    private static final String WATCH = "name => new Promise(resolve => { const look = () => {"
            + " if ([...document.querySelectorAll('tbody tr')].some(row => row.textContent.includes(name))) {"
            + " resolve(Date.now()); } else { requestAnimationFrame(look); } }; look(); })";

    private static final String LONG_TASKS = "() => { window.tasks = []; new PerformanceObserver(list =>"
            + " list.getEntries().forEach(it => window.tasks.push(Math.round(it.duration))))"
            + ".observe({ type: 'longtask', buffered: true }); }";

    @Test
    void measure(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine);
                Chromium chromium = new Chromium();
                Window window = chromium.window(1280, 850, ColorScheme.LIGHT)) {
            berth.start("-g");
            Page page = window.page();
            page.navigate(berth.run("open", "--print").text());
            assertThat(page.getByText("Log out")).isVisible();
            String origin = page.evaluate("() => location.origin").toString();
            load(page, origin);
            SubmittedJob holder = berth.submit(berth.project("page.py"), "--num-gpus", "4", "page.py", "0.1");
            holder.awaitFile("result.json");
            changes(berth, page, origin);
            rows(berth, page, origin, holder);
            holder.open();
        }
    }

    private static void load(Page page, String origin) {
        List<Double> paints = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            page.navigate(origin + "/");
            assertThat(page.getByText("Log out")).isVisible();
            paints.add(number(
                    page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")));
        }
        Object bytes = page.evaluate("async () => { let sum = 0; const all = [location.pathname,"
                + " ...performance.getEntriesByType('resource').map(it => it.name).filter(it => !it.includes('/api/'))];"
                + " for (const url of all) { const answer = await fetch(url, { cache: 'reload' });"
                + " await answer.arrayBuffer();"
                + " sum += performance.getEntriesByName(answer.url).at(-1).encodedBodySize; } return sum; }");
        System.out.printf(
                "page: first paint %.0f ms (median of %d), %s bytes compressed%n", median(paints), ROUNDS, bytes);
    }

    private static void changes(Berth berth, Page page, String origin) {
        page.navigate(origin + "/");
        assertThat(page.getByLabel("Jobs that run")).isVisible();
        List<Double> delays = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            page.waitForTimeout(600);
            String name = "change-" + round;
            page.evaluate("name => { window.seen = (" + WATCH + ")(name); }", name);
            SubmittedJob job = berth.submit(request(name));
            double seen = number(page.evaluate("() => window.seen"));
            delays.add(seen
                    - Instant.parse(job.view().path("submittedAt").asText()).toEpochMilli());
        }
        System.out.printf(
                "page: from an event to the screen %.0f ms (median of %d), at most %.0f ms%n",
                median(delays),
                ROUNDS,
                delays.stream().mapToDouble(it -> it).max().orElse(0));
    }

    private static void rows(Berth berth, Page page, String origin, SubmittedJob holder) {
        for (int made = 0; made < JOBS; made++) {
            SubmittedJob _ = berth.submit(request("row " + made));
        }
        page.navigate(origin + "/jobs");
        assertThat(page.getByLabel("Table of jobs")).isVisible();
        page.evaluate(LONG_TASKS);
        for (int at = 0; at < 400; at++) {
            page.mouse().wheel(0, 900);
            page.waitForTimeout(30);
        }
        System.out.printf(
                "page: longest tasks while %d jobs scroll: %s ms%n",
                JOBS, page.evaluate("() => window.tasks.sort((a, b) => b - a).slice(0, 5)"));
        page.navigate(origin + "/jobs/" + holder.idText() + "?tab=log");
        page.evaluate(LONG_TASKS);
        page.waitForTimeout(2_000);
        System.out.printf(
                "page: longest tasks of a log with a line of 1 MB: %s ms%n",
                page.evaluate("() => window.tasks.sort((a, b) => b - a).slice(0, 5)"));
    }

    private static Map<String, Object> request(String name) {
        return Map.of("command", List.of("true"), "name", name, "gpus", 1, "image", Engine.IMAGE);
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(sorted.size() / 2);
    }
}
