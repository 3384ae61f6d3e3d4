package dev.berth.cli.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is left out, held against git itself: what {@code git check-ignore} says of the same lines. */
class IgnoreRulesTest {
    private static final List<String> NAMES = List.of(
            "a", "b", "ab", "abc", "foo", "foo.txt", "bar", "foobar", "a-b", "A", "#a", "!a", "a b", "a ", "\\a", "[a]",
            "a*b", "\u00fc", "1", "]", "-", "^");

    @TempDir
    private Path outside;

    private Project project;

    @BeforeEach
    void make() throws IOException {
        project = Project.in(outside);
    }

    /** Files and directories three deep, whose names are what patterns are about. */
    private void fill() throws IOException {
        for (String name : NAMES) {
            project.write(name, "");
        }
        for (String above : List.of("d", "d/e", "foo.d", "d/abc", "src", "src/d")) {
            for (String name : List.of("a", "ab", "foo", "foo.txt", "bar", "a b", "\u00fc", "]")) {
                project.write(above + "/" + name, "");
            }
        }
    }

    /** What git would keep: all that is there but what it ignores, by the same lines. */
    private Set<String> keptByGit() throws IOException, InterruptedException {
        try (Stream<Path> files = Files.walk(project.path())) {
            for (Path file :
                    files.filter(path -> path.endsWith(IgnoreRules.FILE)).toList()) {
                Files.copy(file, file.resolveSibling(".gitignore"));
            }
        }
        run(List.of("git", "init", "-q", "."), "");
        Set<String> all;
        try (Stream<Path> files = Files.walk(project.path())) {
            all = files.map(file -> project.path().relativize(file).toString())
                    .filter(name -> !name.isEmpty() && !name.startsWith(".git") && !name.endsWith("ignore"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        String ignored = run(
                List.of("git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-z", "--stdin"),
                String.join("\0", all));
        for (String name : ignored.split("\0", -1)) {
            all.remove(name);
        }
        return all;
    }

    private String run(List<String> words, String input) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words)
                .directory(project.path().toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Thread writer = Thread.ofVirtual().start(() -> {
            try (OutputStream out = process.getOutputStream()) {
                out.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        writer.join();
        assertThat(process.waitFor()).as("1 is for nothing ignored").isIn(0, 1);
        return answer;
    }

    private Set<String> kept() {
        return project.plan().entries().stream()
                .map(DirectoryEntry::name)
                .filter(name -> !name.endsWith("ignore"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void assertAsGit(String lines) throws IOException, InterruptedException {
        fill();
        project.write(IgnoreRules.FILE, lines);
        assertThat(kept()).as(lines).isEqualTo(keptByGit());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "# a comment\n\na",
                "\\#a",
                "\\!a",
                "a\n!a",
                "!a\na",
                "d\n!d/a",
                "d/*\n!d/a",
                "d/**\n!d/e\n!d/e/a",
                "d/",
                "foo.txt/",
                "/a",
                "/d/a",
                "d/a",
                "e/a",
                "**/e/a",
                "d/**",
                "d/**/a",
                "**/a",
                "**",
                "*",
                "/*",
                "*\n!*/\n!a",
                "*.txt",
                "f*o",
                "f**o",
                "f**o/a",
                "d**/a",
                "**d/a",
                "d/**a",
                "d*/a",
                "*/a",
                "*/*/a",
                "?",
                "??",
                "d?e",
                "d/?",
                "[ab]",
                "[a-c]",
                "[!a]",
                "[^a]",
                "[]]",
                "[!]]",
                "[a-]",
                "[-a]",
                "[\\]]",
                "[[:alpha:]]",
                "[[:digit:]-]",
                "[[:nothing:]]",
                "[[:alpha]",
                "[[:]]",
                "[a",
                "d[/]a",
                "\\a",
                "\\\\a",
                "a\\",
                "\\[a\\]",
                "a\\*b",
                "a ",
                "a\\ ",
                "a\\  ",
                "a \\ ",
                "a b  ",
                "a\r\nb\r\n",
                "\ufeffa",
                "\u00fc",
                "[\u00fc]",
                "/",
                "//",
                "a/",
                "!",
                "!/",
                "a//b",
                "/d/",
                "d/e/",
                "d\\/a",
                "**/",
                "/**",
                "/**/a",
                "**/**/a",
                "d/**/**/a",
                "***/a",
                "d/***",
                "*/",
                "src/**/a\n!src/d/a",
                "\ta",
                "a\t"
            })
    void aLineMeansWhatItMeansToGit(String lines) throws Exception {
        assertAsGit(lines);
    }

    static LongStream seeds() {
        return LongStream.concat(LongStream.range(0, 60), new SplittableRandom().longs(5));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void madeUpLinesMeanWhatTheyMeanToGit(long seed) throws Exception {
        List<String> pieces = List.of(
                "a",
                "b",
                "d",
                "e",
                "foo",
                ".txt",
                "/",
                "/",
                "*",
                "**",
                "**/",
                "?",
                "[ab]",
                "[!a]",
                "[a-f]",
                "[[:alnum:]]",
                "\\",
                "!",
                "#",
                " ",
                "[",
                "]",
                "-",
                "\u00fc",
                "src");
        SplittableRandom random = new SplittableRandom(seed);
        StringBuilder lines = new StringBuilder();
        for (int line = random.nextInt(1, 6); line > 0; line--) {
            lines.append(random.nextInt(4) == 0 ? "!" : "");
            for (int piece = random.nextInt(1, 6); piece > 0; piece--) {
                lines.append(pieces.get(random.nextInt(pieces.size())));
            }
            lines.append('\n');
        }
        assertAsGit(lines.toString());
    }

    @Test
    void aNearerFileHasTheLastWord() throws Exception {
        fill();
        project.write(IgnoreRules.FILE, "a\n*.txt\n");
        project.write("d/.berthignore", "!a\n/foo\ne/ab\n");
        project.write("d/e/.berthignore", "a\n!foo.txt\n");
        assertThat(kept()).isEqualTo(keptByGit()).contains("d/a", "d/e/foo.txt").doesNotContain("a", "d/e/a", "d/foo");
    }

    @Test
    void aFileInWhatIsLeftOutIsNotRead() throws Exception {
        fill();
        project.write(IgnoreRules.FILE, "d\n");
        project.write("d/.berthignore", "!a\n");
        assertThat(kept()).isEqualTo(keptByGit()).doesNotContain("d", "d/a");
    }

    @Test
    void whatBerthLeavesOutCanBeBroughtBackButForGitsOwn() throws IOException {
        project.write(".git/config", "");
        project.write("__pycache__/x.pyc", "");
        project.write("venv/pyvenv.cfg", "");
        project.write("other/pyvenv.cfg", "");
        project.write("node_modules/x.js", "");
        project.write(IgnoreRules.FILE, "!.git\n!__pycache__/\n!*.pyc\n!/venv\n");
        assertThat(kept()).containsExactly("__pycache__", "__pycache__/x.pyc", "venv", "venv/pyvenv.cfg");
    }

    @Test
    void aGitignoreIsNotRead() throws IOException {
        project.write(".gitignore", "data\n");
        project.write("data", "needed");
        assertThat(kept()).contains("data");
    }

    @Test
    void aLinkIsNotReadAsRules() throws IOException {
        Files.writeString(outside.resolve("rules"), "a\n");
        project.write("a", "");
        project.write("rules", "a\n");
        project.link(IgnoreRules.FILE, "rules");
        assertThat(kept()).contains("a");
    }

    @Test
    void rulesAreUtf8AndShort() throws IOException {
        Files.write(project.path().resolve(IgnoreRules.FILE), new byte[] {'a', (byte) 0xff});
        assertThatThrownBy(project::plan).isInstanceOf(Failure.class).hasMessageContaining("is not UTF-8");
        project.write(IgnoreRules.FILE, "a\n".repeat(1 << 20));
        assertThatThrownBy(project::plan).isInstanceOf(Failure.class).hasMessageContaining("has more than 1 MiB");
    }

    /** Stars upon stars take time in proportion, not in powers. */
    @Test
    void aNastyPatternIsNoTrouble() throws IOException {
        project.write("a".repeat(250), "");
        project.write(IgnoreRules.FILE, "*a".repeat(120) + "b\n" + "**/".repeat(1_000) + "b\n");
        assertThat(project.names()).hasSize(2);
    }
}
