package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Bystanders;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.system.fixture.TestTable;
import dev.berth.system.fixture.UnixUser;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is Ada's is out of reach for Bob, another user; Eve, a reader, sees that it is there; Ann, an administrator, steers
 * it. Every verb and every route is asked; the tables are in the folder ownership of the resources.
 */
@SystemTest
class StrangerTest {
    private static final Path INSTALLED = TestFiles.folder();
    private static final Path PROGRAM = INSTALLED.resolve("berth/bin/berth");
    private static final UnixUser ADA = UnixUser.create("berth-stranger-ada");
    private static final UnixUser BOB = UnixUser.create("berth-stranger-bob");
    private static final UnixUser EVE = UnixUser.create("berth-stranger-eve");
    private static final UnixUser ANN = UnixUser.create("berth-stranger-ann");
    private static final Berth BERTH = Berth.on(Engine.ofMachine());
    private static final String ALL = "/jobs?scope=all";
    private static final Map<String, String> NAMES = new LinkedHashMap<>();
    private static final String UNASKED = "-";

    private static String queue = "";

    /** One job of Ada's that is finished, one that runs, one that waits, one that is held, a token and a receiver. */
    @BeforeAll
    static void start() {
        TestFiles.copyTree(Product.DISTRIBUTION, INSTALLED.resolve("berth"));
        BERTH.start("--set", "access.readers=" + EVE.name(), "--set", "access.administrators=" + ANN.name());
        ProjectDirectory project = BERTH.project("whoami.py");
        SubmittedJob ended = submit(project, "whoami.py").awaitCompleted();
        SubmittedJob running = submit(project, "--name", "secret-run", "whoami.py", "gate");
        running.awaitFile("whoami.json");
        running.await("RUNNING");
        SubmittedJob waiting = submit(project, "whoami.py");
        SubmittedJob held = submit(project, "whoami.py");
        Ran _ = as(ADA, "hold", held.idText()).run().expect(0);
        NAMES.put("{ENDED}", ended.idText());
        NAMES.put("{RUNNING}", running.idText());
        NAMES.put("{WAITING}", waiting.idText());
        NAMES.put("{HELD}", held.idText());
        NAMES.put("{SNAPSHOT}", ended.view().path("snapshot").asText());
        NAMES.put("{TOKEN}", token());
        NAMES.put("{RECEIVER}", receiver());
        queue = queue();
    }

    private static SubmittedJob submit(ProjectDirectory project, String... words) {
        return BERTH.submit(as(ADA), project, words);
    }

    private static String token() {
        Ran _ = as(ADA, "token", "create", "--name", "laptop").run().expect(0);
        return as(ADA, "token", "list", "-q").run().expect(0).text();
    }

    /** Of jobs that fail, which no test has. */
    private static String receiver() {
        Ran _ = as(ADA, "notify", "add", "fail:https://secret.invalid/hook")
                .run()
                .expect(0);
        return as(ADA, "notify", "list", "-q").run().expect(0).text();
    }

    @AfterAll
    static void stop() {
        BERTH.close();
        List.of(ADA, BOB, EVE, ANN).forEach(UnixUser::close);
        TestFiles.deleteTree(INSTALLED);
    }

    private static Command as(UnixUser user, String... words) {
        return Command.of(PROGRAM, "--data-dir", BERTH.dataDirectory().toString())
                .and(words)
                .as(user);
    }

    private static String filled(String text) {
        String all = text;
        for (Map.Entry<String, String> name : NAMES.entrySet()) {
            all = all.replace(name.getKey(), name.getValue());
        }
        return all;
    }

    private static void assertUntouched() {
        assertThat(queue()).as("the queue").isEqualTo(queue);
    }

    /** But for what goes on by itself. */
    private static String queue() {
        return Bystanders.withoutTimes(BERTH.api().get(ALL).text());
    }

