package dev.berth.server.target;

import static java.util.Objects.requireNonNullElse;

import dev.berth.core.command.ClosestWord;
import dev.berth.server.config.FileText;
import dev.berth.server.config.Lines;
import dev.berth.server.config.YamlNode.Entry;
import dev.berth.server.runner.slurm.SlurmSettings;
import dev.berth.server.runner.slurm.SlurmSettings.Container;
import dev.berth.server.runner.slurm.SlurmSettings.Launcher;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The settings of a Slurm cluster. */
final class SlurmReader {
    static final List<String> KNOWN = List.of(
            "host",
            "programs",
            "environment",
            "directory",
            "partition",
            "account",
            "qos",
            "options",
            "container",
            "launcher",
            "deadline");

    private static final List<String> CONTAINERS = Stream.of(Container.values())
            .map(container -> container.name().toLowerCase(Locale.ROOT))
            .toList();

    private SlurmReader() {}

    /**
     * Reads the section.
     *
     * @param uid whom the server runs as, who must be able to trust the launcher's file
     */
    static SlurmSettings read(Lines lines, Entry section, long uid) {
        Fields fields = new Fields(lines, section, "a Slurm target", KNOWN);
        return new SlurmSettings(
                fields.text("host", Rule.HOST),
                fields.text("programs", Rule.ABSOLUTE),
                fields.map("environment", Rule.VARIABLE, Rule.LINE),
                requireNonNullElse(fields.text("directory", Rule.DIRECTORY), SlurmSettings.DEFAULT_DIRECTORY),
                fields.text("partition", Rule.SLURM_NAME),
                fields.text("account", Rule.SLURM_NAME),
                fields.text("qos", Rule.SLURM_NAME),
                fields.texts("options", Rule.SLURM_OPTION),
                new Launcher(container(fields), launcher(fields, uid)),
                requireNonNullElse(fields.duration("deadline"), SlurmSettings.DEFAULT_DEADLINE));
    }

    private static Container container(Fields fields) {
        Entry entry = fields.entry("container");
        String word = entry == null ? null : fields.lines().text(entry).orElse(null);
        if (entry == null || word == null) {
            return Container.NONE;
        }
        if (!CONTAINERS.contains(word)) {
            fields.lines()
                    .broken(
                            entry,
                            word,
                            "must be one of " + String.join(", ", CONTAINERS)
                                    + nearest(ClosestWord.of(word, CONTAINERS)));
            return Container.NONE;
        }
        return Container.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private static String nearest(@Nullable String word) {
        return word == null ? "" : "; did you mean " + word + "?";
    }

    /** The template itself: what becomes of its file afterwards is nothing to the server that runs. */
    private static @Nullable String launcher(Fields fields, long uid) {
        Path file = fields.path("launcher");
        return file == null
                ? null
                : FileText.read(file, true, uid, fields.lines().problems()).orElse(null);
    }
}
