package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.WithGpus;
import dev.berth.testclient.HookServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What receivers on this machine are told of real jobs, good receivers and bad ones, also where the server is killed. */
@SystemTest
class NoticesTest {
    private static final String MAIL_SERVER = "scheduler-server/src/test/resources/mail_server.py";
    private static final String PROGRAM = "task.py";
    private static final int JOBS = 2;
    private static final Duration SLOW = Duration.ofMillis(500);

    /** An attempt to send something may take half as long again. */
    private static final Duration SOON = Duration.ofSeconds(10);

    /** What a receiver got: of which moment, and under which name. */
    private record Told(String what, String id, boolean isRepeated) {
        static Told of(HookServer.Received received) {
            JsonNode notice = JsonReading.of(received.body());
            return new Told(
                    notice.path("job").path("id").asText() + " "
                            + notice.path("moment").asText(),
                    received.id(),
                    received.repeated());
        }

        /** Of mail the subject has the job and what came to it. */
        static Told of(JsonNode mail) {
            String[] words = mail.path("Subject").asText().split(" ");
            return new Told(
                    words[2] + (words[4].equals("ended:") ? " end" : " start"),
                    mail.path("Berth-Notice-Id").asText(),
                    mail.path("Berth-Notice-Repeated").asText().equals("true"));
        }
    }

    private final AtomicInteger broken = new AtomicInteger();
    private final AtomicInteger moved = new AtomicInteger();
    private final Set<String> taken = ConcurrentHashMap.newKeySet();

    /** Each comes to itself after a while, but for the one that is slow. */
    private int answer(HookServer.Received received) {
        int status = switch (received.path()) {
            case "/broken" -> broken.incrementAndGet() <= 2 ? 500 : 200;
            case "/moved" -> moved.incrementAndGet() <= 2 ? 302 : 204;
            default -> {
                Await.pass(SLOW);
                yield 200;
            }
        };
        if (status < 300) {
            taken.add(received.path() + received.id());
        }
        return status;
    }

    private static List<Told> told(HookServer hooks, String path) {
        return hooks.received().stream()
                .filter(received -> received.path().equals(path))
                .map(Told::of)
                .toList();
    }

    /** The port that it tells first, and behind it a line for each mail. */
    private static List<JsonNode> lines(Running mailServer) {
        return mailServer.said().lines().map(JsonReading::of).toList();
    }

    private static int port(Running mailServer) {
        Await.that("the mail server listens", () -> mailServer.said().contains("\n"));
        return lines(mailServer).getFirst().path("port").asInt();
    }

    private static List<Told> mails(Running mailServer) {
        return lines(mailServer).stream().skip(1).map(Told::of).toList();
    }

    private static void start(Berth berth, int mailPort) {
        List<String> words = new ArrayList<>(List.of("-g"));
        for (String setting : List.of(
                "allow=127.0.0.1",
                "mail-server=127.0.0.1",
                "mail-port=" + mailPort,
                "mail-security=none",
                "mail-from=berth@lab.example")) {
            words.addAll(List.of("--set", "notify." + setting));
        }
        berth.start(words.toArray(String[]::new));
    }

    private static SubmittedJob submit(Berth berth, ProjectDirectory project, List<String> receivers, String... words) {
        List<String> all = new ArrayList<>(List.of(PROGRAM));
        receivers.forEach(receiver -> all.addAll(List.of("--notify", receiver)));
        all.addAll(List.of(words));
        return berth.submit(project, all.toArray(String[]::new));
    }

    /** Of what nobody saw running, as no server was there, only the end is told. */
    private static void awaitSeenRunning(Berth berth, String task) {
        Await.that(
                task + " is seen running",
                () -> berth.api().get("/jobs/" + task + "/events").text().contains("\"to\":\"RUNNING\""));
    }

