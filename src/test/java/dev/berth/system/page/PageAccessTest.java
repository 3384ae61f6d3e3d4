package dev.berth.system.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.Cookie;
import com.microsoft.playwright.options.SameSiteAttribute;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Chromium;
import dev.berth.system.fixture.Chromium.Window;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.WithGpus;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Who may look at the page, and how a browser comes in. */
@SystemTest
class PageAccessTest {
    private static final String PASSWORD = "a long password";

    @Test
    void aLinkOpensItOnceAndALogOutEndsIt(@WithGpus(4) Engine engine) {
        try (PageServer server = PageServer.start(engine);
                Window first = server.window();
                Window second = server.window()) {
            String link = server.link();
            Chromium.open(first.page(), link);
            assertThat(first.page().getByText("No job yet.")).isVisible();
            assertThat(first.page().url()).doesNotContain("link");
            Chromium.open(second.page(), link);
            assertThat(second.page().getByLabel("Token")).isVisible();

            second.page().getByLabel("Token").fill("berth_no_token");
            second.button("Log in").click();
            assertThat(second.page().getByText("this server knows no such token"))
                    .isVisible();
            second.page()
                    .getByLabel("Token")
                    .fill(server.berth().run("token", "create", "-q").text());
            second.button("Log in").click();
            assertThat(second.button("Log out")).isVisible();

            first.button("Log out").click();
            assertThat(first.page().getByLabel("Token")).isVisible();
            Chromium.open(first.page(), first.page().url());
            assertThat(first.page().getByLabel("Token")).isVisible();
            assertThat(second.complaints()).isEmpty();
        }
    }

    @Test
    void theWallNeedsNoLoginWhereReadingIsAllowedAndOverTlsTheCookieIsForTlsAlone(@WithGpus(4) Engine engine) {
        Berth berth = Berth.on(engine);
        try (PageServer server = PageServer.start(berth, settings(berth));
                Window wall = server.window();
                Window user = server.window()) {
            SubmittedJob job = server.submitLater("on the wall");
            String link = server.link();
            assertThat(link).startsWith("https://");
            breakOffEachFirstTime(wall.page());
            Chromium.open(wall.page(), link.replaceFirst("/#.*", "/wall"));
            assertThat(wall.page().getByLabel("Jobs that wait")).containsText("on the wall");
            assertThat(wall.page().getByRole(AriaRole.ARTICLE)).hasCount(4);
            assertThat(wall.page().getByRole(AriaRole.BUTTON)).hasCount(0);
            berth.run("hold", job.idText());
            assertThat(wall.page().getByLabel("Jobs that wait")).containsText("HELD");
            wall.page().unrouteAll();
            assertThat(answer(wall.page(), "GET", "/jobs/" + job.idText() + "/log"))
                    .isEqualTo(401);
            assertThat(answer(wall.page(), "POST", "/jobs/" + job.idText() + "/cancel"))
                    .isEqualTo(401);
            assertThat(wall.cookies()).isEmpty();
            PageServer.assertHarmless(wall);

            breakOffEachFirstTime(user.page());
            Chromium.open(user.page(), link);
            assertThat(user.button("Log out")).isVisible();
            assertThat(user.cookies()).hasSize(1);
            Cookie cookie = user.cookies().getFirst();
            assertThat(cookie.name).startsWith("__Host-berth_");
            assertThat(cookie.secure).isTrue();
            assertThat(cookie.httpOnly).isTrue();
            assertThat(cookie.sameSite).isEqualTo(SameSiteAttribute.STRICT);
            assertThat(user.page().evaluate("() => document.cookie")).isEqualTo("");
            user.button("Release job " + job.idText()).click();
            assertThat(user.button("Hold job " + job.idText())).isVisible();
            job.await("QUEUED");
            user.button("Log out").click();
            assertThat(user.page().getByLabel("Token")).isVisible();
            assertThat(user.cookies()).isEmpty();
            user.page().unrouteAll();
            PageServer.assertHarmless(user);
        }
    }

    /** As browsers do when a network interface comes or goes while they ask. */
    private static void breakOffEachFirstTime(Page page) {
        Set<String> asked = ConcurrentHashMap.newKeySet();
        page.route("**/api/v1/**", route -> {
            if (asked.add(route.request().url())) {
                route.abort("connectionreset");
            } else {
                route.resume();
            }
        });
    }

    /** TLS with a key of its own, and reading for everybody. */
    private static Map<String, String> settings(Berth berth) {
        Path store = berth.home().resolve("store.p12");
        Command.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool"),
                        "-genkeypair",
                        "-alias",
                        "berth",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .run()
                .expect(0);
        TestFiles.allow(store, "rw-------");
        Path password = TestFiles.write(berth.home().resolve("password"), PASSWORD + "\n");
        TestFiles.allow(password, "rw-------");
        return Map.of(
                "BERTH_TLS_KEY_STORE",
                store.toString(),
                "BERTH_TLS_KEY_STORE_PASSWORD_FILE",
                password.toString(),
                "BERTH_ACCESS_ANONYMOUS",
                "read");
    }

    /** The status that the server answers the page's own script. */
    private static Object answer(Page page, String method, String path) {
        return page.evaluate(
                "async ([method, path]) => (await fetch('/api/v1' + path, { method })).status", List.of(method, path));
    }
}
