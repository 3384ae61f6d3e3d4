package dev.berth.cli.command.submit;

import dev.berth.cli.command.Session;
import dev.berth.cli.command.submit.JobFiles.Said;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.snapshot.PlannedFiles;
import dev.berth.cli.snapshot.SnapshotPlan;
import dev.berth.core.command.CommandCheck;
import dev.berth.core.command.CommandFault;
import dev.berth.core.option.JobOption;
import dev.berth.core.parameter.ParameterText;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The command of a line, looked at before anything is sent: what cannot run is refused, what most likely cannot is told. */
final class CommandWords {
    private CommandWords() {}

    /**
     * Checks a submit; what is told of a command of a file has its place.
     *
     * @param request with its options
     * @param plan null where nothing of the directory is sent
     */
    static void check(Said said, Map<String, Object> request, @Nullable SnapshotPlan plan, Session session) {
        List<String> command = said.words().command();
        GivenOptions given = said.options();
        boolean isKnown =
                CommandCheck.startsInSubmitted(given.text(JobOption.WORKING_DIRECTORY), given.texts(JobOption.VOLUMES));
        // Which file a word with a parameter in it names differs from task to task.
        boolean isOfParameters = (given.isOfSweepFile() || !given.sweep().isEmpty())
                && !ParameterText.places(command).isEmpty();
        Object entrypoint = request.get(JobOption.ENTRYPOINT.field());
        CommandCheck.of(
                        command,
                        entrypoint == null ? null : entrypoint.toString(),
                        plan == null || !isKnown || isOfParameters ? null : new PlannedFiles(plan))
                .ifPresent(fault -> tell(said.commandWhere(), fault, session));
    }

    /** @param where the command comes from, for a sentence that goes on; empty for the line */
    static void tell(String where, CommandFault fault, Session session) {
        String sentence = where + "command: '" + fault.word() + "' " + fault.rule();
        if (fault.certain()) {
            throw Failure.usage(sentence);
        }
        session.output().warning(sentence);
    }
}
