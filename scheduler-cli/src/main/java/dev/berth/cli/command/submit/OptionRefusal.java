package dev.berth.cli.command.submit;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.output.text.ShellWords;
import dev.berth.core.option.JobOption;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server's refusal of a submit, said of the option as it was typed: the API speaks of its own fields. */
final class OptionRefusal {
    private OptionRefusal() {}

    /** A call that hands in a line's request. */
    interface Call<T> {
        T ask() throws IOException;
    }

    static <T> T retold(Arguments arguments, Call<T> call) throws IOException {
        try {
            return call.ask();
        } catch (Failure refused) {
            throw retold(refused, arguments);
        }
    }

    static Failure retold(Failure refused, Arguments arguments) {
        String field = refused.error().details().get("field");
        String value = refused.error().details().get("value");
        String rule = refused.error().details().get("rule");
        List<JobOption> options = JobOption.of(field);
        if (options.isEmpty() || value == null || rule == null) {
            return refused;
        }
        for (JobOption option : options) {
            String typed = JobWords.isGiven(option, arguments) ? typed(option, arguments, value) : null;
            if (typed != null) {
                return refused.inWords(typed + " " + rule);
            }
        }
        return refused.inWords(arguments.typed(options.getFirst().names()) + ", which is '" + value
                + "' where the line does not say it, " + rule);
    }

    /**
     * The option as the line has it; null where the value is not of it. No value of a variable is said again, and of a text no
     * more than the server says: it has left out what is long or invisible.
     */
    private static @Nullable String typed(JobOption option, Arguments arguments, String value) {
        String name = arguments.typed(option.names());
        return switch (option.kind()) {
            case FLAG -> name;
            case TEXT, PULL -> name + " " + word(value);
            case GPUS, CPUS, NUMBER, SIZE, MEMORY, DURATION, DATE, TASKS, TASK_COUNT ->
                name + " " + word(arguments.required(option.names().getFirst()));
            case VARIABLES ->
                isOf(value, arguments.values(name))
                        ? name + " " + word(value)
                        : JobWords.isGiven(JobOption.ENVIRONMENT_FILES, arguments) ? null : of(name, value);
            case TEXTS -> arguments.values(name).contains(value) ? name + " " + word(value) : of(name, value);
            case JOBS -> {
                String job = value.substring(value.indexOf(':') + 1);
                boolean isTyped = DependencyWords.isIn(arguments.values(name), job);
                boolean isOther = JobWords.isGiven(JobOption.DEPENDENCY, arguments);
                yield isTyped ? name + " " + word(job) : isOther ? null : of(name, value);
            }
            case VARIABLE_FILES, VOLUMES, DEPENDENCIES -> of(name, value);
        };
    }

    private static String of(String name, String value) {
        return name + ": '" + value + "'";
    }

    private static boolean isOf(String variable, List<String> given) {
        return given.stream().anyMatch(one -> one.equals(variable) || one.startsWith(variable + "="));
    }

    /** Quoted as in a shell. */
    private static String word(String text) {
        return ShellWords.join(List.of(text));
    }
}
