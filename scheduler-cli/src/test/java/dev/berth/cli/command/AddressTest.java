package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Captured;
import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.CommandNames;
import dev.berth.cli.line.LineReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which server a command addresses: every combination of what can name one, for every command. */
@Timeout(60)
class AddressTest {
    private static final String USAGE = "usage";

    /** Marks: + said, - not said, * either. In the order of the sources; then what is addressed. */
    private static final List<String> SPOKEN_TO = List.of(
            // --url --socket --data-dir BERTH_URL BERTH_SOCKET BERTH_DATA_DIR
            "++**** usage",
            "+-+*** usage",
            "+--*** http://localhost:1",
            "-+**** /o.sock",
            "--+*** /o/data/berth.sock",
            "---++* usage",
            "---+-* http://localhost:2",
            "----+* /v.sock",
            "-----+ /v/data/berth.sock",
            "------ usual");

    /** Of a server that is started now: its socket, and where its data is. */
    private static final List<String> STARTED = List.of(
            "+***** usage",
            "-++*** /o.sock /o/data",
            "-+-**+ /o.sock /v/data",
            "-+-**- /o.sock usual",
            "--+*** /o/data/berth.sock /o/data",
            "---*++ /v.sock /v/data",
            "---*+- /v.sock usual",
            "---*-+ /v/data/berth.sock /v/data",
            "---*-- usual usual");

    /** Whether its files may be worked on. */
    private static final List<String> FILES = List.of(
            "++**** usage",
            "+-+*** usage",
            "+--*** usage",
            "-++*** good",
            "-+-*** usage",
            "--+*** good",
            "---+** usage",
            "----++ good",
            "----+- usage",
            "-----* good");

    private static final List<String> HERE =
            List.of("server start", "server restore", "config show", "config check", "doctor");

    @TempDir
    private Path home;

    private final Captured captured = new Captured();

    private static Stream<String> verbs() {
        return CommandNames.ALL.stream();
    }

    /** All there are, each written as the marks of a row. */
    private static List<String> combinations() {
        return IntStream.range(0, 1 << 6)
                .mapToObj(bits -> IntStream.range(0, 6)
                        .mapToObj(at -> (bits >> at & 1) == 1 ? "+" : "-")
                        .reduce("", String::concat))
                .toList();
    }

    /** What the one row says that this combination is of. */
    private static String row(List<String> table, String combination) {
        List<String> rows = table.stream()
                .filter(row -> IntStream.range(0, 6)
                        .allMatch(at -> row.charAt(at) == '*' || row.charAt(at) == combination.charAt(at)))
                .toList();
        assertThat(rows).as(combination).hasSize(1);
        return rows.getFirst().substring(7);
    }

    private Environment environment(Map<String, String> variables) {
        return new Environment(
                variables,
                home,
                "alice",
                false,
                "9.9",
                captured.screen(0),
                InstantSource.fixed(Instant.EPOCH),
                () -> 0,
                _ -> {});
    }

    private static List<String> line(String combination) {
        List<String> words = new ArrayList<>();
        List<String> options = List.of("--url=http://localhost:1", "--socket=/o.sock", "--data-dir=/o/data");
        for (int at = 0; at < 3; at++) {
            if (combination.charAt(at) == '+') {
                words.add(options.get(at));
            }
        }
        return words;
    }

    private static Map<String, String> variables(String combination) {
        Map<String, String> variables = new HashMap<>();
        variables.put("BERTH_URL", combination.charAt(3) == '+' ? "http://localhost:2" : "");
        variables.put("BERTH_SOCKET", combination.charAt(4) == '+' ? "/v.sock" : "");
        variables.put("BERTH_DATA_DIR", combination.charAt(5) == '+' ? "/v/data" : "");
        return variables;
    }

    private Session session(String verb, String combination) {
        return session(verb, combination, Map.of());
    }

    private Session session(String verb, String combination, Map<String, String> more) {
        Map<String, String> variables = variables(combination);
        variables.putAll(more);
        Verb command = Verbs.of(verb);
        return Session.of(command.reach(), LineReader.read(command, line(combination)), environment(variables));
    }

    @ParameterizedTest
    @MethodSource("verbs")
    void everyCommandSpeaksToTheSameServer(String verb) {
        if (HERE.contains(verb) || verb.equals("completion") || verb.equals("sweep expand")) {
            return;
        }
        for (String combination : combinations()) {
            String place;
            try {
                place = session(verb, combination).place();
            } catch (Failure refused) {
                assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
                place = USAGE;
            }
            assertThat(place.equals("/var/lib/berth/berth.sock") ? "usual" : place)
                    .as(verb + " " + combination)
                    .isEqualTo(row(SPOKEN_TO, combination));
        }
    }

