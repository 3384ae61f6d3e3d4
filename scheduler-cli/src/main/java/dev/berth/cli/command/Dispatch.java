package dev.berth.cli.command;

import dev.berth.cli.client.http.ServerUnreachable;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.exit.OnInterrupt;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.CommandLineWords;
import dev.berth.cli.line.Help;
import dev.berth.cli.line.LineReader;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.JsonOutput;
import dev.berth.cli.output.Output;
import dev.berth.cli.output.TextOutput;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.List;

/** From the words of the command line to the exit code. */
public final class Dispatch {
    private static final String END = "--";

    private final Environment environment;

    public Dispatch(Environment environment) {
        this.environment = environment;
    }

    /** Runs one command; whatever goes wrong is told on standard error. */
    public int run(List<String> line) {
        Output output = beforeReading(line);
        try {
            CommandLineWords words = CommandLineWords.of(line);
            switch (words.name()) {
                case "" -> {
                    environment.screen().notice(Help.PAGE.stripTrailing());
                    return ExitCode.USAGE;
                }
                case "--help" -> environment.screen().line(Help.PAGE.stripTrailing());
                case "--version" -> environment.screen().line("berth " + environment.version());
                default -> {
                    return answered(Verbs.of(words.name()), words.rest());
                }
            }
            return ExitCode.OK;
        } catch (Failure failure) {
            return failed(failure, output);
        } catch (InvalidPathException nowhere) {
            // Wherever a command reads one; the system has no file of such a name.
            return failed(
                    Failure.usage("'" + nowhere.getInput() + "' cannot be a path: a path has no NUL, and is text in the"
                            + " encoding of the locale (LC_ALL=C.UTF-8 knows all)"),
                    output);
        }
    }

    /** A program that evaluates what is printed must not take nothing for an answer. */
    private int answered(Verb verb, List<String> line) {
        List<String> refusal = environment.screen().columns() > 0 ? List.of() : verb.refusal(line);
        if (refusal.isEmpty()) {
            return run(verb, line);
        }
        Runnable refuse = () -> refusal.forEach(environment.screen()::line);
        boolean isDone = false;
        try (OnInterrupt _ = OnInterrupt.run(refuse)) {
            int code = run(verb, line);
            isDone = code == ExitCode.OK;
            return code;
        } finally {
            if (!isDone) {
                refuse.run();
            }
        }
    }

    private int run(Verb verb, List<String> line) {
        Arguments arguments = LineReader.read(verb, line);
        if (arguments.has(Shape.HELP)) {
            environment.screen().line(arguments.help());
            return ExitCode.OK;
        }
        Session session = Session.of(verb.reach(), arguments, environment);
        try {
            return verb.run(arguments, session);
        } catch (Failure failure) {
            return failed(failure, session.output());
        } catch (IOException broken) {
            String sentence = broken instanceof ServerUnreachable
                    ? String.valueOf(broken.getMessage())
                    : "the connection to the server at " + session.place() + " broke: " + broken.getMessage();
            return failed(Failure.berth("NO_ANSWER", sentence), session.output());
        }
    }

    private static int failed(Failure failure, Output output) {
        if (!failure.isSilent()) {
            output.failure(failure);
        }
        return failure.exitCode();
    }

    /** The output that tells what is wrong with a line that is not read yet. */
    private Output beforeReading(List<String> line) {
        int end = line.indexOf(END);
        boolean json = line.subList(0, end < 0 ? line.size() : end).contains(Shape.JSON);
        return json ? new JsonOutput(environment.screen()) : new TextOutput(environment.screen(), environment.time());
    }
}
