package dev.berth.cli.command.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Given;
import dev.berth.cli.line.JobStates;
import dev.berth.core.command.ClosestWord;
import dev.berth.core.job.StateName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What single words of a line mean. */
class WordsTest {
    @TempDir
    private Path directory;

    @BeforeEach
    void write() throws IOException {
        Files.writeString(directory.resolve("main.py"), "");
        Files.createDirectories(directory.resolve("package.py"));
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(String... words) {
        return assertThatThrownBy(() -> SubmitWords.of(List.of(words), false)).isInstanceOf(Failure.class);
    }

    @Test
    void aSubmissionHasTargetDirectoryAndCommand() {
        SubmitWords submission =
                SubmitWords.of(List.of("scheduler", directory.toString(), "main.py", "--lr", "0.1"), false);
        assertThat(submission.directory()).isEqualTo(directory);
        assertThat(submission.command()).containsExactly("main.py", "--lr", "0.1");
        assertThat(SubmitWords.of(List.of("scheduler", directory.toString(), "./main.py"), false)
                        .command())
                .containsExactly("./main.py");
        assertThat(SubmitWords.of(List.of("scheduler", directory.toString(), "python3", "nothere.py"), false)
                        .command())
                .hasSize(2);
    }

    @Test
    void whatIsMissingIsNamed() {
        assertRefused().hasMessageContaining("needs a target, a directory and a command: berth submit scheduler .");
        assertRefused("scheduler").hasMessageContaining("needs a directory and a command behind 'scheduler'");
        assertRefused("scheduler", ".").hasMessageContaining("needs a command behind '.'");
        assertRefused(".", "main.py").hasMessageContaining("target: '.' is not known; there is scheduler");
    }

    @Test
    void aDirectoryIsThereAndIsOne() {
        assertRefused("scheduler", "/nowhere/x", "a").hasMessageContaining("directory: '/nowhere/x' is not there");
        assertRefused("scheduler", directory + "/main.py", "a").hasMessageContaining("is not a directory");
        assertRefused("scheduler", "a\u0000b", "a").hasMessageContaining("is no path");
    }

    private static Map<String, String> variables(List<String> given, Map<String, String> here) {
        Map<String, String> variables = new TreeMap<>();
        VariableOptions.addTo(variables, null, new Given("", "-e", given, List.of(), null), here);
        return variables;
    }

    @Test
    void variablesAreGivenOrTakenFromHere() {
        assertThat(variables(List.of("A=1", "B=x=y", "C=", "HERE", "A=2"), Map.of("HERE", "value")))
                .containsExactly(
                        Map.entry("A", "2"), Map.entry("B", "x=y"), Map.entry("C", ""), Map.entry("HERE", "value"));
        assertThatThrownBy(() -> variables(List.of("GONE"), Map.of()))
                .isInstanceOf(Failure.class)
                .hasMessage("-e: GONE is not set here; write -e GONE=VALUE, or export it first");
        assertThatThrownBy(() -> variables(List.of("=1"), Map.of()))
                .isInstanceOf(Failure.class)
                .hasMessage("-e: '=1' has no name; write -e NAME=VALUE");
    }

    @ParameterizedTest
    @CsvSource({
        "--num-gpu, --num-gpus",
        "--gpus, --num-gpus",
        "--num_gpus, --num-gpus",
        "--nmae, --name",
        "--timeout, --time",
        "--TIME, --time",
        "--lr,",
        "--batch-size,"
    })
    void aNearMissIsNamed(String word, String meant) {
        assertThat(ClosestWord.of(word, List.of("--num-gpus", "--name", "--time", "--image", "--env")))
                .isEqualTo(meant);
    }

    @Test
    void theStatesAreThoseOfTheCore() {
        assertThat(JobStates.ALL)
                .containsExactlyElementsOf(
                        Arrays.stream(StateName.values()).map(Enum::name).toList());
    }
}
