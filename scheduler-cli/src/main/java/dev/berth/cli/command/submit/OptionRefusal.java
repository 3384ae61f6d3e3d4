package dev.berth.cli.command.submit;

import dev.berth.cli.command.submit.JobFiles.Said;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Given;
import dev.berth.cli.line.OptionLayer;
import dev.berth.cli.output.text.ShellWords;
import dev.berth.core.option.JobOption;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server's refusal of a submit, said of the option as it was typed: the API speaks of its own fields. */
final class OptionRefusal {
    private static final String COMMAND = "command";
    private static final String TOO_LARGE = "TOO_LARGE";

    private OptionRefusal() {}

    /** A call that hands in a line's request. */
    interface Call<T> {
        T ask() throws IOException;
    }

    static <T> T retold(Said said, Call<T> call) throws IOException {
        try {
            return call.ask();
        } catch (Failure refused) {
            throw retold(refused, said);
        }
    }

    /** The refusal of a job, with the line of the file that it is about where a file says that. */
    static Failure retold(Failure refused, Said said) {
        if (isOfOption(refused) || refused.error().code().equals(TOO_LARGE)) {
            return retold(refused, said.options());
        }
        boolean isOfCommand = COMMAND.equals(refused.error().details().get("field"));
        String where = isOfCommand && !said.commandPlace().isEmpty() ? said.commandWhere() : said.where();
        return where.isEmpty() || refused.exitCode() != ExitCode.USAGE
                ? refused
                : refused.inWords(where + refused.getMessage());
    }

    /** Whether a refusal is about an option of a job, and so can be told of it. */
    static boolean isOfOption(Failure refused) {
        var details = refused.error().details();
        return !JobOption.of(details.get("field")).isEmpty()
                && details.containsKey("value")
                && details.containsKey("rule");
    }

    static Failure retold(Failure refused, GivenOptions given) {
        if (given.isOfSweepFile() && refused.error().code().equals(TOO_LARGE)) {
            return refused.inWords(refused.getMessage()
                    + "; submit a part of the sweep file's runs at a time: --array 0-999, --array 1000-1999 and so on");
        }
        String field = refused.error().details().get("field");
        String value = refused.error().details().get("value");
        String rule = refused.error().details().get("rule");
        List<JobOption> options = JobOption.of(field);
        if (options.isEmpty() || value == null || rule == null) {
            return refused;
        }
        for (JobOption option : options) {
            List<OptionLayer> layers = given.layers(option.field());
            for (int at = 0; at < layers.size(); at++) {
                Given said = layers.get(at).get(option);
                OptionLayer last = at == layers.size() - 1 ? layers.get(at) : null;
                String typed = said == null ? null : typed(option, said, last, value);
                if (typed != null) {
                    return refused.inWords(typed + " " + rule);
                }
            }
        }
        String name = options.getFirst().names().getFirst();
        return refused.inWords(
                value.isEmpty()
                        ? name + " is not given: it " + rule
                        : name + ", which is '" + value + "' where the line does not say it, " + rule);
    }

    /**
     * The option as it is given; null where the value is not of it.
     *
     * <p>No value of a variable is said again, and of a text no
     * more than the server says: it has left out what is long or invisible.
     *
     * @param last the layer where none behind it can have the value; null otherwise
     */
    private static @Nullable String typed(JobOption option, Given said, @Nullable OptionLayer last, String value) {
        return switch (option.kind()) {
            case FLAG -> said.with("");
            case TEXT, PULL -> said.with(word(value));
            case GPUS, CPUS, NUMBER, SIZE, MEMORY, DURATION, SIGNAL, DATE, TASKS, TASK_COUNT ->
                said.with(word(said.text()));
            case VARIABLES ->
                isOf(value, said.texts())
                        ? said.with(word(value))
                        : last == null || last.get(JobOption.ENVIRONMENT_FILES) != null ? null : said.of(value);
            case TEXTS -> said.texts().contains(value) ? said.with(word(value)) : said.of(value);
            case JOBS -> {
                String job = value.substring(value.indexOf(':') + 1);
                boolean isTyped = DependencyWords.isIn(said.texts(), job);
                boolean isOther = last != null && last.get(JobOption.DEPENDENCY) != null;
                yield isTyped ? said.with(word(job)) : isOther ? null : said.of(value);
            }
            case VARIABLE_FILES, VOLUMES, DEPENDENCIES -> said.of(value);
        };
    }

    private static boolean isOf(String variable, List<String> given) {
        return given.stream().anyMatch(one -> one.equals(variable) || one.startsWith(variable + "="));
    }

    /** Quoted as in a shell. */
    private static String word(String text) {
        return ShellWords.join(List.of(text));
    }
}
