package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Golden;
import dev.berth.cli.command.SweepCases.Case;
import dev.berth.cli.exit.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Sweep files as a user has them, and what the command says to them. No server is asked. */
class SweepExpandTest {
    private static final String SWEEP = """
            name: DEFAULT
            path: out
            repetitions: 2
            ---
            name: exp
            params: {net: {lr: .1}, z: 1}
            grid: {a: [1, 2], net: {lr: [.5], bs: [8, 16]}}
            ---
            name: plain
            repetitions: 1
            """;

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    @AfterEach
    void noServerIsAsked() {
        assertThat(stage.server().received()).isEmpty();
    }

    private static List<Case> expansions() {
        return SweepCases.of("/sweep/expansions.txt");
    }

    private static List<Case> refusals() {
        return SweepCases.of("/sweep/refusals.txt");
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(stage.directory().resolve(name), text);
    }

    private int expand(String name, String... options) {
        List<String> words = new ArrayList<>(
                List.of("sweep", "expand", stage.directory().resolve(name).toString()));
        words.addAll(List.of(options));
        return stage.run(words.toArray(String[]::new));
    }

    /** What is said on standard error, with file names as if the command had been called where they are. */
    private String said() {
        return stage.err()
                .replace(stage.directory() + "/", "")
                .replace(stage.directory().toString(), "");
    }

