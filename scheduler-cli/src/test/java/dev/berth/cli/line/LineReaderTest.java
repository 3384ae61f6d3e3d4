package dev.berth.cli.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.command.Ps;
import dev.berth.cli.command.Verbs;
import dev.berth.cli.command.submit.Submit;
import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LineReaderTest {
    private static List<String> split(String line) {
        return line.isEmpty() ? List.of() : List.of(line.split(" "));
    }

    private static Arguments submit(String line) {
        return LineReader.read(new Submit(), split(line));
    }

    /** A line, the words that are left of it, and how many GPUs it asks for. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "scheduler . main.py --num-gpus 2           | scheduler . main.py           | 2",
                "--num-gpus 2 scheduler . main.py           | scheduler . main.py           | 2",
                "scheduler --num-gpus=2 . main.py           | scheduler . main.py           | 2",
                "scheduler . --num-gpus 2 main.py x         | scheduler . main.py x         | 2",
                "scheduler . main.py x --num-gpus 2 y       | scheduler . main.py x y       | 2",
                "scheduler . -- main.py --num-gpus 2        | scheduler . main.py --num-gpus 2 |",
                "scheduler . main.py -- --num-gpus 2        | scheduler . main.py --num-gpus 2 |",
                "scheduler . main.py --num-gpus 1 -- -n -- x | scheduler . main.py -n -- x   | 1",
                "scheduler . main.py -                      | scheduler . main.py -         |",
                "scheduler . @file ${x}                     | scheduler . @file ${x}        |",
                "scheduler . main.py -qf --num-gpus 3       | scheduler . main.py           | 3",
            })
    void optionsAreUnderstoodAnywhereBeforeTheDashes(String line, String words, Integer gpus) {
        Arguments arguments = submit(line);
        assertThat(arguments.words()).isEqualTo(split(words));
        assertThat(arguments.number("--num-gpus", 0, 1024)).isEqualTo(gpus);
    }

    @Test
    void aWordThatNamesAFileIsNotReplacedByIt(@TempDir Path directory) throws IOException {
        String word = "@" + Files.writeString(directory.resolve("words"), "--num-gpus 8");
        assertThat(submit("scheduler . main.py " + word).words()).endsWith(word);
    }

    @Test
    void shortAndLongNamesAreOne() {
        Arguments arguments = submit("scheduler . x -e A=1 --env B=2 -eC=3 -q -f");
        assertThat(arguments.values("--env")).containsExactly("A=1", "B=2", "C=3");
        assertThat(arguments.has("--quiet")).isTrue();
        assertThat(arguments.has("--follow")).isTrue();
        assertThat(arguments.has("--json")).isFalse();
        assertThat(arguments.value("--name")).isNull();
        assertThat(LineReader.read(new Ps(), List.of("-an5")).value("--last")).isEqualTo("5");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "scheduler . main.py --lr 0.1 | unknown option --lr: options before -- are Berth's. To give it to your"
                        + " program: berth submit scheduler . -- main.py --lr 0.1",
                "scheduler . --json main.py --lr=0.1 --num-gpus 2 -x y -- z | unknown option --lr: options before -- are"
                        + " Berth's. To give it to your program: berth submit --json --num-gpus 2 scheduler . -- main.py"
                        + " --lr=0.1 -x y z",
                "scheduler . main.py --num-gpu 2 | unknown option --num-gpu; did you mean --num-gpus? Options before --"
                        + " are Berth's. To give it to your program: berth submit scheduler . -- main.py --num-gpu 2",
                "scheduler . python -c print(1) | unknown option -c: options before -- are Berth's. To give it to your"
                        + " program: berth submit scheduler . -- python -c 'print(1)'",
                "scheduler . main.py -qx | unknown option -qx: options before -- are Berth's. To give it to your program:"
                        + " berth submit scheduler . -- main.py -qx",
                "scheduler . main.py -e A=-1 -5 | unknown option -5: options before -- are Berth's. To give it to your"
                        + " program: berth submit -e A=-1 scheduler . -- main.py -5",
                "--num-gpu 2 scheduler . main.py | unknown option --num-gpu; did you mean --num-gpus? berth submit --help"
                        + " lists the options",
                "scheduler --what . main.py | unknown option --what; berth submit --help lists the options",
                "scheduler . main.py --num-gpus | --num-gpus needs a value: --num-gpus N",
                "scheduler . main.py --name a --name b | --name is given more than once; give it once",
            })
    void aWrongLineIsToldWithTheRightOne(String line, String sentence) {
        assertThatThrownBy(() -> submit(line)).isInstanceOf(Failure.class).hasMessage(sentence);
    }

    @Test
    void aWrongLineWithoutAProgramIsTold() {
        assertThatThrownBy(() -> LineReader.read(new Ps(), List.of("--al")))
                .isInstanceOf(Failure.class)
                .hasMessage("unknown option --al; did you mean --all? berth ps --help lists the options");
    }

    @ParameterizedTest
    @CsvSource({"two", "-1", "1025", "0.5", "99999999999", "''"})
    void aNumberThatIsNoneIsRefused(String text) {
        Arguments arguments = LineReader.read(new Submit(), List.of("scheduler", ".", "x", "--num-gpus=" + text));
        assertThatThrownBy(() -> arguments.number("--num-gpus", 0, 1024))
                .isInstanceOf(Failure.class)
                .hasMessage(
                        "--num-gpus: '" + text + "' is not a whole number from 0 to 1024; for example --num-gpus 1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ps -a                          | ps            | -a",
                "--json ps -a                   | ps            | --json -a",
                "--socket /s -q server start -g | server start  | --socket /s -q -g",
                "--socket=/s server stop        | server stop   | --socket=/s",
                "help submit                    | submit        | --help",
                "help server start              | server start  | --help",
                "help                           | --help        |",
                "help server                    | --help        |",
                "-h                             | --help        |",
                "--version                      | --version     |",
                "server --help                  | --help        |",
                "submit server start            | submit        | server start",
            })
    void theCommandIsTheFirstWords(String line, String name, String rest) {
        CommandLineWords words = CommandLineWords.of(split(line));
        assertThat(words.name()).isEqualTo(name);
        assertThat(words.rest()).isEqualTo(split(rest == null ? "" : rest));
    }

    @Test
    void everyVerbHasHelpWithExamples() {
        List<String> seen = new ArrayList<>();
        for (String name : CommandNames.ALL) {
            Arguments arguments = LineReader.read(Verbs.of(name), List.of());
            assertThat(arguments.help())
                    .contains("Usage: berth " + name)
                    .contains("Examples:\n  ")
                    .contains("--json")
                    .contains("--socket");
            assertThat(Help.PAGE).contains("\n  " + name + " ");
            seen.add(arguments.command());
        }
        assertThat(seen).isEqualTo(CommandNames.ALL);
    }
}
