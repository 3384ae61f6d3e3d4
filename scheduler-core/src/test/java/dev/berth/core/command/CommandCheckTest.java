package dev.berth.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.command.SentFiles.Kind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of a command before it runs, and what is not. */
class CommandCheckTest {
    private static final SentFiles FILES = new SentFiles() {
        private final Map<String, Kind> kinds = new TreeMap<>(Map.of(
                "train.py", Kind.FILE,
                "run.sh", Kind.PROGRAM,
                "plain.sh", Kind.FILE,
                "tool", Kind.FILE,
                "src", Kind.DIRECTORY,
                "src/eval.py", Kind.FILE,
                "link", Kind.LINK));

        @Override
        public @Nullable Kind kind(String path) {
            return kinds.get(path);
        }

        @Override
        public boolean isLeftOut(String path) {
            return path.startsWith("data/");
        }

        @Override
        public List<String> names() {
            return List.of("train.py", "run.sh", "plain.sh", "tool", "src/eval.py");
        }
    };

    private static List<String> split(String line) {
        return List.of(line.split(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "trian.py                     | trian.py        | is not a file in the directory; did you mean train.py?",
                "./eval.py                    | ./eval.py       | is not a file in the directory; did you mean src/eval.py?",
                "src                          |                 |",
                "./src                        | ./src           | is a directory",
                "src/.././plain.sh            | src/.././plain.sh | has no run bit; give it one (chmod +x plain.sh)",
                "python -uB -X dev -Wignore trian.py | trian.py  | is not a file in the directory",
                "bash -eo pipefail ./x.sh     | ./x.sh          | is not a file in the directory",
                "env -i A=1 B=2 ./plain.sh    | ./plain.sh      | has no run bit",
                "/usr/bin/env python3 data/x.py | data/x.py     | is not a file in the directory as it is sent",
                "plain.sh                     | plain.sh        | has no / in it",
            })
    void whatIsCertainIsAFault(String command, @Nullable String word, @Nullable String rule) {
        Optional<CommandFault> fault = CommandCheck.of(split(command), null, FILES);
        if (word == null) {
            assertThat(fault).isEmpty();
            return;
        }
        assertThat(fault).hasValueSatisfying(found -> {
            assertThat(found.certain()).isTrue();
            assertThat(found.word()).isEqualTo(word);
            assertThat(found.rule()).startsWith(rule);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "train.py",
                "./run.sh",
                "link/x.sh",
                "./link",
                "link/x.py",
                "python link/x.py",
                "python -c trian.py",
                "python -m trian.py",
                "python - trian.py",
                "python --new-option trian.py",
                "python",
                "bash -c ./x.sh",
                "bash -ic ./x.sh",
                "bash -s ./x.sh",
                "env -u A trian.py",
                "env",
                "env A=1",
                "pythonw trian.py",
                "../run.sh",
                "/run.sh",
                "=x",
                "1=2",
                "bash"
            })
    void whatIsNotKnownIsNone(String command) {
        assertThat(CommandCheck.of(split(command), null, FILES).filter(CommandFault::certain))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash x.sh", "tool", "runn.sh"})
    void whatIsLikelyIsNotCertain(String command) {
        assertThat(CommandCheck.of(split(command), null, FILES))
                .hasValueSatisfying(found -> assertThat(found.certain()).isFalse());
    }

    @Test
    void whereNobodyKnowsTheDirectoryOnlyTheWordsCount() {
        assertThat(CommandCheck.of(List.of("nothing.py"), null, null)).isEmpty();
        assertThat(CommandCheck.of(List.of("./nothing"), null, null)).isEmpty();
        assertThat(CommandCheck.of(List.of("A=1", "x"), null, null)).isPresent();
        assertThat(CommandCheck.of(List.of("a b"), null, null)).isPresent();
    }

    @Test
    void anEntryPointStandsBeforeTheCommand() {
        assertThat(CommandCheck.of(List.of("trian.py"), "python3", FILES)).isPresent();
        assertThat(CommandCheck.of(List.of("trian.py"), "/bin/tool", FILES)).isEmpty();
        assertThat(CommandCheck.of(List.of(), "/bin/tool", FILES)).isEmpty();
        assertThat(CommandCheck.of(List.of(), "./plain.sh", FILES)).isPresent();
    }

    @Test
    void elsewhereThanInTheSubmittedDirectoryNothingIsKnown() {
        assertThat(CommandCheck.startsInSubmitted(null, List.of("/a:/data"))).isTrue();
        assertThat(CommandCheck.startsInSubmitted("/workspace", List.of())).isTrue();
        assertThat(CommandCheck.startsInSubmitted("/app", List.of())).isFalse();
        assertThat(CommandCheck.startsInSubmitted(null, List.of("/a:/workspace/x:ro")))
                .isFalse();
    }

    @Test
    void aNearWordIsLookedForInBoundedTime() {
        List<String> many = java.util.Collections.nCopies(10_000, "x".repeat(199));
        assertThat(ClosestWord.of("y".repeat(100_000), many)).isNull();
        assertThat(ClosestWord.of("train", many)).isNull();
    }
}