    /** Each is told under one name, and what comes again under that name says so. */
    private static void assertTold(Set<String> expected, List<Told> told) {
        Set<String> ids = new HashSet<>();
        for (Told one : told) {
            assertThat(ids.add(one.id()) || one.isRepeated())
                    .as("a repetition says so: %s", one)
                    .isTrue();
        }
        assertThat(told.stream().map(Told::what).distinct()).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(ids).hasSameSizeAs(expected);
    }

    private static boolean isTold(Set<String> expected, List<Told> told) {
        return told.stream().map(Told::what).distinct().count() == expected.size();
    }

    @Test
    void nobodyIsToldWhileThatIsOff(@WithGpus(4) Engine engine) {
        try (Berth berth = Berth.on(engine);
                HookServer hooks = new HookServer(_ -> 200)) {
            String[] on = {"-g", "--set", "notify.allow=127.0.0.1"};
            berth.start(on);
            Ran added = berth.run("notify", "add", hooks.url() + "any").expect(0);
            assertThat(added.out()).isNotBlank();
            berth.stop();
            berth.start("-g", "--set", "notify.allow=127.0.0.1", "--set", "notify.enabled=false");
            SubmittedJob _ = berth.submit(berth.project(PROGRAM), "true").awaitCompleted();
            Await.pass(SLOW.multipliedBy(2));
            assertThat(hooks.received()).isEmpty();
            berth.stop();
            berth.start(on);
            Await.that("it is told then", () -> hooks.received().size() == 1);
        }
    }

    @Test
    void eachNoticeArrivesWhereverTheServerIsKilled(@WithGpus(4) Engine engine) {
        Command mailServer =
                Command.of("/usr/bin/python3", Product.ROOT.resolve(MAIL_SERVER).toString());
        try (Berth berth = Berth.on(engine);
                Running mails = mailServer.start();
                HookServer hooks = new HookServer(this::answer)) {
            start(berth, port(mails));
            ProjectDirectory project = berth.project(PROGRAM);
            List<String> receivers = new ArrayList<>(List.of("start,end:mail:ada@lab.example"));
            List.of("slow", "broken", "moved").forEach(path -> receivers.add("start,end:" + hooks.url() + path));
            Set<String> expected = new HashSet<>();
            for (int i = 0; i < JOBS; i++) {
                String job = submit(berth, project, receivers, "--num-gpus", "1", "--array", "0-1", "--", "1")
                        .idText();
                expected.addAll(List.of(job + " start", job + " end"));
                awaitSeenRunning(berth, job + "_0");
            }
            Await.that("the slow one is being told", () -> !told(hooks, "/slow").isEmpty());
            berth.kill();
            start(berth, port(mails));

            for (String path : List.of("/slow", "/broken", "/moved")) {
                Await.that(
                        path + " has all",
                        () -> taken.stream()
                                        .filter(each -> each.startsWith(path))
                                        .count()
                                == expected.size());
                assertTold(expected, told(hooks, path));
            }
            Await.that("each mail is there", () -> isTold(expected, mails(mails)));
            assertTold(expected, mails(mails));
            assertThat(hooks.received())
                    .filteredOn(received -> received.body().contains("\"moment\":\"end\""))
                    .allSatisfy(received -> assertThat(JsonReading.of(received.body())
                                    .path("job")
                                    .path("tasks")
                                    .toString())
                            .isEqualTo("{\"COMPLETED\":2}"));
        }
    }

    @Test
    void aReceiverThatHangsHoldsUpNeitherJobsNorTheEndOfTheServer(@WithGpus(4) Engine engine) throws IOException {
        try (Berth berth = Berth.on(engine);
                ServerSocket hanging = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            start(berth, 1);
            String receiver = "start,end:http://127.0.0.1:" + hanging.getLocalPort() + "/";
            SubmittedJob job = submit(berth, berth.project(PROGRAM), List.of(receiver), "--repeat", "2", "--", "0");
            hanging.accept().close();
            job.awaitCompleted();

            long begin = System.nanoTime();
            berth.stop();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(SOON);
        }
    }
}
