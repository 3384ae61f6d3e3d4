package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.KubernetesSite;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SlurmSite;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.TestTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each verb does with jobs of this machine's own queue, with those of a Slurm cluster, and of a Kubernetes cluster. */
@SystemTest
class TargetVerbsTest {
    /** What an engine has heard, it tells some seconds later. */
    private static final Set<String> ASKING = Set.of("ps", "status", "explain", "logs", "metrics");

    private static final String KUBERNETES = "k8s";
    private static final String SHARED = "k8s-shared";
    private static final String FETCHING = "k8s-fetch";
    private static final String[] PROFILES = {
        "--set", "profiles.file=" + Product.ROOT.resolve("src/test/resources/targets/profiles.yaml")
    };
    private static final KubernetesSite CLUSTER = KubernetesSite.start();
    private static final SlurmSite SITE = SlurmSite.start("verbs");
    private static final Berth BERTH = SITE.serve(Berth.on(Engine.ofMachine()), PROFILES);
    private static final Berth BERTH_OF_CLUSTER = CLUSTER.serve(Berth.on(Engine.ofMachine()), PROFILES);
    private static final ProjectDirectory PROJECT = BERTH.project("whoami.py", "term.py");
    private static final Map<String, Map<String, String>> NAMES = new TreeMap<>();

    @AfterAll
    static void stop() {
        try (SITE;
                CLUSTER;
                BERTH;
                BERTH_OF_CLUSTER) {
            NAMES.clear();
        }
    }

    private static Berth berth(String target) {
        return target.startsWith(KUBERNETES) ? BERTH_OF_CLUSTER : BERTH;
    }

    /** A target's jobs: one that has ended, one that runs on all GPUs, and one behind it. */
    private static Map<String, String> names(String target) {
        SubmittedJob ended = submit(target, "whoami.py").awaitCompleted();
        SubmittedJob running = submit(target, "term.py", "--num-gpus", "4").await("RUNNING");
        SubmittedJob waiting = submit(target, "whoami.py", "--num-gpus", "1");
        return Map.of(
                "{ENDED}", ended.idText(),
                "{RUNNING}", running.idText(),
                "{WAITING}", waiting.idText(),
                "{TARGET}", target,
                "{IMAGE}", target.equals(KUBERNETES) ? " --image " + Engine.IMAGE : "",
                "{DIR}", PROJECT.path().toString(),
                "{OUT}", SITE.folder(SITE.ada()).resolve("out").toString());
    }

    private static SubmittedJob submit(String target, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        if (target.equals(KUBERNETES)) {
            all.addAll(1, List.of("--image", Engine.IMAGE));
        }
        return SITE.submit(SITE.ada(), berth(target), target, PROJECT, all.toArray(String[]::new));
    }