    @ParameterizedTest
    @MethodSource("expansions")
    void aSweepFileExpands(Case each) throws IOException {
        each.writeTo(stage.directory());
        assertThat(expand("sweep.yml", "--json")).as(said()).isZero();
        assertThat(stage.out()).isEqualTo(each.expected());
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void aSweepFileIsRefused(Case each) throws IOException {
        each.writeTo(stage.directory());
        assertThat(expand("sweep.yml")).as(stage.out()).isEqualTo(ExitCode.USAGE);
        assertThat(stage.out()).isEmpty();
        String expected = "berth: " + each.expected();
        if (expected.endsWith("{ANY}\n")) {
            assertThat(said()).startsWith(expected.replace("{ANY}\n", "")).hasLineCount(1);
        } else {
            assertThat(said()).isEqualTo(expected);
        }
    }

    @Test
    void thereAreManyCases() {
        assertThat(expansions()).hasSizeGreaterThan(10);
        assertThat(refusals()).hasSizeGreaterThan(50);
    }

    @Test
    void theRunsAreATable() throws IOException {
        file("sweep.yml", SWEEP);
        assertThat(expand("sweep.yml")).isZero();
        Golden.check("sweep", stage.out() + "--- standard error\n" + stage.err());
    }

    @Test
    void directoriesAloneAreForScripts() throws IOException {
        file("sweep.yml", SWEEP);
        assertThat(expand("sweep.yml", "-q", "-e", "plain")).isZero();
        assertThat(stage.out()).isEqualTo("out/plain/log/rep_00\n");
        assertThat(stage.err()).isEmpty();
    }

    @Test
    void experimentsAreChosenInTheOrderOfTheFile() throws IOException {
        file("sweep.yml", SWEEP + "---\nname: other\n---\nname: broken\nrepetitions: never\n");
        assertThat(expand("sweep.yml", "-q", "--experiment", "other", "-e", "plain", "-e", "plain"))
                .isZero();
        assertThat(stage.out()).isEqualTo("out/plain/log/rep_00\nout/other/log/rep_00\nout/other/log/rep_01\n");
    }

    @ParameterizedTest
    @CsvSource({"plan", "DEFAULT", "PLAIN", "''"})
    void anUnknownExperimentIsToldWithThoseThatThereAre(String name) throws IOException {
        file("sweep.yml", SWEEP);
        assertThat(expand("sweep.yml", "-e", "exp", "-e", name)).isEqualTo(ExitCode.USAGE);
        assertThat(said())
                .isEqualTo("berth: sweep.yml:1: there is no experiment '" + name + "'; there is exp, plain\n");
    }

    @Test
    void aTextThatLooksLikeANumberIsTold() throws IOException {
        file("sweep.yml", "name: e\npath: o\nrepetitions: 1\ngrid:\n  lr: [1e-3, 1.0e-3]\n  b: [1E5]\n");
        assertThat(expand("sweep.yml", "-q")).isZero();
        assertThat(stage.out()).isEqualTo("o/e/e__l1e-3_b1E5/log/rep_00\no/e/e__l0.001_b1E5/log/rep_00\n");
        assertThat(said())
                .isEqualTo(
                        "berth: warning: sweep.yml:5: 1e-3, and 1 more: as CW2 reads it, that is a text, though it looks like a"
                                + " number;"
                                + " numbers with an exponent have a point and a sign (1.0e-3)\n");
    }

    @Test
    void namesAndValuesDoNothingToATerminal() throws IOException {
        file("sweep.yml", "name: \"a\\e[2Jb\"\npath: o\nrepetitions: 1\ngrid: {p: [\"x\\n\\u202ey\"]}\n");
        assertThat(expand("sweep.yml")).isZero();
        assertThat(expand("sweep.yml", "-q")).isZero();
        assertThat(expand("sweep.yml", "-e", "\u001b[2J")).isEqualTo(ExitCode.USAGE);
        assertThat((stage.out() + stage.err()).codePoints())
                .noneMatch(each -> each != '\n' && (Character.isISOControl(each) || each == 0x202e));
        assertThat(stage.out()).contains("o/a\\x1b[2Jb/a\\x1b[2Jb__px\\n\\u202ey/log/rep_00");
    }

    @Test
    void aFileThatIsNotThereIsToldWithTheNearest() throws IOException {
        file("sweep.yml", SWEEP);
        assertThat(expand("swep.yml")).isEqualTo(ExitCode.USAGE);
        assertThat(said()).isEqualTo("berth: 'swep.yml' is not there; did you mean sweep.yml?\n");
    }

    @Test
    void programsGetRefusalsAsJson() {
        assertThat(expand("no.yml", "--json")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .startsWith("{\"code\":\"SWEEP_FILE\",\"message\":\"")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource({
        "LARGE, '''sweep.yml'' has more than 1048576 bytes'",
        "DEEP, sweep.yml:2: is nested more than 32 levels deep",
        "NESTED_ALIASES, sweep.yml:3: is nested more than 32 levels deep",
        "ALIASES, sweep.yml:9: the file holds more than 200000 values up to here",
        "TEXTS, sweep.yml:2: the file holds more than 200000 values up to here",
        "VALUES, sweep.yml:2: the file holds more than 200000 values up to here",
        "LATIN, '''sweep.yml'' is not text in UTF-8'",
        "DIRECTORY, '''sweep.yml'' is not a file'"
    })
    void whatIsTooMuchIsRefused(String what, String sentence) throws IOException {
        Path file = stage.directory().resolve("sweep.yml");
        switch (what) {
            case "LARGE" -> Files.writeString(file, "#".repeat((1 << 20) + 1));
            case "DEEP" -> Files.writeString(file, "name: e\nx: " + "[".repeat(500_000));
            case "NESTED_ALIASES" ->
                Files.writeString(
                        file,
                        "name: e\na: &a " + "[".repeat(20) + "]".repeat(20) + "\nb: " + "[".repeat(20) + "*a"
                                + "]".repeat(20));
            case "ALIASES" -> Files.writeString(file, exploding());
            case "TEXTS" ->
                Files.writeString(file, "a: &a " + "x".repeat(900_000) + "\nb: [" + "*a,".repeat(1000) + "]");
            case "VALUES" -> Files.writeString(file, "name: e\nx: [" + "1,".repeat(200_000) + "]");
            case "LATIN" -> Files.write(file, "name: \u00e9".getBytes(StandardCharsets.ISO_8859_1));
            default -> Files.createDirectory(file);
        }
        assertThat(expand("sweep.yml")).isEqualTo(ExitCode.USAGE);
        assertThat(said()).startsWith("berth: " + sentence).hasLineCount(1);
    }

    /** Nine levels of nine aliases each: 387 million values in 300 bytes. */
    private static String exploding() {
        StringBuilder text = new StringBuilder("name: e\nrepetitions: 1\npath: o\na: &a [x,x,x,x,x,x,x,x,x]\n");
        for (char each = 'b'; each < 'j'; each++) {
            String before = "*" + (char) (each - 1) + " ";
            text.append(each)
                    .append(": &")
                    .append(each)
                    .append(" [")
                    .append((before + ",").repeat(9))
                    .append("]\n");
        }
        return text.toString();
    }

    @Test
    void importsAreBounded() throws IOException {
        for (int each = 0; each < 18; each++) {
            file(each + ".yml", "name: DEFAULT\nimport_path: " + (each + 1) + ".yml\n");
        }
        file("18.yml", "name: DEFAULT\nimport_path: 0.yml\n");
        file("sweep.yml", "name: e\npath: o\nrepetitions: 1\nimport_path: 0.yml\n");
        assertThat(expand("sweep.yml")).isEqualTo(ExitCode.USAGE);
        assertThat(said())
                .isEqualTo("berth: 15.yml:2: imports are more than 16 deep: sweep.yml (e) to 15.yml (DEFAULT)\n");
        file("15.yml", "name: DEFAULT\nparams: {x: 1}\n");
        assertThat(expand("sweep.yml", "--json")).isZero();
        assertThat(stage.out()).endsWith("\"params\":{\"x\":1}}\n");
    }

    @Test
    void filesAreBounded() throws IOException {
        StringBuilder sweep = new StringBuilder("name: DEFAULT\npath: o\nrepetitions: 1\n");
        for (int each = 0; each < 100; each++) {
            file(each + ".yml", "name: DEFAULT\nparams: {x: 1}\n");
            sweep.append("---\nname: e")
                    .append(each)
                    .append("\nimport_path: ")
                    .append(each)
                    .append(".yml\n");
        }
        file("sweep.yml", sweep.toString());
        assertThat(expand("sweep.yml")).isEqualTo(ExitCode.USAGE);
        assertThat(said()).isEqualTo("berth: sweep.yml:303: more than 100 files are read for one sweep\n");
    }

    /** In the memory that bin/berth gives a command there are no copies of large defaults. */
    @Test
    void largeDefaultsUnderManyExperimentsAreBounded() throws IOException {
        String params = IntStream.range(0, 20_000)
                .mapToObj(each -> "  p" + each + ": 1\n")
                .collect(Collectors.joining());
        String experiments = IntStream.range(0, 5_000)
                .mapToObj(each -> "---\nname: e" + each + "\nparams: {p1: 2}\n")
                .collect(Collectors.joining());
        file("sweep.yml", "name: DEFAULT\npath: o\nrepetitions: 1\nparams:\n" + params + experiments);
        assertThat(expand("sweep.yml")).isEqualTo(ExitCode.USAGE);
        assertThat(said()).contains("the experiments up to 'e24' have more than 500000 values with what they inherit");
    }

    @Test
    void asManyRunsAsThereMayBe() throws IOException {
        String seeds = IntStream.range(0, 50_000).mapToObj(Integer::toString).collect(Collectors.joining(","));
        file("sweep.yml", "name: e\npath: o\nrepetitions: 2\ngrid: {seed: [" + seeds + "]}\n");
        assertThat(expand("sweep.yml")).isZero();
        assertThat(stage.out().lines()).hasSize(100_001);
        assertThat(stage.out().lines().filter(line -> line.startsWith("RUN"))).hasSize(1);
        assertThat(stage.out()).endsWith("o/e/e__s49999/log/rep_01   seed=49999\n");
        assertThat(stage.err()).isEqualTo("100000 runs of 1 experiment; nothing is submitted\n");
    }

    @Test
    void oneFileIsTaken() {
        assertThat(stage.run("sweep", "expand")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("sweep", "expand", "a", "b")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("sweep")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err().lines())
                .containsExactly(
                        "berth: berth sweep expand takes one file, and 0 are given; for example berth sweep expand sweep.yml",
                        "berth: berth sweep expand takes one file, and 2 are given; for example berth sweep expand sweep.yml",
                        "berth: berth sweep needs one of expand, submit behind it");
    }

    @Test
    void helpSaysWhatItTakes() {
        assertThat(stage.run("sweep", "expand", "--help")).isZero();
        assertThat(stage.out())
                .startsWith("Usage: berth sweep expand [OPTIONS] <file>\n")
                .contains("Submits nothing", "-e, --experiment=NAME", "berth sweep expand sweep.yml --json");
    }
}
