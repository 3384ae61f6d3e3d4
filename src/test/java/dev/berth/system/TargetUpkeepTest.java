package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.KubernetesSite;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SlurmSite;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.testclient.HookServer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What stays with Berth's own server for jobs that run elsewhere: who is told of them, how much of them is kept, for how long, and their
 * order where they are given one at a time.
 */
@SystemTest
class TargetUpkeepTest {
    private static final String KUBERNETES = "k8s";
    private static final String SLURM = "cluster";

    /** As most clusters are. */
    private static final Map<String, String> BACKFILL = Map.of("BERTH_TEST_SCHEDULER", "backfill");

    private static final String[] SETTINGS = {"--set", "notify.allow=127.0.0.1", "--set", "snapshots.quota=2m"};

    /** Submits a program, follows it to its end, and says how that was. */
    private static final String HANDLE = """
            import berth, sys
            target, image = sys.argv[1:]
            job = berth.submit(None, ["sh", "-c", "echo said; exit 3"], target=target, image=image or None)
            lines = list(job.follow())
            print(job.target, job.wait().state, job.exit_code, lines)
            print([it.name for it in berth.targets()])
            """;

    private static final KubernetesSite CLUSTER = KubernetesSite.start();
    private static final SlurmSite SITE = SlurmSite.start("upkeep", BACKFILL);
    private static final Berth BERTH = SITE.serve(Berth.on(Engine.ofMachine()), SETTINGS);
    private static final Berth BERTH_OF_CLUSTER = CLUSTER.serve(Berth.on(Engine.ofMachine()), SETTINGS);

    @AfterAll
    static void stop() {
        try (SITE;
                CLUSTER;
                BERTH;
                BERTH_OF_CLUSTER) {
            // They are closed whatever comes of each.
        }
    }

    private static Berth berth(String target) {
        return isOfKubernetes(target) ? BERTH_OF_CLUSTER : BERTH;
    }

    private static boolean isOfKubernetes(String target) {
        return target.startsWith(KUBERNETES);
    }

    private static void restart(String target, String... options) {
        berth(target).kill();
        if (isOfKubernetes(target)) {
            CLUSTER.restart(BERTH_OF_CLUSTER, options);
        } else {
            SITE.restart(BERTH, options);
        }
    }

    private static Ran ada(String target, String... words) {
        return SITE.as(SITE.ada(), berth(target), words).run();
    }

    private static List<String> words(String target, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        if (isOfKubernetes(target)) {
            all.addAll(1, List.of("--image", Engine.IMAGE));
        }
        return all;
    }

