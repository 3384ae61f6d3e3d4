package dev.berth.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Api;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.UnixUser;
import dev.berth.testclient.TestClient;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Bob does to the server's listeners, and what Ada, root and the health check notice of it. */
@SystemTest
class ConnectionsTest {
    /** Opens so many connections to a port, sends the same on each, and holds those that are left open. */
    private static final String HOLD = """
            import signal, socket, sys
            held = []
            for _ in range(int(sys.argv[2])):
                one = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
                try:
                    one.sendall(sys.argv[3].encode("latin-1").decode("unicode_escape").encode("latin-1"))
                except OSError:
                    pass
                held.append(one)
            print("held", flush=True)
            signal.pause()
            """;

    /** Opens so many connections to a port, each from a loopback address of its own, silent; then a hundred a second. */
    private static final String SPREAD = """
            import itertools, socket, sys, time
            held = []
            for i in itertools.count():
                one = socket.socket()
                one.bind(("127.0.%d.%d" % (1 + i // 250 % 250, 1 + i % 250), 0))
                one.connect(("127.0.0.1", int(sys.argv[1])))
                held.append(one)
                held = held[-int(sys.argv[2]):]
                if i == int(sys.argv[2]):
                    print("held", flush=True)
                if i >= int(sys.argv[2]):
                    time.sleep(0.01)
            """;

    private static final Path INSTALLED = TestFiles.folder();
    private static final Path PROGRAM = INSTALLED.resolve("berth/bin/berth");
    private static final UnixUser ADA = UnixUser.create("berth-conn-ada");
    private static final UnixUser BOB = UnixUser.create("berth-conn-bob");
    private static final Berth BERTH = Berth.on(Engine.ofMachine());
    private static String url = "";
    private static String token = "";

    @BeforeAll
    static void start() {
        TestFiles.copyTree(Product.DISTRIBUTION, INSTALLED.resolve("berth"));
        BERTH.start();
        url = BERTH.run("server", "status", "--json").json().path("url").asText();
        token = token(ADA);
    }

    @AfterAll
    static void stop() {
        BERTH.close();
        List.of(ADA, BOB).forEach(UnixUser::close);
        TestFiles.deleteTree(INSTALLED);
    }

    private static String token(UnixUser user) {
        return as(user, "token", "create", "-q").run().expect(0).text();
    }

    private static Command as(UnixUser user, String... words) {
        return Command.of(PROGRAM, "--data-dir", BERTH.dataDirectory().toString())
                .and(words)
                .as(user);
    }

    private static Running hold(int count, String sent) {
        return hold(HOLD, Integer.toString(count), sent);
    }

    private static Running hold(String program, String... words) {
        String port = Integer.toString(URI.create(url).getPort());
        Running holding = Command.python(program, port).and(words).as(BOB).start();
        Await.that("the connections are there", () -> holding.said().contains("held"));
        return holding;
    }

    /** Everybody but Bob is answered as ever. */
    private static void assertServed() {
        assertThat(Api.tcp(url, "GET", "/health").status()).isEqualTo(200);
        assertThat(Api.tcp(url, "GET", "/jobs", Map.of("Authorization", "Bearer " + token))
                        .status())
                .isEqualTo(200);
        Ran _ = as(ADA, "ps").run().expect(0);
        assertThat(BERTH.api().get("/server").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "GET /api/v1/jobs HTTP/1.1\\r\\nHost: loc",
                "GET /api/v1/health HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n",
                "POST /api/v1/jobs HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 99\\r\\n\\r\\n{"
            })
    void whoSaysNothingOfThemselvesKeepsNobodyOut(String sent) {
        try (Running _ = hold(600, sent)) {
            assertServed();
            assertServed();
        }
    }

    /** What has an address of its own is not spared for it, and who asks is answered. */
    @Test
    void whoComesFromAllLoopbackAddressesKeepsNobodyOut() {
        try (Running _ = hold(SPREAD, "400")) {
            for (int i = 0; i < 5; i++) {
                assertServed();
            }
        }
    }

    @Test
    void oneUsersFollowersKeepNobodyOut() {
        String follow = "GET /api/v1/events?follow=true HTTP/1.1\\r\\nHost: localhost\\r\\nAuthorization: Bearer "
                + token(BOB) + "\\r\\n\\r\\n";
        try (Running _ = hold(200, follow)) {
            assertServed();
        }
        assertServed();
    }

    @Test
    void whatIsNoRequestIsRefusedAndNotLogged() {
        List<SocketAddress> ways = List.of(
                UnixDomainSocketAddress.of(BERTH.api().socket()),
                new InetSocketAddress(URI.create(url).getHost(), URI.create(url).getPort()));
        for (String path : List.of("/health", "/jobs", "/jobs/1/log", "/server", "/nothing", "/../..")) {
            for (String query : List.of("x=%ff", "x=%", "x=%u00e9", "%zz=1")) {
                String target = "/api/v1" + path + "?" + query;
                for (SocketAddress way : ways) {
                    assertThat(TestClient.odd(way, "GET", target).status())
                            .as(target)
                            .isEqualTo(400);
                }
            }
        }
        assertThat(BERTH.api()
                        .send("POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
                                .getBytes(StandardCharsets.US_ASCII))
                        .status())
                .isEqualTo(400);
        // Broken off in the middle of a body.
        hold(20, "POST /api/v1/tokens HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 99\\r\\n\\r\\n{")
                .close();
        assertServed();
        assertThat(TestFiles.read(BERTH.dataDirectory().resolve("server.log")))
                .doesNotContain("ERROR")
                .doesNotContain("\tat ");
    }
}
