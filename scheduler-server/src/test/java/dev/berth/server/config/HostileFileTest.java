package dev.berth.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.PullPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are broken, or made to break what reads them. */
class HostileFileTest {
    @TempDir
    private Path folder;

    private ConfigurationFiles stage;

    @BeforeEach
    void set() {
        stage = new ConfigurationFiles(folder);
    }

    private List<String> problems(String text) {
        stage.file(stage.user(), text);
        return stage.problems().stream()
                .map(line -> line.replace(".config/berth/berth.yaml", "FILE"))
                .toList();
    }

    @Test
    void aliasesAreNotExpanded() {
        StringBuilder laughs = new StringBuilder("a0: &a0 [x, x]\n");
        for (int at = 1; at < 30; at++) {
            laughs.append("a%d: &a%d [*a%d, *a%d]\n".formatted(at, at, at - 1, at - 1));
        }
        assertThat(problems(laughs.toString()))
                .hasSize(30)
                .startsWith("FILE:1: anchors and aliases (&name, *name) are not taken; write the value itself");
        assertThat(problems("server: &a\n  port: *a\n")).hasSize(2);
    }

    @Test
    void tagsMakeNothing() {
        assertThat(problems("server: !!javax.script.ScriptEngineManager [x]\njobs:\n  image: !lab x\n"))
                .containsExactly(
                        "FILE:1: tags (tag:yaml.org,2002:javax.script.ScriptEngineManager) are not taken; write the"
                                + " value alone",
                        "FILE:3: tags (!lab) are not taken; write the value alone");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{a: ", "- "})
    void nestingIsBounded(String level) {
        assertThat(problems(level.repeat(200_000)))
                .singleElement()
                .asString()
                .startsWith("FILE:1: is nested more than 8 levels deep");
    }

    @Test
    void nestingByIndentIsBounded() {
        StringBuilder deep = new StringBuilder();
        for (int at = 0; at < 500; at++) {
            deep.repeat(' ', at).append("a:\n");
        }
        assertThat(problems(deep.toString())).containsExactly("FILE:9: is nested more than 8 levels deep");
    }

    @Test
    void sizeIsBounded() {
        assertThat(problems("#" + "x".repeat(FileText.MAX_BYTES)))
                .containsExactly("FILE: is larger than 1048576 bytes, the most that a configuration has");
        assertThat(problems("a: [" + "1,".repeat(100_000) + "]"))
                .singleElement()
                .asString()
                .isEqualTo("FILE:1: holds more than 20000 values");
        assertThat(problems("mounts:\n  allow: [" + "/a,".repeat(2_000) + "]"))
                .containsExactly("FILE:2: mounts.allow: has 2000 items, and may have 1024");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--- {}\\n--- {} | FILE:2: a second document begins; a configuration is one",
                "server:\\n\\tport: 1 | FILE:2: is not YAML: found character '?t(TAB)' that cannot start any token. (Do not use ?t(TAB) for indentation)",
                "server: {port: 1 | FILE:1: is not YAML: expected ',' or '}', but got <stream end>",
                "server:\\n  port: 1\\nserver:\\n  gpus: true | FILE:3: server: stands in line 1 already",
                "[1, 2] | FILE:1: holds no settings; it begins with a section, such as server:",
                "nonsense | FILE:1: holds no settings; it begins with a section, such as server:",
                "? [a]\\n: 1 | FILE:1: (a list or a section): is not a setting; docs/configuration.md lists the settings",
                "<<: {port: 1} | FILE:1: <<.port: is not a setting; did you mean server.port?",
                "server:\\n  hosts: [a, [b]] | FILE:2: server.hosts: an item must be a host's name without a port",
                "server:\\n  port: \\u0007 | FILE:2: holds a character that YAML does not allow (U+0007)",
                "%YAML 2.0\\n---\\n{} | FILE:1: says that it is of another version than YAML 1.2"
            })
    void whatIsNoConfigurationIsToldWithItsLine(String text, String problem) {
        assertThat(problems(text.replace("\\n", "\n").replace("\\t", "\t").replace("\\u0007", "\u0007")))
                .extracting(line -> line.replace("\\", "?"))
                .containsExactly(problem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing\n", "---\n", "{}", "null", "server:\n", "server: {}\n", "\ufeffserver:\n"})
    void anEmptyFileSaysNothing(String text) {
        stage.file(stage.user(), text);
        assertThat(stage.read().files()).containsExactly(stage.user());
    }

    @Test
    void aByteOrderMarkIsPassedOver() {
        stage.file(stage.user(), "\ufeffserver:\r\n  port: 7\r\n");
        assertThat(stage.read().settings().get(Keys.PORT)).isEqualTo(7);
    }

    @Test
    void wordsOfOtherLanguagesAreTexts() {
        stage.file(stage.user(), "jobs:\n  image: no\n  cpus: \"1.5\"\n  network: 'none'\n  pull: always # or not\n");
        Settings settings = stage.read().settings();
        assertThat(settings.get(Keys.JOB_IMAGE)).isEqualTo("no");
        assertThat(settings.find(Keys.CPUS)).isEqualByComparingTo("1.5");
        assertThat(settings.get(Keys.JOB_NETWORK)).isEqualTo("none");
        assertThat(settings.get(Keys.PULL)).isEqualTo(PullPolicy.ALWAYS);
    }

    @Test
    void whatIsNotUtf8IsRefused() {
        stage.file(stage.user(), "jobs: {image: m\u00fcnster}".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(stage.problems()).containsExactly(".config/berth/berth.yaml: is not UTF-8 text");
    }

    @Test
    void aFolderIsNoFile() throws IOException {
        Files.createDirectories(stage.user());
        assertThat(stage.problems()).containsExactly(".config/berth/berth.yaml: is not a file");
    }

    @Test
    void aFileThatEverybodyMayWriteIsRefusedWhole() throws IOException {
        stage.file(stage.user(), "server: {prot: 1}");
        Files.setPosixFilePermissions(stage.user(), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(stage.problems())
                .containsExactly(
                        ".config/berth/berth.yaml: can be written by everybody, who would rule the server by it;"
                                + " run chmod go-w on it");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "0, 0, rw-r--r--, -",
                "0, 0, rw-rw-r--, can be written by its group",
                "0, 0, rw----rw-, can be written by everybody",
                "7, 0, rw-------, belongs to user 7; it has to belong to root",
                "0, 7, rw-rw-r--, -",
                "7, 7, rw-rw-r--, -",
                "7, 7, rw-r---w-, can be written by everybody",
                "8, 7, rw-r--r--, 'belongs to user 8; it has to belong to root or to user 7, whom the server runs as'"
            })
    void whoWritesTheFileRulesTheServer(long owner, long uid, String permissions, String problem) {
        assertThat(FileText.distrust(owner, PosixFilePermissions.fromString(permissions), uid)
                        .map(sentence -> problem == null ? sentence : sentence.substring(0, problem.length()))
                        .orElse(null))
                .isEqualTo(problem);
    }

    @Test
    void aFileIsReadWithoutVariablesOfItsOwn() {
        stage.file(stage.user(), "jobs:\n  image: ${HOME}\n");
        assertThat(stage.read().settings().get(Keys.JOB_IMAGE)).isEqualTo("${HOME}");
    }
}