    private static SubmittedJob submit(String target, ProjectDirectory project, String... words) {
        return SITE.submit(
                SITE.ada(), berth(target), target, project, words(target, words).toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {SLURM, KUBERNETES})
    void whoIsToldOfJobsIsToldOfThese(String target) {
        try (HookServer hooks = new HookServer(_ -> 200)) {
            SubmittedJob job = submit(
                    target,
                    berth(target).project("whoami.py"),
                    "sh",
                    "--notify",
                    "start,end:" + hooks.url() + "told",
                    "--",
                    "-c",
                    "sleep 3; exit 4");
            job.await("FAILED");
            Await.that("its end is told", () -> hooks.received().size() == 2);
            List<JsonNode> told = hooks.received().stream()
                    .map(received -> JsonReading.of(received.body()))
                    .toList();
            assertThat(told)
                    .extracting(notice -> notice.path("moment").asText())
                    .containsExactly("start", "end");
            JsonNode ended = told.getLast().path("job");
            assertThat(ended.path("id").asLong()).isEqualTo(job.id());
            assertThat(ended.path("exitCode").asInt()).isEqualTo(4);
        }
    }

    private static ProjectDirectory large(Berth berth, String word) {
        return berth.project().file("data", word.repeat(1_400_000 / word.length()));
    }

    @ParameterizedTest
    @ValueSource(strings = {SLURM, KUBERNETES})
    void theRoomOfAUsersDirectoriesIsTheSame(String target) {
        SubmittedJob first =
                submit(target, large(berth(target), "first"), "true").awaitCompleted();
        List<String> line = words(
                target, "submit", target, large(berth(target), "second").path().toString(), "true");
        Ran refused = ada(target, line.toArray(String[]::new)).expect(2);
        assertThat(refused.err()).contains("of the 2 MiB that one user may have");

        SubmittedJob small =
                submit(target, berth(target).project("whoami.py"), "whoami.py").awaitCompleted();
        assertThat(small.id()).as("nothing was queued between").isEqualTo(first.id() + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {SLURM, KUBERNETES})
    void endedJobsAreKeptAsLongAsOthersAndThoseThatRunAreNotTouched(String target) {
        ProjectDirectory project = berth(target).project("term.py", "whoami.py");
        SubmittedJob running = submit(target, project, "term.py").await("RUNNING");
        SubmittedJob old = submit(target, project, "whoami.py").awaitCompleted();
        SubmittedJob last = submit(target, project, "whoami.py").awaitCompleted();
        restart(target, SETTINGS[0], SETTINGS[1], SETTINGS[2], SETTINGS[3], "--set", "retention.jobs=1");

        Await.that(
                "the oldest is deleted",
                () -> ada(target, "status", old.idText()).exitCode() == 1);
        Await.that("its files are, too", () -> !Files.exists(old.output()));
        assertThat(ada(target, "logs", last.idText()).expect(0).out()).contains("I am");
        assertThat(running.state()).isEqualTo("RUNNING");
        Ran _ = ada(target, "cancel", running.idText()).expect(0);
        running.await("CANCELLED");
    }

    /** Both let a job start that fits before an earlier one that does not. */
    @ParameterizedTest
    @ValueSource(strings = {"big", KUBERNETES})
    void givenOneAtATimeJobsKeepTheirOrderAtAnEngineThatKeepsNone(String target) {
        String single = target + "-single";
        assertThat(ada(target, "targets").expect(0).lines())
                .filteredOn(line -> line.startsWith(single + " "))
                .singleElement()
                .asString()
                .endsWith("first in, first out: it is given one job at a time");
        ProjectDirectory project = berth(target).project("term.py");
        SubmittedJob running = submit(target, project, "term.py", "--num-gpus", "2", "--time", "10m")
                .await("RUNNING");
        List<SubmittedJob> jobs = Stream.of("4", "3", "1")
                .map(gpus -> submit(single, project, "true", "--num-gpus", gpus, "--time", "1m"))
                .toList();
        assertKept(jobs);
        SubmittedJob _ = submit(target, project, "true", "--num-gpus", "1", "--time", "1m")
                .awaitCompleted();
        restart(target, SETTINGS);
        assertKept(jobs);

        Ran _ = ada(target, "cancel", running.idText()).expect(0);
        jobs.forEach(SubmittedJob::awaitCompleted);
        assertThat(handOversAndEnds(jobs))
                .containsExactlyElementsOf(jobs.stream()
                        .flatMap(job -> Stream.of(job.id() + " HandedOver", job.id() + " COMPLETED"))
                        .toList());
    }

    /** The first waits at the engine, and the others here. */
    private static void assertKept(List<SubmittedJob> jobs) {
        jobs.getFirst().awaitReason("AT_TARGET");
        jobs.subList(1, jobs.size()).forEach(job -> job.awaitReason("TARGET_FULL"));
    }

    /** In their order. */
    private static List<String> handOversAndEnds(List<SubmittedJob> jobs) {
        List<Long> ids = jobs.stream().map(SubmittedJob::id).toList();
        return jobs.getFirst()
                .berth()
                .api()
                .get("/events")
                .text()
                .lines()
                .filter(line -> line.startsWith("data: "))
                .map(line -> JsonReading.of(line.substring("data: ".length())))
                .filter(event -> ids.contains(event.path("job").asLong()))
                .flatMap(event -> event.path("event").asText().equals("HandedOver")
                        ? Stream.of(event.path("job") + " HandedOver")
                        : event.path("to").asText().equals("COMPLETED")
                                ? Stream.of(event.path("job") + " COMPLETED")
                                : Stream.empty())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {SLURM, KUBERNETES})
    void pythonsHandleIsTheSame(String target) {
        Ran ran = Command.python(HANDLE, target, target.equals(KUBERNETES) ? Engine.IMAGE : "")
                .as(SITE.ada())
                .with(Map.of(
                        "BERTH_SOCKET",
                        berth(target).dataDirectory().resolve("berth.sock").toString(),
                        "PYTHONPATH",
                        Product.ROOT.resolve("python/src").toString(),
                        "PYTHONDONTWRITEBYTECODE",
                        "1"))
                .run()
                .expect(0);
        assertThat(ran.lines().getFirst()).isEqualTo(target + " FAILED 3 ['said']");
        assertThat(ran.lines().getLast()).contains("'" + target + "'");
    }
}