    static List<List<String>> commands() {
        return TestTable.rows("/ownership/commands.txt");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("commands")
    void aCommand(List<String> row) {
        assertSaid(BOB, row.getFirst(), row.get(1), row.get(2));
        assertSaid(EVE, row.getFirst(), row.get(3), row.get(4));
        assertUntouched();
    }

    private static void assertSaid(UnixUser user, String line, String code, String fragment) {
        if (code.equals(UNASKED)) {
            return;
        }
        Ran ran = as(user, filled(line).split(" +")).run().expect(Integer.parseInt(code));
        assertThat(ran.out() + ran.err()).as("%s", ran).contains(filled(fragment));
        if (ran.exitCode() != 0) {
            assertThat(ran.out()).isEmpty();
        }
    }

    /** A verb that is not in the table is one that nobody has tried. */
    @Test
    void everyVerbForJobsIsAsked() {
        List<String> verbs = as(BOB, "--help")
                .run()
                .expect(0)
                .out()
                .lines()
                .dropWhile(line -> !line.equals("Jobs:"))
                .takeWhile(line -> !line.startsWith("From other machines"))
                .filter(line -> line.matches("  [a-z]+ .*"))
                .map(line -> line.strip().split(" ")[0])
                .toList();
        Set<String> asked = commands().stream()
                .map(row -> row.getFirst().split(" ")[0])
                .collect(Collectors.toCollection(TreeSet::new));
        // Those that name no job: what they say is for the lists below.
        asked.addAll(Set.of(
                "submit",
                "sweep",
                "run",
                "lease",
                "ps",
                "top",
                "history",
                "gpus",
                "doctor",
                "completion",
                "profiles",
                "targets"));

        assertThat(verbs).contains("cancel", "wait").isSubsetOf(asked);
    }

    @Test
    void whatJobsToldIsTheirOwners() {
        String told = as(ADA, "best", "--metric", "secret", "--max", "-q")
                .run()
                .expect(0)
                .text();
        assertThat(told).contains(NAMES.get("{ENDED}"), NAMES.get("{RUNNING}"));
        for (UnixUser other : List.of(BOB, EVE)) {
            for (String where : List.of("secret>0", "hidden", "secret=1 or hidden=true")) {
                assertThat(as(other, "ps", "-a", "-q", "--where", where)
                                .run()
                                .expect(0)
                                .out())
                        .as("%s asks %s", other.name(), where)
                        .isEmpty();
            }
            assertThat(as(other, "export").run().expect(0).out()).doesNotContain("secret");
        }
    }

    @Test
    void listsShowNobodyElsesJobs() {
        for (List<String> list : List.of(
                List.of("ps", "-q"),
                List.of("ps", "-a", "-q"),
                List.of("ps", "-a", "-q", "--user", ADA.name()),
                List.of("ps", "-a", "-q", "--name", "secret-run"),
                List.of("history", "-q"),
                List.of("events", "-q"),
                List.of("token", "list", "-q"),
                List.of("notify", "list", "-q"))) {
            assertThat(as(BOB, list.toArray(String[]::new)).run().expect(0).out())
                    .as("%s", list)
                    .isEmpty();
        }
        assertThat(as(EVE, "ps", "-a", "-q").run().expect(0).lines()).hasSize(4);
        assertThat(as(EVE, "history", "-q").run().expect(0).text()).isEqualTo(NAMES.get("{ENDED}"));
        assertThat(as(EVE, "token", "list", "-q").run().expect(0).out()).isEmpty();
        assertThat(as(EVE, "notify", "list", "-q").run().expect(0).out()).isEmpty();
    }

    @Test
    void everyRouteIsAsked() {
        List<String> described = new ArrayList<>();
        String path = "";
        for (String line : TestFiles.lines(Product.ROOT.resolve("docs/api/openapi.yaml"))) {
            if (line.startsWith("  /api/v1/")) {
                path = line.strip().replace("/api/v1", "").replace(":", "");
            } else if (line.matches("    (get|post|delete|put|patch):") && path.contains("{id}")) {
                described.add(line.strip().replace(":", "").toUpperCase(java.util.Locale.ROOT) + " " + path);
            }
        }
        List<String> asked = TestTable.rows("/ownership/routes.txt").stream()
                .map(row -> row.getFirst().replaceAll("\\{[A-Z]+}", "{id}").replaceAll("\\?.*", ""))
                .toList();

        assertThat(described).hasSizeGreaterThan(10).isSubsetOf(asked);
    }

    @Test
    void routes() {
        List<List<String>> table = TestTable.rows("/ownership/routes.txt");
        assertAnswered(BOB, table, 1);
        assertAnswered(EVE, table, 3);
        assertUntouched();
    }

    private static void assertAnswered(UnixUser user, List<List<String>> table, int column) {
        List<List<String>> requests = new ArrayList<>();
        for (List<String> row : table) {
            String[] route = filled(row.getFirst()).split(" ");
            requests.add(List.of(route[0], route[1], body(route[1])));
        }
        JsonNode answers = Command.python(
                        ProjectDirectory.text("routes.py"),
                        BERTH.dataDirectory().resolve("berth.sock").toString(),
                        JsonReading.text(requests))
                .as(user)
                .run()
                .expect(0)
                .json();
        for (int at = 0; at < table.size(); at++) {
            List<String> row = table.get(at);
            String asked = user.name() + " asked " + row.getFirst() + ": " + answers.get(at);
            assertThat(answers.get(at).get(0).asText()).as("%s", asked).isEqualTo(row.get(column));
            assertThat(answers.get(at).get(1).asText()).as("%s", asked).contains(filled(row.get(column + 1)));
        }
    }

    private static String body(String path) {
        return path.equals("/jobs") ? filled("{\"snapshot\":\"{SNAPSHOT}\",\"command\":[\"true\"]}") : "{}";
    }

    @Test
    void anAdministratorSeesAndSteers() {
        ProjectDirectory project = BERTH.project("whoami.py");
        String own = submit(project, "whoami.py").idText();
        Path fetched = TestFiles.folder();
        TestFiles.give(fetched, ANN);
        for (List<String> deed : List.of(
                List.of("status", own),
                List.of("explain", own),
                List.of("hold", own),
                List.of("release", own),
                List.of("cancel", own),
                List.of("events", own),
                List.of("logs", NAMES.getOrDefault("{ENDED}", "")),
                List.of("get", NAMES.getOrDefault("{ENDED}", ""), "--force", "--output", fetched.toString()),
                List.of("resubmit", own),
                List.of("delete", own))) {
            Ran _ = as(ANN, deed.toArray(String[]::new)).run().expect(0);
        }
        String again = as(ADA, "ps", "-q").run().expect(0).lines().getLast();
        assertThat(BERTH.api().get("/jobs/" + again).json().path("user").asText())
                .isEqualTo(ADA.name());
        Ran _ = as(ANN, "cancel", again).run().expect(0);
        Ran _ = as(ANN, "delete", again).run().expect(0);
        TestFiles.deleteTree(fetched);
        assertUntouched();
    }
}
