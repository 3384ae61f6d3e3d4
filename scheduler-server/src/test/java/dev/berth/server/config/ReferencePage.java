package dev.berth.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code docs/configuration.md}: the table of settings for people. */
final class ReferencePage {
    static final String HOW_TO_RENEW =
            "mvn -pl scheduler-core,scheduler-server test -Dtest=ConfigurationReferenceTest -Dsurefire.failIfNoSpecifiedTests=false"
                    + " -Dberth.write.docs=true";

    private static final String BEGIN = """
            # Configuration

            <!-- Written by ConfigurationReferenceTest from the table of settings in the server. Do not edit; renew it:
                 {command} -->

            Berth needs no configuration. Where one is wanted, each setting may be said in five places. The one further
            down counts:

            1. nobody says it: the default below;
            2. `/etc/berth/berth.yaml`, the machine's file;
            3. `$XDG_CONFIG_HOME/berth/berth.yaml` (`~/.config/berth/berth.yaml`), the file of the user who starts the
               server. A server that root starts serves the whole machine and reads no user's file;
            4. environment variables;
            5. options of `berth server start`. `--set KEY=VALUE` says any setting.

            `--config FILE`, or the variable `BERTH_CONFIG`, names one file that is read in place of 2 and 3, and that has
            to be there. `server.data-dir` and `server.socket` in the machine's file are the places of root's server: a
            server of another user passes over these two. Where the data directory is said further down than the socket, the
            socket is in that directory.

                berth config show                  # every setting, its value, where it comes from; takes all options of server start
                berth config check                 # says everything that is wrong, with file and line
                berth config check ./berth.yaml    # the same about one file

            A start with a wrong configuration is refused with exit code 2 and all problems at once. A change counts from
            the next start on.

            ## Files

            YAML 1.2, at most 1 MiB, in UTF-8: sections, and below them the settings, as in the [example](examples/berth.yaml).
            Anchors, tags and several documents are refused. A file has to belong to root or to whom the server runs as;
            others must not be able to write it, and for a server of root neither its group.

            `targets:` is a section of another kind: below it stand names of the operator's, each with its engine, as
            [targets.md](targets.md#settings) has them. A target is set in files alone; one of a file further down takes the
            place of the one of the same name.

            ## Values

            | kind | is written as |
            |---|---|
            | yes or no | `true`, `false` |
            | size | `512m`, `8g`, `1GiB`, or plain bytes; units are powers of 1024 whatever they are called |
            | duration | `30s`, `45m`, `2h`, `1d12h` |
            | path | absolute in files; in variables and options also relative to where one is |
            | list | `[a, b]` in files, `a,b` in variables and options |
            | nothing | `none`, where "none" stands below as the default; in files also `null` |

            Paths of passwords are settings, passwords are not: nothing that `berth config show` prints is a secret.
            """;

    private ReferencePage() {}

    static Path docs() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.isDirectory(folder.resolve("scheduler-server"))) {
            folder = folder.getParent();
        }
        if (folder == null) {
            throw new IllegalStateException("no scheduler-server above here");
        }
        return folder.resolve("docs");
    }

    static Path file() {
        return docs().resolve("configuration.md");
    }

    static void writeIfAsked() throws IOException {
        if (Boolean.getBoolean("berth.write.docs")) {
            Files.writeString(file(), fromTable());
        }
    }

    static String fromTable() {
        StringBuilder page = new StringBuilder(BEGIN.replace("{command}", HOW_TO_RENEW));
        for (String section : Keys.SECTIONS) {
            page.append("\n## ").append(section).append("\n\n");
            page.append(
                    "| setting | default | what it says | it must be | variable | option |\n|---|---|---|---|---|---|\n");
            Keys.ALL.stream().filter(key -> key.section().equals(section)).forEach(key -> page.append(row(key)));
        }
        return page.toString();
    }

    private static String row(Key<?> key) {
        return "| `%s` | %s | %s | %s%s | `%s` | %s |\n"
                .formatted(
                        key.name(),
                        otherwise(key),
                        key.description(),
                        key.type().isList() ? "a list, each " : "",
                        key.type().rule(),
                        key.variable(),
                        code(key.flag()));
    }

    private static String otherwise(Key<?> key) {
        String text = key.otherwise();
        return text == null
                ? "none"
                : key.type().isList()
                        ? code(List.of(text.isEmpty() ? new String[0] : text.split(","))
                                .toString())
                        : code(text);
    }

    private static String code(@Nullable String text) {
        return text == null ? "" : "`" + text + "`";
    }
}
