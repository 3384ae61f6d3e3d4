package dev.berth.server.http.submit;

import dev.berth.core.api.OptionValues;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;
import dev.berth.core.option.JobOption;
import dev.berth.core.parameter.ParameterRefusal;
import dev.berth.core.parameter.ParameterText;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.parameter.SweepOptions;
import dev.berth.core.text.Utf8;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.PrintableText;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parameters of a sweep that a request asks for, and the tasks that it has. */
final class SweepRequests {
    private static final List<JobOption> OPTIONS =
            List.of(JobOption.SWEEP, JobOption.ZIP, JobOption.SAMPLE, JobOption.SEED);

    private static final int SHOWN_NAMES = 10;

    private SweepRequests() {}

    /** Null where the request is for no sweep. */
    static @Nullable Parameters parameters(SubmitRequest request) {
        OptionValues asked = request.options();
        Parameters given = request.parameters();
        JobOption first = OPTIONS.stream().filter(asked::has).findFirst().orElse(null);
        if (given != null) {
            if (first != null) {
                throw ApiException.field(
                        first.field(), "", "does not go with the parameters of a sweep file; give one of the two");
            }
            requireCount(given.count());
            return given;
        }
        if (first == null) {
            return null;
        }
        try {
            return SweepOptions.of(
                    texts(asked, JobOption.SWEEP),
                    texts(asked, JobOption.ZIP),
                    Options.number(asked, JobOption.SAMPLE),
                    Options.longNumber(asked, JobOption.SEED));
        } catch (ParameterRefusal e) {
            throw ApiException.field(e.field(), PrintableText.of(e.value()), PrintableText.of(e.rule()));
        }
    }

    private static List<String> texts(OptionValues asked, JobOption option) {
        return asked.texts(option).stream()
                .map(text -> {
                    if (text == null || text.indexOf('\0') >= 0) {
                        throw ApiException.field(
                                option.field(), PrintableText.of(String.valueOf(text)), "must be texts without NUL");
                    }
                    return text;
                })
                .toList();
    }

    private static void requireCount(long count) {
        if (count > TaskSet.MAX_TASKS) {
            throw ApiException.field(
                    "parameters",
                    count + " sets",
                    "must be at most " + TaskSet.MAX_TASKS + ", the most tasks of an array");
        }
    }

    /** The tasks of an array, of a sweep from 0 on. */
    static @Nullable Tasks tasks(@Nullable Parameters parameters, @Nullable String array) {
        if (parameters == null) {
            return Options.tasks(array);
        }
        int last = (int) parameters.count() - 1;
        Tasks tasks = Options.tasks(
                array == null || array.startsWith("%") ? "0-" + last + (array == null ? "" : array) : array);
        if (tasks != null && tasks.all().last() > last) {
            throw ApiException.field(
                    JobOption.ARRAY.field(),
                    PrintableText.of(String.valueOf(array)),
                    "names task " + tasks.all().last() + ", and the sweep has the tasks 0 to " + last
                            + "; name some of these, or only how many may run at a time, as in %4");
        }
        return tasks;
    }

    /**
     * Throws where a name in braces in the command is no parameter, or where what a task has of them would be more than its
     * program can be given.
     *
     * @param most how many bytes its command may have, and as many its variables
     */
    static void check(List<String> command, @Nullable Parameters parameters, long most) {
        if (parameters == null) {
            return;
        }
        Set<String> names = parameters.common();
        Map<String, Long> longest = parameters.longest();
        long filled = Utf8.length(command);
        for (String place : ParameterText.places(command)) {
            if (!names.contains(place)) {
                throw ApiException.field(
                        "command",
                        PrintableText.of("{" + place + "}"),
                        "is no parameter that each task of the sweep has (" + some(names) + "); write {{"
                                + PrintableText.of(place) + "}} for braces that stay");
            }
            filled += longest.getOrDefault(place, 0L);
        }
        requireBytes("command", filled, most);
        requireBytes(
                "parameters",
                Utf8.length(longest.keySet())
                        + longest.values().stream().mapToLong(Long::longValue).sum(),
                most);
    }

    private static String some(Set<String> names) {
        List<String> first = names.stream().limit(SHOWN_NAMES).toList();
        return String.join(", ", first) + (names.size() > SHOWN_NAMES ? ", ..." : "");
    }

    private static void requireBytes(String field, long bytes, long most) {
        if (bytes > most) {
            throw ApiException.field(
                    field,
                    bytes + " bytes",
                    "is more than a program is given (" + most
                            + " bytes), with the longest values of the sweep; put what is"
                            + " large into a file of the submitted directory");
        }
    }
}