    /** A script for a shell has nothing to do with any of them. */
    @Test
    void aCommandWithoutAServerMindsNone() {
        for (String combination : combinations()) {
            assertThat(session("completion", combination).remote()).isNull();
        }
    }

    @Test
    void aServerIsStartedWhereTheCommandsLookForIt() {
        Path usual = home.resolve(".local/state/berth");
        for (String combination : combinations()) {
            for (String verb : HERE) {
                String places;
                try {
                    Session session = session(verb, combination);
                    places = session.location().socketOfNew() + " "
                            + session.location().dataDirectory();
                } catch (Failure refused) {
                    places = USAGE;
                }
                assertThat(places.replace(usual + "/berth.sock", "usual").replace(usual.toString(), "usual"))
                        .as(verb + " " + combination)
                        .isEqualTo(row(STARTED, combination));
            }
        }
    }

    @Test
    void filesAreWorkedOnWhereTheServerThatIsMeantHasThem() {
        for (String combination : combinations()) {
            String answer = "good";
            try {
                session("server check", combination).location().requireFiles("this works on files");
            } catch (Failure refused) {
                assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
                answer = USAGE;
            }
            assertThat(answer).as(combination).isEqualTo(row(FILES, combination));
        }
    }

    private int run(Map<String, String> variables, String... words) {
        return new Dispatch(environment(variables)).run(List.of(words));
    }

    @Test
    void aVariableStopsNoServerOfAnotherMachine() throws IOException {
        try (ScriptedServer server = ScriptedServer.onTcp()) {
            String url = "http://localhost:" + server.port();
            assertThat(run(Map.of("BERTH_URL", url), "server", "stop")).isEqualTo(ExitCode.USAGE);
            assertThat(captured.err())
                    .contains("BERTH_URL names the server at " + url)
                    .contains("berth server stop --url " + url);
        }
    }

    @Test
    void whoSteersAServerThatIsNotTheUsualOneIsToldWhich() throws IOException {
        Path socket = home.resolve("s");
        try (ScriptedServer server = ScriptedServer.at(socket)) {
            server.json("POST /api/v1/server/pause", 200, Samples.server());
            assertThat(run(Map.of("BERTH_SOCKET", socket.toString()), "server", "pause"))
                    .isZero();
            assertThat(captured.err()).isEqualTo("berth: the server at " + socket + " (by BERTH_SOCKET)\n");
            server.json("POST /api/v1/server/pause", 200, Samples.server());
            assertThat(run(Map.of(), "server", "pause", "-q", "--socket", socket.toString()))
                    .isZero();
        }
        assertThat(captured.err()).hasLineCount(1);
    }

    @Test
    void aSocketAndADataDirectoryOfDifferentServersAreRefused() throws IOException {
        Path socket = home.resolve("s");
        try (ScriptedServer server = ScriptedServer.at(socket)) {
            server.json("GET /api/v1/server", 200, Samples.server());
            assertThat(run(Map.of(), "server", "stop", "--socket", socket.toString(), "--data-dir", "/o/data"))
                    .isEqualTo(ExitCode.USAGE);
        }
        assertThat(captured.err()).contains("name different servers").contains("has its data in ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--socket", "--data-dir", "--url"})
    void anOptionOfAnEmptyVariableNamesNoServer(String option) {
        assertThat(run(Map.of(), "ps", option, "")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.err()).contains(option + " is given with nothing behind it");
    }

    /** As root with the home that sudo left, or as anybody with that of somebody else. */
    @Test
    void aSocketInTheHomeOfAnotherIsNotTheUsualOne() throws IOException {
        Path own = Files.createDirectories(home.resolve(".local/state/berth")).resolve("berth.sock");
        Files.createFile(own);
        assertThat(session("ps", "------").place()).isEqualTo(own.toString());
        Environment root = new Environment(
                Map.of(),
                home,
                "root",
                true,
                "9.9",
                captured.screen(0),
                InstantSource.fixed(Instant.EPOCH),
                () -> 0,
                _ -> {});
        assertThat(Session.of(Reach.SERVER, LineReader.read(new Ps(), List.of()), root)
                        .place())
                .isEqualTo("/var/lib/berth/berth.sock");
        if ((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0) {
            Files.setAttribute(own, "unix:uid", 1);
            assertThat(session("ps", "------").place()).isEqualTo("/var/lib/berth/berth.sock");
        }
    }
}
