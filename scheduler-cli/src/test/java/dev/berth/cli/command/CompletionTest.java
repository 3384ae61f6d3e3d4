package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.line.CommandNames;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The completion scripts; that for bash in a real bash, with a berth that knows two jobs. */
class CompletionTest {
    private static final String ASK = """
            eval "$SCRIPT"
            COMP_WORDS=("$@")
            COMP_CWORD=$(($# - 1))
            _berth
            printf '%s\\n' "${COMPREPLY[@]}"
            """;

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private final Path directory = stage.directory();

    @BeforeEach
    void start() throws IOException {
        Path berth = Files.createDirectory(directory.resolve("bin")).resolve("berth");
        Files.writeString(
                berth,
                "#!/bin/sh\n[ \"$*\" = 'ps -a -q -n 50' ] && printf '17\\n18\\n'\n"
                        + "[ \"$*\" = '--data-dir /d ps -a -q -n 50' ] && printf '99\\n'\n"
                        + "[ \"$*\" = 'profiles -q' ] && printf 'GPU Server\\nSmall\\nGPU Large\\n'\n");
        Files.setPosixFilePermissions(berth, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private String script(String shell) {
        assertThat(stage.run("completion", shell)).isZero();
        return stage.out();
    }

    /** What bash offers for the words, the last of which is being typed; {@code ~} stands for an empty one. */
    private List<String> offers(String line) throws IOException {
        List<String> command = new ArrayList<>(List.of("bash", "--norc", "-c", ASK, "bash"));
        for (String word : line.split(" ")) {
            command.add(word.equals("~") ? "" : word.replace('_', ' '));
        }
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SCRIPT", script("bash"));
        builder.environment().put("PATH", directory + "/bin:/usr/bin:/bin");
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.onExit().join().exitValue()).as(out).isZero();
        return out.strip().isEmpty() ? List.of() : out.lines().toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "berth su                            | submit",
                "berth server ~                      | start stop status pause resume backup restore check --help",
                "berth server pa                     | pause",
                "berth ps --st                       | --state",
                "berth ps --state RUN                | RUNNING",
                "berth --json ps --state CA          | CANCELLED",
                "berth submit ~                      | scheduler",
                "berth submit scheduler . x --pull ~ | missing always never",
                "berth doctor --gpu-mode ~           | runtime device-request cdi auto",
                "berth submit scheduler . x --net    | --network",
                "berth ps --color n                  | never",
                "berth cancel ~                      | last 17 18",
                "berth submit scheduler . --after ~  | last 17 18",
                "berth --data-dir /d submit --after ~ | last 99",
                "berth cancel --state QUEUED 1       | 17 18",
                "berth --data-dir /d cancel ~        | last 99",
                "berth cancel --data-dir = /d 9      | 99",
                "berth cancel --data-dir=/d ~        | last",
                "berth wait 17 l                     | last",
                "berth completion f                  | fish",
                "berth help resub                    | resubmit",
                "berth server start --si             | --simulate-gpus",
                "berth submit scheduler ~            |",
                "berth submit scheduler . x -- --n   |",
                "berth submit --name ~               |",
                "berth ps --socket ~                 |",
            })
    void bashCompletes(String line, String expected) throws IOException {
        assertThat(offers(line)).isEqualTo(expected == null ? List.of() : List.of(expected.split(" ")));
    }

    /** Underscores stand for blanks in a word. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "~ | GPU\\_Server, Small, GPU\\_Large",
                "S | Small",
                "GPU\\_S | GPU\\_Server",
                "\"GPU_S | GPU_Server",
                "'G | GPU_Server, GPU_Large",
                "x |"
            })
    void bashCompletesProfiles(String word, String expected) throws IOException {
        List<String> offered = offers("berth submit scheduler . x --profile " + word);
        assertThat(offered.stream().map(name -> name.replace(' ', '_')).toList())
                .isEqualTo(expected == null ? List.of() : List.of(expected.split(", ")));
    }

    @Test
    void everyCommandAndOptionIsInEveryScript() {
        for (String shell : List.of("bash", "zsh", "fish")) {
            String script = script(shell);
            for (String name : CommandNames.ALL) {
                assertThat(script).contains(name);
                for (String option : Verbs.of(name).shape().spec().optionsMap().keySet()) {
                    assertThat(script)
                            .as(shell)
                            .contains(shell.equals("fish") ? option.replaceFirst("^--?", "") : option);
                }
            }
        }
    }

    /** The shell itself reads what is printed, where it is here; ./check sees to it that it is. */
    @ParameterizedTest
    @CsvSource({"bash", "zsh", "fish"})
    void theShellTakesItsScript(String shell) throws IOException {
        if (System.getenv("BERTH_CHECK_RUN") == null
                && !shell.equals("bash")
                && !Files.isExecutable(Path.of("/usr/bin/" + shell))) {
            assertThat(script(shell)).contains("Completion for " + shell);
            return;
        }
        Process process = new ProcessBuilder(shell, shell.equals("fish") ? "--no-execute" : "-n")
                .redirectErrorStream(true)
                .start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(script(shell).getBytes(StandardCharsets.UTF_8));
        }
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(process.onExit().join().exitValue()).isZero();
    }
}
