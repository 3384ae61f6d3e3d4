package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;

/** Reads what stands behind a command's words, by picocli, and says in our own words what is wrong with it. */
public final class LineReader {
    private LineReader() {}

    public static Arguments read(CommandForm command, List<String> line) {
        Shape shape = command.shape();
        String name = shape.name();
        CommandSpec spec = shape.spec();
        OptionWords.check(name, spec.optionsMap(), line, command.ownWords());
        CommandLine commandLine = new CommandLine(spec).setExpandAtFiles(false);
        try {
            return new Arguments(name, commandLine.parseArgs(line.toArray(String[]::new)));
        } catch (OverwrittenOptionException twice) {
            throw Failure.usage(option(twice.getOverwritten()) + " is given more than once; give it once");
        } catch (MissingParameterException missing) {
            var parameter = missing.getMissing().getFirst();
            throw Failure.usage(
                    option(parameter) + " needs a value: " + option(parameter) + " " + parameter.paramLabel());
        } catch (ParameterException wrong) {
            throw Failure.usage(wrong.getMessage() + "; see berth " + name + " --help");
        }
    }

    private static String option(CommandLine.Model.ArgSpec argument) {
        return argument instanceof CommandLine.Model.OptionSpec option ? option.longestName() : argument.paramLabel();
    }
}
