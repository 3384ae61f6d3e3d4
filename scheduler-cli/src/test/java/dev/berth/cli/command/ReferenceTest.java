package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.line.CommandNames;
import dev.berth.cli.line.Shape;
import dev.berth.core.option.JobOption;
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
            - a range of ids: `17-20`, over at most 1,000 jobs, for commands that take several: those of your jobs;
            - `last`, your newest job;
            - a job's name: the job of yours of that name that runs or waits, or else the one that is over. Where several have it,
              the command lists their ids and does nothing.

            Names, ranges and `last` mean your own jobs, also where you may see and steer everybody's: anybody can give a job any
            name. Somebody else's job is named by its id; `berth ps -a --user USER --name NAME` shows it. Filters of `berth cancel`
            and `berth delete` find your own jobs, or with `--user` that user's.

            What looks like a number is an id. A job that is called `last` is to be named by its id.

            """;

    private static final String SERVERS = """
            ## Which server is meant

            The first of these that is there counts, for every command, and those behind it say nothing:

            | | what | means |
            |---|---|---|
            | 1 | `--url URL` | the server at that URL |
            | 2 | `--socket PATH` | the server that answers at that socket |
            | 3 | `--data-dir DIR` | the server whose data is in `DIR`: its socket is `DIR/berth.sock` |
            | 4 | `BERTH_URL` | as `--url`, with the token of `BERTH_TOKEN` or `BERTH_TOKEN_FILE` |
            | 5 | `BERTH_SOCKET` | as `--socket` |
            | 6 | `BERTH_DATA_DIR` | as `--data-dir` |
            | 7 | `$XDG_STATE_HOME/berth`, else `~/.local/state/berth` | your own server, where its socket is there and yours; never for root |
            | 8 | `/var/lib/berth` | the machine's server |

            - What contradicts itself is refused with exit code 2: `--url` beside `--socket` or `--data-dir`, `BERTH_URL` beside
              `BERTH_SOCKET` where no option decides, and an option with nothing behind it (`--data-dir "$UNSET"`). `--socket`
              beside `--data-dir` is one server with both: commands that stop, steer, check or back it up refuse another.
            - `server start`, `config show`, `config check`, `doctor` and `server restore` are about this machine. A server is
              started with the data directory of `--data-dir`, else `BERTH_DATA_DIR`, else the configuration's, else the usual
              one. Its socket is that of the first that names one, in the order `--socket`, `--data-dir`, `BERTH_SOCKET`,
              `BERTH_DATA_DIR`, configuration: a data directory named on the line has its socket in it, whatever a variable or a
              file says. `--url` is refused; `BERTH_URL` says nothing here, except to `doctor` and `server restore`, which refuse
              rather than work on another server than the one it names.
            - Commands read no configuration. Where a file moves the socket, set `BERTH_SOCKET` for those who use it.
            - `server stop`, `server pause`, `server resume`, `gpus drain` and `gpus resume` say on standard error which server
              they address and what named it, where that is not one of the usual places. `server stop` follows no `BERTH_URL`: a
              server of another machine has to be named by `--url`.
            - `server restore`, and `server check` where no server answers, work on files. Where only a socket or a URL says which
              server is meant, they want `--data-dir`.
            - `completion` asks no server. Its scripts ask the one that the line names so far for job ids. `sweep expand` asks none
              either.

            A relative path is relative to the directory that the command is called in. Where that one was removed, or its path is
            longer than the kernel tells (4,095 bytes), commands work all the same but for what needs it, which is refused.

            """;

    private static final String WORDS = """
            ## Options of a job, in files and elsewhere

            What `berth submit` takes on its line, its key in `berth.yaml`, and what is read for it in `#SBATCH` lines, in Atlas's
            `job.config.yaml` and in QHub's profiles. See [job files](studies.md#job-files) and [profiles](profiles.md). A program and
            its arguments are `command` in `berth.yaml`, `worker.command` and `worker.args` in Atlas's file.

            | option | key | `#SBATCH` | Atlas | QHub |
            |---|---|---|---|---|
            """;

    private static String reference() {
        StringBuilder page = new StringBuilder(HEAD);
        for (String name : CommandNames.ALL) {
            page.append("- [`berth " + name + "`](#berth-" + name.replace(' ', '-') + ")\n");
        }
        page.append('\n').append(JOBS);
        page.append(SERVERS);
        words(page.append(WORDS));
        options(page.append("## Options of every command\n\n"), new Gpus().shape(), true);
        for (String name : CommandNames.ALL) {
            command(page, Verbs.of(name).shape());
        }
        return page.toString();
    }

    private static void words(StringBuilder page) {
        for (JobOption option : JobOption.values()) {
            if (option.isOf(false)) {
                page.append("| `").append(option.names().getFirst()).append("` | ");
                page.append(code(option.keys())).append(" | ");
                page.append(code(option.elsewhere().slurm())).append(" | ");
                page.append(code(option.elsewhere().atlas())).append(" | ");
                page.append(code(option.elsewhere().qhub())).append(" |\n");
            }
        }
        page.append('\n');
    }

    private static String code(List<String> words) {
        return words.isEmpty() ? "" : "`" + String.join("`, `", words) + "`";
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
        assertThat(pages).hasSize(CommandNames.ALL.size() + 1);
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
