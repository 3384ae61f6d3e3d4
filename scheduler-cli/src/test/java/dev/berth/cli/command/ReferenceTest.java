package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The documents that are made out of the commands' shapes. After a change that is meant:
 * {@code mvn -pl scheduler-cli test -Dtest=ReferenceTest -Dberth.write.docs=true}.
 */
class ReferenceTest {
    private static final Path DOCUMENT = Path.of("../docs/cli.md");
    private static final List<String> COMMON = List.of(
            Shape.QUIET, Shape.JSON, Shape.VERBOSE, Shape.SOCKET, Shape.DATA_DIRECTORY, Shape.COLOR, Shape.HELP);

    private static final String HEAD = """
            # Command line reference

            Every command with every option, as `berth COMMAND --help` shows them. This page is made out of the program by a
            test. The [user guide](user-guide.md) tells how to use it.

            """;

    private static final String JOBS = """
            ## Naming jobs

            Where a command takes `<id>`, it takes:

            - an id: `17`;
            - a range of ids: `17-20`, at most 1,000 jobs, for commands that take several;
            - `last`, your newest job;
            - a job's name: the job of that name that runs or waits, or else the one that is over. Where several have it, the
              command lists their ids and does nothing.

            What looks like a number is an id. A job that is called `last` is to be named by its id.

            """;

    private static String reference() {
        StringBuilder page = new StringBuilder(HEAD);
        for (String name : Verbs.NAMES) {
            page.append("- [`berth " + name + "`](#berth-" + name.replace(' ', '-') + ")\n");
        }
        page.append('\n').append(JOBS);
        options(page.append("## Options of every command\n\n"), new Gpus().shape(), true);
        for (String name : Verbs.NAMES) {
            command(page, Verbs.of(name).shape());
        }
        return page.toString();
    }

    private static void command(StringBuilder page, Shape shape) {
        page.append("\n## berth ").append(shape.name()).append("\n\n    berth ").append(shape.name());
        page.append((" [OPTIONS] " + shape.words()).stripTrailing()).append("\n\n");
        var usage = options(new StringBuilder(), shape, false);
        for (String paragraph : shape.usage().description()) {
            page.append(paragraph.isEmpty() ? "" : shown(paragraph) + "\n\n");
        }
        page.append(usage);
        page.append(usage.isEmpty() ? "" : "\n");
        for (String line : shape.usage().footer()) {
            page.append("  ").append(line).append('\n');
        }
    }

    private static StringBuilder options(StringBuilder page, Shape shape, boolean common) {
        String head = "| option | meaning |\n|---|---|\n";
        for (OptionSpec option : shape.spec().options()) {
            if (COMMON.contains(option.longestName()) == common) {
                page.append(head).append("| `").append(String.join("`, `", option.names()));
                page.append(option.arity().max() == 0 ? "" : " " + option.paramLabel())
                        .append("` | ");
                page.append(shown(String.join(" ", option.description()))).append(" |\n");
                head = "";
            }
        }
        return page;
    }

    /** What Markdown would take for a tag or a column. */
    private static String shown(String text) {
        return text.replace("<", "&lt;").replace("|", "\\|");
    }

    @Test
    void theReferenceIsWhatTheProgramSays() throws IOException {
        if (Boolean.getBoolean("berth.write.docs")) {
            Files.writeString(DOCUMENT, reference());
        }
        assertThat(reference()).as("docs/cli.md").isEqualTo(Files.readString(DOCUMENT));
    }

    @Test
    void everyCommandHasAManualPage(@TempDir Path folder) throws IOException {
        ManualPages.main(new String[] {folder.toString()});
        Map<String, String> pages = ManualPages.all();
        assertThat(pages).hasSize(Verbs.NAMES.size() + 1);
        for (Map.Entry<String, String> page : pages.entrySet()) {
            assertThat(folder.resolve(page.getKey() + ".1")).hasContent(page.getValue());
            assertThat(page.getValue())
                    .startsWith(".TH ")
                    .contains("\n.SH NAME\n" + page.getKey().replace("-", "\\-") + " \\- ")
                    .contains("\n.SH SYNOPSIS\n");
            // Whatever begins with a dot is one of these; anything else would vanish.
            assertThat(page.getValue().lines().filter(line -> line.startsWith(".")))
                    .allMatch(line -> line.matches("\\.(TH|SH|PP|TP|B|I|BR|RI|nf|fi)( .*)?"));
        }
        assertThat(pages.get("berth-submit")).contains(".TP\n\\fB\\-\\-memory, \\-\\-ram\\fR \\fISIZE\\fR\n");
    }

    /** groff, where it is here, has nothing to say against them; ./check sees to it that it is. */
    @Test
    void manualPagesAreRoff(@TempDir Path folder) throws IOException {
        ManualPages.main(new String[] {folder.toString()});
        if (System.getenv("BERTH_CHECK_RUN") == null && !Files.isExecutable(Path.of("/usr/bin/groff"))) {
            assertThat(folder).isNotEmptyDirectory();
            return;
        }
        for (String name : ManualPages.all().keySet()) {
            Process process = new ProcessBuilder(
                            "groff",
                            "-man",
                            "-ww",
                            "-Tutf8",
                            "-z",
                            folder.resolve(name + ".1").toString())
                    .redirectErrorStream(true)
                    .start();
            assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .as(name)
                    .isEmpty();
        }
    }
}
