package dev.berth.system.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.berth.system.fixture.Berth;
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
                new Picture("compare", "/compare?sort=-acc&jobs=" + compared, 1200, 760, ColorScheme.LIGHT));
    }

    /** Each is one run: lr, batch and depth. */
    private static final List<String> RUNS =
            List.of("0.01 64 18", "0.02 128 34", "0.05 64 50", "0.05 256 18", "0.1 128 50", "0.2 64 34", "0.2 256 50");

    @Test
    void make(@WithGpus(4) Engine engine) {
        try (PageServer server = PageServer.start(engine)) {
            List<SubmittedJob> runs = RUNS.stream()
                    .map(run -> submit(server.berth(), "1", "resnet", run))
                    .toList();
            runs.forEach(SubmittedJob::awaitCompleted);
            SubmittedJob large = submit(server.berth(), "2", "vit-large", "0.03 128 48 gate");
            submit(server.berth(), "1", "resnet-101", "0.05 64 101 gate").awaitFile("result.json");
            large.awaitFile("result.json");
            submit(server.berth(), "2", "vit-huge", "0.02 64 64");
            submit(server.berth(), "1", "baseline", "0.01 64 50");
            String compared =
                    String.join(",", runs.stream().map(SubmittedJob::idText).toList());
            for (Picture picture : pictures(large, compared)) {
                take(server, picture);
            }
        }
    }

    private static SubmittedJob submit(Berth berth, String gpus, String name, String words) {
        List<String> all = new ArrayList<>(
                List.of("--num-gpus", gpus, "--name", name, "--project", "vision", "--time", "2h", "train.py"));
        all.addAll(List.of(words.split(" ")));
        return berth.submit(berth.project("train.py"), all.toArray(String[]::new));
    }

    private static void take(PageServer server, Picture picture) {
        try (Window window = server.window(picture.width, picture.height, picture.scheme)) {
            Page page = server.logIn(window);
            PageServer.go(page, picture.path);
            assertThat(page.getByText("Loading")).hasCount(0);
            page.waitForTimeout(1_500);
            page.screenshot(new Page.ScreenshotOptions().setPath(IMAGES.resolve(picture.name + ".png")));
        }
    }
}