    static List<List<String>> rows() {
        return TestTable.rows("/targets/verbs.txt");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void onThisMachine(List<String> row) {
        assertSaid("scheduler", row.getFirst(), row.get(1), row.get(2));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void atSlurm(List<String> row) {
        assertSaid("big", row, 3);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void atKubernetes(List<String> row) {
        assertSaid(KUBERNETES, row, 5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"big", KUBERNETES, SHARED, FETCHING})
    void doctorProvesATargetByAJob(String target) {
        assertThat(berth(target).run("doctor", "--target", target).out())
                .contains("found its directory, and what it wrote came back");
    }

    /** The pod of a job fetches them from the server, with the link that it has. */
    @Test
    void aPodFetchesTheFilesOfItsJob() {
        SubmittedJob job = SITE.submit(
                        SITE.ada(), BERTH_OF_CLUSTER, FETCHING, PROJECT, "whoami.py", "--image", Engine.IMAGE)
                .awaitCompleted();
        assertThat(BERTH_OF_CLUSTER.run("logs", job.idText()).out()).contains("I am");
    }

    @ParameterizedTest
    @ValueSource(strings = {"scheduler", "big", KUBERNETES})
    void aTaskOfASweepHasAFileOfItsParameters(String target) {
        SubmittedJob sweep = submit(target, "sh", "--sweep", "net.lr=0.1,0.2", "--", "-c", "cat $BERTH_PARAMS")
                .awaitCompleted();
        Await.that(
                "its last task has printed it",
                () -> berth(target).run("logs", sweep.idText() + "_1").out().contains("{\"net\":{\"lr\":0.2}"));
    }

    /** Nothing is accepted that could only fail. */
    @Test
    void aDirectoryThatIsTooLargeForASecretIsRefusedAtSubmit() {
        byte[] noise = new byte[1_000_000];
        new Random(1).nextBytes(noise);
        ProjectDirectory large = BERTH_OF_CLUSTER.project("whoami.py");
        TestFiles.write(large.path().resolve("model.bin"), noise);
        Ran ran = BERTH_OF_CLUSTER
                .command("submit", KUBERNETES, large.path().toString(), "whoami.py", "--image", Engine.IMAGE)
                .run();
        assertThat(ran.exitCode()).isNotZero();
        assertThat(ran.err())
                .contains(
                        "not accepted, as target k8s would refuse it: the job's directory takes more than 700 kB packed");
    }

    /** Both ways by the volume of the nodes: the directory there, and what the program leaves back. */
    @Test
    void filesComeBackByAVolumeOfKubernetes() {
        SubmittedJob job = SITE.submit(
                        SITE.ada(), BERTH_OF_CLUSTER, SHARED, PROJECT, "whoami.py", "--image", Engine.IMAGE)
                .awaitCompleted();
        Await.that(
                "what it left is here",
                () -> SITE.as(SITE.ada(), BERTH_OF_CLUSTER, "get", job.idText(), "whoami.json", "-o", "-")
                        .run()
                        .out()
                        .contains("\"uid\""));
        Await.that("nothing is left on the volume", () -> CLUSTER.volume().isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"big", KUBERNETES})
    void logsOfAJobThatRunsAreFollowedToItsEnd(String target) {
        Path gate = SITE.folder(SITE.ada()).resolve("gate");
        SubmittedJob job = submit(
                target,
                "sh",
                "--",
                "-c",
                "echo first; until [ -e " + gate + " ]; do sleep 0.1; done; echo last; exit 3");
        job.await("RUNNING");
        try (Running follow =
                SITE.as(SITE.ada(), berth(target), "logs", "-f", job.idText()).start()) {
            Await.that("a line while it runs", () -> follow.said().equals("first\n"));
            assertThat(job.state()).isEqualTo("RUNNING");
            if (target.equals(KUBERNETES)) {
                // A pod sees nothing of this machine's.
                CLUSTER.run(job, "mkdir", "-p", gate.toString());
            } else {
                TestFiles.write(gate, "");
            }
            assertThat(follow.end().expect(0).out()).isEqualTo("first\nlast\n");
        }
        assertThat(job.state()).isEqualTo("FAILED");
        assertThat(job.view().path("exitCode").asInt()).isEqualTo(3);
    }

    private static void assertSaid(String target, List<String> row, int own) {
        int at = row.get(own).isEmpty() ? 1 : own;
        assertSaid(target, row.getFirst(), row.get(at), row.get(at + 1));
    }

    private static void assertSaid(String target, String line, String code, String fragment) {
        String[] words = filled(target, line).split(" +");
        String expected = filled(target, fragment);
        if (ASKING.contains(words[0])) {
            Await.that(
                    "`berth " + String.join(" ", words) + "` says " + expected,
                    () -> isIn(said(target, words), expected));
        }
        Ran ran = SITE.as(SITE.ada(), berth(target), words).run().expect(Integer.parseInt(code));
        assertThat(ran.out() + ran.err()).as("%s", ran).matches(said -> isIn(said, expected), "says " + expected);
    }

    /** Whether a text is there or, where it begins with a tilde, a line that the regular expression behind it describes. */
    private static boolean isIn(String said, String expected) {
        return expected.startsWith("~")
                ? said.lines().anyMatch(Pattern.compile(expected.substring(1)).asMatchPredicate())
                : said.contains(expected);
    }

    private static String said(String target, String... words) {
        Ran ran = SITE.as(SITE.ada(), berth(target), words).run();
        return ran.out() + ran.err();
    }

    private static String filled(String target, String text) {
        String all = text;
        for (Map.Entry<String, String> name :
                NAMES.computeIfAbsent(target, TargetVerbsTest::names).entrySet()) {
            all = all.replace(name.getKey(), name.getValue());
        }
        return all;
    }
}
