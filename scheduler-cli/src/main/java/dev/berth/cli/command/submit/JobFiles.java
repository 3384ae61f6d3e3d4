package dev.berth.cli.command.submit;

import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.jobfile.JobFile;
import dev.berth.cli.jobfile.JobFileReader;
import dev.berth.cli.jobfile.ScriptHead;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.CommandForm;
import dev.berth.cli.line.OptionLayer;
import dev.berth.core.option.JobOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A submit as the line and the files say it together: the line counts more than the script's head, and that more than
 * the job file.
 *
 * @param words where it goes, and what it runs
 * @param options of the job
 * @param commandPlace the file and the line that the command comes from; empty where the line has it
 * @param ignored what in the files means nothing here, each a clause for people
 */
record JobFiles(SubmitWords words, GivenOptions options, String commandPlace, List<String> ignored) {
    static final String FILE = "--file";
    static final String NO_FILE = "--no-file";
    static final String NO_SNAPSHOT = "--no-snapshot";

    /** @param submit the command whose options a script may have in its head */
    static JobFiles of(Arguments line, CommandForm submit) {
        if (line.has(FILE) && line.has(NO_FILE)) {
            throw Failure.usage(FILE + " and " + NO_FILE + " exclude each other; give one of them");
        }
        String named = line.value(FILE);
        JobFile file = named == null ? null : JobFileReader.named(FILE, named, WorkingDirectory.absolute(FILE, named));
        boolean isWhole = file != null && line.words().isEmpty();
        boolean isCommandSaid = line.has(JobOption.ENTRYPOINT.names().getFirst());
        SubmitWords words = isWhole
                ? ofFile(named, file)
                : SubmitWords.of(line.words(), isCommandSaid || line.words().size() > 1);
        if (file == null && !line.has(NO_FILE)) {
            file = JobFileReader.in(words.directory());
        }
        boolean isInFile =
                words.command().isEmpty() && file != null && !file.command().isEmpty();
        SubmitWords complete = isInFile ? new SubmitWords(words.directory(), file.command()) : words;
        ScriptHead head = line.has(NO_FILE) || line.has(NO_SNAPSHOT)
                ? null
                : ScriptHead.of(complete.directory(), complete.command(), submit);
        GivenOptions options = options(line, head, file);
        if (complete.command().isEmpty() && !options.has(JobOption.ENTRYPOINT)) {
            throw isWhole
                    ? Failure.usage(named + ": has no command; for example command: python main.py")
                    : SubmitWords.noCommand(line.words(), false);
        }
        return new JobFiles(complete, options, isInFile ? file.commandPlace() : "", ignored(named, head, file));
    }

    /** A submit that the file says as a whole; its directory is the file's own where it says no other. */
    private static SubmitWords ofFile(@Nullable String named, JobFile file) {
        Path directory = file.directory();
        if (directory == null) {
            Path above = WorkingDirectory.absolute(FILE, String.valueOf(named)).getParent();
            directory = above == null ? Path.of("/") : above;
        }
        return SubmitWords.of(List.of(SubmitWords.TARGET, directory.toString()), true);
    }

    private static GivenOptions options(Arguments line, @Nullable ScriptHead head, @Nullable JobFile file) {
        List<OptionLayer> layers = new ArrayList<>(List.of(OptionLayer.of(line)));
        if (head != null) {
            layers.addAll(head.layers());
        }
        if (file != null) {
            layers.add(file.options());
        }
        return new GivenOptions(layers);
    }

    private static List<String> ignored(@Nullable String named, @Nullable ScriptHead head, @Nullable JobFile file) {
        List<String> clauses = new ArrayList<>();
        if (file != null && !file.ignored().isEmpty()) {
            clauses.add((named == null ? JobFileReader.ATLAS_NAME : named) + ": " + file.ignored());
        }
        if (head != null && !head.ignored().isEmpty()) {
            clauses.add(head.ignored());
        }
        return clauses;
    }

    /** The origin of a value of the job, for people. */
    String origin(String value) {
        return value.equals("command") && !commandPlace.isEmpty() ? commandPlace : JobWords.origin(value, options);
    }
}
