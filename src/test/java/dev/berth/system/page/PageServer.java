package dev.berth.system.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Chromium;
import dev.berth.system.fixture.Chromium.Window;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.SubmittedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A server and a browser before it, which the tests of a class share; each test has its own jobs and its own window. */
final class PageServer implements AutoCloseable {
    private final Berth berth;
    private final Chromium chromium = new Chromium();

    private PageServer(Berth berth) {
        this.berth = berth;
    }

    static PageServer start(Engine engine) {
        return start(Berth.on(engine), Map.of());
    }

    /** The same with these variables in the server's environment. */
    static PageServer start(Berth berth, Map<String, String> variables) {
        PageServer server = new PageServer(berth);
        berth.start(variables, "-g");
        return server;
    }

    Berth berth() {
        return berth;
    }

    Window window() {
        return window(1280, 850, ColorScheme.LIGHT);
    }

    Window window(int width, int height, ColorScheme scheme) {
        return chromium.window(width, height, scheme);
    }

    /** Opens the page as {@code berth open ID} does. */
    Page logIn(Window window, String... id) {
        Chromium.open(window.page(), link(id));
        assertThat(window.button("Log out")).isVisible();
        return window.page();
    }

    /** The address that {@code berth open ID} prints. */
    String link(String... id) {
        return berth.command("open", "--print").and(id).run().expect(0).text();
    }

    /** Goes to a part of the page that has been opened. */
    static void go(Page page, String path) {
        Chromium.open(page, origin(page) + path);
        assertThat(page.locator("main")).isVisible();
    }

    private static String origin(Page page) {
        return page.evaluate("() => location.origin").toString();
    }

    /** A job of page.py, which shows all that a page has a place for, and waits at its gate. */
    SubmittedJob submit(String gpus, String name) {
        return submit(gpus, name, "0.1");
    }

    /** The same with this as its parameter {@code lr}. */
    SubmittedJob submit(String gpus, String name, String rate) {
        return berth.submit(
                berth.project("page.py"), "--num-gpus", gpus, "--name", name, "--project", "vision", "page.py", rate);
    }

    /** A job that does nothing, if it ever runs. */
    SubmittedJob submitIdle(String name) {
        return berth.submit(Map.of("command", List.of("true"), "name", name, "gpus", 1, "image", Engine.IMAGE));
    }

    /** The same, which waits for a time that does not come. */
    SubmittedJob submitLater(String name) {
        return berth.submit(Map.of(
                "command",
                List.of("true"),
                "name",
                name,
                "gpus",
                1,
                "image",
                Engine.IMAGE,
                "begin",
                Instant.now().plus(Duration.ofDays(1)).toString()));
    }

    /** Nothing that a job, a name or a note says was run, the policy refused nothing, and no other host was asked. */
    static void assertHarmless(Window window) {
        assertThat(window.page().evaluate("() => window.hacked === undefined")).isEqualTo(true);
        assertThat(window.complaints()).isEmpty();
        String origin = origin(window.page());
        assertThat(window.requests()).allMatch(url -> url.startsWith(origin + "/") || url.startsWith("blob:" + origin));
    }

    @Override
    public void close() {
        chromium.close();
        berth.close();
    }
}
