package dev.berth.cli.line;

import dev.berth.cli.client.JobQuery;
import dev.berth.cli.client.JobQuery.Owner;
import dev.berth.cli.exit.Failure;
import dev.berth.core.command.ClosestWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The options that choose jobs by what is known of them. */
public final class JobFilters {
    public static final String STATE = "--state";
    static final String USER = "--user";
    static final String PROJECT = "--project";
    static final String NAME = "--name";

    private JobFilters() {}

    /** Adds them to a command; {@code states} are those that it may ask for. */
    public static Shape addTo(Shape shape, List<String> states) {
        return shape.values("STATE", "Only jobs in this state: " + String.join(", ", states) + ".", STATE)
                .value("USER", "Only jobs of this user.", USER)
                .value("PROJECT", "Only jobs of this project.", PROJECT)
                .value("NAME", "Only jobs of this name.", NAME);
    }

    public static boolean areGiven(Arguments arguments) {
        return arguments.has(STATE) || arguments.has(USER) || arguments.has(PROJECT) || arguments.has(NAME);
    }

    /** The jobs that the line asks for; states are asked for among all jobs. */
    public static JobQuery query(Arguments arguments, List<String> allowed, String scope, int limit) {
        List<String> states = states(arguments.values(STATE), allowed);
        String user = arguments.value(USER);
        return new JobQuery(
                states.isEmpty() ? scope : JobQuery.ALL,
                states,
                user == null ? new Owner.Any() : new Owner.User(user),
                arguments.value(PROJECT),
                arguments.value(NAME),
                null,
                limit,
                null,
                false,
                null,
                JobQuery.Told.NOTHING);
    }

    private static List<String> states(List<String> given, List<String> allowed) {
        List<String> states = new ArrayList<>();
        for (String list : given) {
            for (String word : list.split(",", -1)) {
                String state = word.strip().toUpperCase(Locale.ROOT);
                if (!allowed.contains(state)) {
                    throw Failure.usage(STATE + ": '" + word + "' is not a state"
                            + (allowed.size() < JobStates.ALL.size() ? " that is meant here" : "")
                            + ClosestWord.question(state, allowed) + " the states are " + String.join(", ", allowed));
                }
                states.add(state);
            }
        }
        return states;
    }
}
