package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobQuery;
import dev.berth.cli.client.JobQuery.Sort;
import dev.berth.cli.client.JobQuery.Told;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.text.JobFormat;
import dev.berth.core.api.JobList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The options of lists that have to do with what jobs told of themselves. */
final class ToldOptions {
    static final String WHERE = "--where";
    private static final String COLUMNS = "--columns";
    private static final String TEXT = "--text";
    private static final String TAG = "--tag";
    private static final String SORT = "--sort";

    /** Fields of the API that are called as their options are. */
    private static final Set<String> REFUSED = Set.of("where", "columns", "text", "tag", "sort");

    private ToldOptions() {}

    /** Adds them to a list. */
    static Shape addTo(Shape shape) {
        return addWhere(shape)
                .value("TEXT", "Only jobs with this text in number, name, project or a tag, in any case.", TEXT)
                .value("NAME[=VALUE]", "Only jobs with this tag.", TAG)
                .value(
                        "COLUMN[:desc]",
                        "In the order of this column: id, name, project, user, state, gpus, submitted, started, ended,"
                                + " duration; with :desc the greatest first.",
                        SORT)
                .value(
                        "NAME,...",
                        "Show these columns: fields of --format, in small letters too, and what jobs told, as in"
                                + " id,name,lr,acc,acc:max.",
                        COLUMNS);
    }

    static Shape addWhere(Shape shape) {
        return shape.value(
                "CONDITION",
                "Only jobs, tasks of arrays among them, that told this: 'acc>0.9 and lr=0.01'; =, !=, <, <=, >, >=, and, or,"
                        + " parentheses.",
                WHERE);
    }

    /** The condition that the line gives; null where it gives none. */
    static @Nullable String where(Arguments arguments) {
        String where = arguments.value(WHERE);
        if (where != null && where.isBlank()) {
            throw Failure.usage(WHERE + ": '' must be a condition; for example " + WHERE + " 'acc>0.9 and lr=0.01'");
        }
        return where;
    }

    /** Whether the line asks for columns. */
    static boolean hasColumns(Arguments arguments) {
        return arguments.has(COLUMNS);
    }

    /** The query with what the line asks for of what jobs told. */
    static JobQuery query(Arguments arguments, JobQuery query) {
        String where = where(arguments);
        if (where != null && query.param() != null) {
            throw Failure.usage(TaskOptions.PARAM + " and " + WHERE + " exclude each other; " + WHERE + " '"
                    + query.param() + "' asks for the same");
        }
        return query.with(new Told(
                JobFormat.told(columns(arguments)),
                where,
                null,
                false,
                arguments.value(TEXT),
                arguments.value(TAG),
                sort(arguments)));
    }

    /** Whether the line asks for an order of the list. */
    static boolean isSorted(Arguments arguments) {
        return arguments.has(SORT);
    }

    /** The columns are the server's to know. */
    private static @Nullable Sort sort(Arguments arguments) {
        String text = arguments.value(SORT);
        if (text == null) {
            return null;
        }
        int colon = text.indexOf(':');
        String direction = colon < 0 ? "asc" : text.substring(colon + 1);
        if (!direction.equals("asc") && !direction.equals("desc")) {
            throw Failure.usage(
                    SORT + ": '" + direction + "' must be asc or desc; for example " + SORT + " duration:desc");
        }
        return new Sort(colon < 0 ? text : text.substring(0, colon), direction.equals("desc"));
    }

    /** The template that the line asks for, by columns or whole; null where there is none. */
    static @Nullable JobFormat format(Arguments arguments) {
        List<String> columns = columns(arguments);
        if (columns.isEmpty()) {
            return Ps.format(arguments);
        }
        if (arguments.has(Ps.FORMAT)) {
            throw Failure.usage(COLUMNS + " and " + Ps.FORMAT + " exclude each other; give one of them");
        }
        // What is printed then is the jobs, with their values, or their ids.
        return arguments.has(Shape.JSON) || arguments.has(Shape.QUIET) ? null : JobFormat.ofColumns(columns);
    }

    /** The jobs of such a query; a refusal of it names the option. */
    static JobList jobs(BerthClient client, JobQuery query) throws IOException {
        try {
            return client.jobs(query);
        } catch (Failure refused) {
            String field = refused.error().details().get("field");
            throw field != null && REFUSED.contains(field) ? refused.inWords("--" + refused.getMessage()) : refused;
        }
    }

    private static List<String> columns(Arguments arguments) {
        String text = arguments.value(COLUMNS);
        if (text == null) {
            return List.of();
        }
        List<String> columns = new ArrayList<>();
        for (String name : text.split(",", -1)) {
            if (name.isBlank()) {
                throw Failure.usage(COLUMNS + ": '" + text + "' must be names with commas between them; for example "
                        + COLUMNS + " id,name,lr,acc");
            }
            columns.add(name.strip());
        }
        return columns;
    }
}
