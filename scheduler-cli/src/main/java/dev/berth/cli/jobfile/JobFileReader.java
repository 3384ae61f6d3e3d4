package dev.berth.cli.jobfile;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.sweep.YamlDocuments;
import dev.berth.core.sweep.SourceLine;
import dev.berth.core.sweep.SweepRefusal;
import dev.berth.core.sweep.SweepValue;
import dev.berth.core.sweep.SweepValue.Scalar;
import dev.berth.core.sweep.SweepValue.Section;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reader of {@code berth.yaml} and of Atlas's {@code job.config.yaml}; what is wrong is a {@link Failure} with the line. */
public final class JobFileReader {
    public static final String NAME = "berth.yaml";
    public static final String ATLAS_NAME = "job.config.yaml";

    private JobFileReader() {}

    /** The file that describes the jobs of a directory; null where there is none. Atlas's says nothing beside Berth's. */
    public static @Nullable JobFile in(Path directory) {
        for (String name : List.of(NAME, ATLAS_NAME)) {
            Path path = directory.resolve(name);
            if (Files.exists(path)) {
                return read(name, name, path);
            }
        }
        return null;
    }

    /**
     * The job that a file describes which an option names, by the name of the file in Atlas's form or in Berth's.
     *
     * @param shown the path as the user wrote it
     */
    public static JobFile named(String option, String shown, Path path) {
        return read(option + ": '" + shown + "'", shown, path);
    }

    private static JobFile read(String what, String shown, Path path) {
        try {
            Section section = section(shown, FileText.all(what, path));
            return path.endsWith(ATLAS_NAME) ? new AtlasFile(section).job() : new BerthFile(path, section).job();
        } catch (SweepRefusal refusal) {
            throw Failure.of(ExitCode.USAGE, "JOB_FILE", refusal.sentence());
        }
    }

    private static Section section(String shown, String text) {
        List<SweepValue> documents = YamlDocuments.texts(shown, text);
        if (documents.size() > 1) {
            throw new SweepRefusal(documents.get(1).place(), "begins a second document; a file of a job has one");
        }
        Section nothing = new Section(new SourceLine(shown, 1), Map.of());
        return switch (documents.isEmpty() ? nothing : documents.getFirst()) {
            case Section section -> section;
            case Scalar scalar when scalar.value() == null -> nothing;
            case SweepValue other ->
                throw new SweepRefusal(other.place(), "is no map of options; write num-gpus: 1, for example");
        };
    }
}
