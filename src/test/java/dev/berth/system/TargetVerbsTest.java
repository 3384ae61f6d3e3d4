package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SlurmSite;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestTable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What each verb does with jobs of this machine's own queue, and with those of a Slurm cluster. */
@SystemTest
class TargetVerbsTest {
    /** What an engine has heard, it tells some seconds later. */
    private static final Set<String> ASKING = Set.of("ps", "status", "explain", "logs");

    private static final SlurmSite SITE = SlurmSite.start("verbs");
    private static final Berth BERTH = SITE.serve(Berth.on(Engine.ofMachine()));
    private static final ProjectDirectory PROJECT = BERTH.project("whoami.py", "term.py");
    private static final Map<String, Map<String, String>> NAMES = new TreeMap<>();

    @AfterAll
    static void stop() {
        try {
            BERTH.close();
        } finally {
            SITE.close();
        }
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
                "{DIR}", PROJECT.path().toString(),
                "{OUT}", SITE.folder(SITE.ada()).resolve("out").toString());
    }

    private static SubmittedJob submit(String target, String... words) {
        return SITE.submit(SITE.ada(), BERTH, target, PROJECT, words);
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
        boolean isSame = row.get(3).isEmpty();
        assertSaid("big", row.getFirst(), row.get(isSame ? 1 : 3), row.get(isSame ? 2 : 4));
    }

    private static void assertSaid(String target, String line, String code, String fragment) {
        String[] words = filled(target, line).split(" +");
        String expected = filled(target, fragment);
        if (ASKING.contains(words[0])) {
            Await.that(
                    "`berth " + String.join(" ", words) + "` says " + expected,
                    () -> said(words).contains(expected));
        }
        Ran ran = SITE.as(SITE.ada(), BERTH, words).run().expect(Integer.parseInt(code));
        assertThat(ran.out() + ran.err()).as("%s", ran).contains(expected);
    }

    private static String said(String... words) {
        Ran ran = SITE.as(SITE.ada(), BERTH, words).run();
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
