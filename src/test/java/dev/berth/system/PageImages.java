package dev.berth.system;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Chromium;
import dev.berth.system.fixture.Chromium.Window;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Makes the pictures of the page in {@code docs/images}: no test, and run by {@code mvn verify -pl src/test -am
 * -DskipTests -Dit.test=PageImages -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@SystemTest
class PageImages {
    private static final Path IMAGES = Product.ROOT.resolve("docs/images");

    /** A picture: of which address, how wide and high, and in which colours. */
    private record Picture(String name, String path, int width, int height, ColorScheme scheme) {}

    private static List<Picture> pictures(SubmittedJob job, String compared) {
        String base = "/jobs/" + job.idText();
        return List.of(
                new Picture("now", "/", 1200, 700, ColorScheme.LIGHT),
                new Picture("now-dark", "/", 1200, 700, ColorScheme.DARK),
                new Picture("now-phone", "/", 360, 720, ColorScheme.LIGHT),
                new Picture("jobs", "/jobs?columns=lr,acc", 1200, 520, ColorScheme.LIGHT),
                new Picture("job", base, 1200, 560, ColorScheme.LIGHT),
                new Picture("metrics", base + "?tab=metrics", 1200, 640, ColorScheme.DARK),
                new Picture("log", base + "?tab=log", 1200, 640, ColorScheme.LIGHT),
                new Picture("compare", "/compare?jobs=" + compared, 1200, 1000, ColorScheme.LIGHT));
    }

    @Test
    void make(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine);
                Chromium chromium = new Chromium()) {
            berth.start("-g");
            List<SubmittedJob> jobs = new ArrayList<>();
            for (String rate : List.of("0.02", "0.05", "0.1", "0.2")) {
                jobs.add(submit(berth, "1", "resnet lr=" + rate, rate));
            }
            jobs.forEach(job -> job.awaitFile("result.json"));
            submit(berth, "2", "vit-large", "0.01");
            submit(berth, "1", "baseline", "0.01");
            String compared =
                    String.join(",", jobs.stream().map(SubmittedJob::idText).toList());
            for (Picture picture : pictures(jobs.getFirst(), compared)) {
                take(berth, chromium, picture);
            }
            berth.run("cancel", "5", "6");
            jobs.forEach(SubmittedJob::open);
        }
    }

    private static SubmittedJob submit(Berth berth, String gpus, String name, String rate) {
        return berth.submit(
                berth.project("page.py"),
                "--num-gpus",
                gpus,
                "--name",
                name,
                "--project",
                "vision",
                "--time",
                "2h",
                "page.py",
                rate);
    }

    private static void take(Berth berth, Chromium chromium, Picture picture) {
        try (Window window = chromium.window(picture.width, picture.height, picture.scheme)) {
            Page page = window.page();
            page.navigate(berth.run("open", "--print").text());
            assertThat(page.getByText("Log out")).isVisible();
            page.navigate(page.evaluate("() => location.origin") + picture.path);
            assertThat(page.getByText("Loading")).hasCount(0);
            page.waitForTimeout(1_500);
            page.screenshot(new Page.ScreenshotOptions().setPath(IMAGES.resolve(picture.name + ".png")));
        }
    }
}
