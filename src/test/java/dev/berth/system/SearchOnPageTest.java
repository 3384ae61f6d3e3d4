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
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the page finds and sorts although it has not loaded it, in a real browser. */
@SystemTest
class SearchOnPageTest {
    private static Chromium chromium;

    @BeforeAll
    static void open() {
        chromium = new Chromium();
    }

    @AfterAll
    static void close() {
        chromium.close();
    }

    private static Map<String, Object> request(String name, int gpus, String... command) {
        return Map.of("command", List.of(command), "name", name, "gpus", gpus, "image", Engine.IMAGE);
    }

    private static Page at(Berth berth, Window window, String path) {
        Chromium.open(window.page(), berth.run("open", "--print").text());
        assertThat(window.page().getByText("Log out")).isVisible();
        Chromium.open(window.page(), window.page().evaluate("() => location.origin") + path);
        return window.page();
    }

    @Test
    void aSortGoesOverAllJobs(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine);
                Window window = chromium.window(1280, 850, ColorScheme.LIGHT)) {
            berth.start("-g");
            SubmittedJob holder = berth.submit(request("holder", 1, "sleep", "600"));
            holder.await("RUNNING");
            for (int job = 0; job < 260; job++) {
                SubmittedJob _ = berth.submit(request("job-%03d".formatted(job), 1, "true"));
            }
            Page page = at(berth, window, "/jobs");
            Locator first = page.locator("[data-row='0']");
            assertThat(first).containsText("job-259");
            page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Name"))
                    .click();
            assertThat(first).containsText("holder");
            assertThat(page.locator("[data-row='1']")).containsText("job-000");
            page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Name"))
                    .click();
            assertThat(first).containsText("job-259");
            assertThat(page.url()).endsWith("/jobs?sort=-name");
            page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("State"))
                    .click();
            assertThat(first).containsText("job-000");
            assertThat(window.complaints()).isEmpty();
        }
    }

    @Test
    void aLogIsSearchedAlsoWhereItIsNotLoaded(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine);
                Window window = chromium.window(1280, 850, ColorScheme.LIGHT)) {
            berth.start("-g");
            SubmittedJob job = berth.submit(request(
                    "long",
                    0,
                    "sh",
                    "-c",
                    "echo; seq 100000 200000; echo a NEEDLE first; seq 1000000 1400000; echo needle last; seq 9"));
            job.awaitCompleted();
            Page page = at(berth, window, "/jobs/" + job.idText() + "?tab=log");
            assertThat(page.getByText("1400000")).isVisible();
            page.getByLabel("Search the whole log").fill("needle");
            assertThat(page.locator("span[role='status']")).hasText("2 lines");
            page.getByLabel("Search the whole log").press("Enter");
            assertThat(page.locator("span[role='status']")).hasText("1 of 2");
            assertThat(page.locator(".row.hit")).hasText("a NEEDLE first");
            assertThat(page.locator(".row.hit")).isInViewport();
            assertThat(page.getByText("200000", new Page.GetByTextOptions().setExact(true)))
                    .isVisible();
            assertThat(page.getByText("Show later lines")).isVisible();
            page.getByLabel("Search the whole log").press("Enter");
            assertThat(page.locator("span[role='status']")).hasText("2 of 2");
            assertThat(page.locator(".row.hit")).hasText("needle last");
            assertThat(page.locator(".row.hit")).isInViewport();
            // The log stays in its place when its last lines come late.
            page.evaluate("""
                    () => {
                        const asked = window.fetch;
                        window.fetch = async (request, ...rest) => {
                            if (String(request.url ?? request).includes('tail=')) {
                                await new Promise(resolve => setTimeout(resolve, 1500));
                            }
                            return asked(request, ...rest);
                        };
                    }""");
            page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Follow"))
                    .click();
            // Its lower end is below that of the window.
            page.locator(".log").evaluate("box => box.scrollIntoView({ block: 'end' })");
            assertThat(page.getByText("9", new Page.GetByTextOptions().setExact(true)))
                    .isInViewport();
            assertThat(window.complaints()).isEmpty();
        }
    }
}
