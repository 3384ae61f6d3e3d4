package dev.berth.server.http.exchange;

import dev.berth.core.job.StateName;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The query's parameters of a request, read and checked. */
public final class Parameters {
    private Parameters() {}

    public static long number(Exchange exchange, String name, long otherwise, long min, long max) {
        String value = exchange.query(name).orElse(Long.toString(otherwise));
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below, with the rule.
        }
        throw ApiException.field(name, value, "must be a whole number from " + min + " to " + max);
    }

    public static boolean flag(Exchange exchange, String name) {
        String value = exchange.query(name).orElse("false");
        if (!value.equals("true") && !value.equals("false")) {
            throw ApiException.field(name, value, "must be true or false");
        }
        return value.equals("true");
    }

    /** The states that are named, each once; empty where none is. */
    public static List<StateName> states(Exchange exchange) {
        String names = exchange.query("state").orElse("");
        return names.isEmpty()
                ? List.of()
                : Stream.of(names.split(",", -1))
                        .map(Parameters::state)
                        .distinct()
                        .toList();
    }

    private static StateName state(String name) {
        return Arrays.stream(StateName.values())
                .filter(state -> state.name().equals(name))
                .findFirst()
                .orElseThrow(() -> ApiException.field(
                        "state",
                        name,
                        "must be one of "
                                + String.join(
                                        ", ",
                                        Arrays.stream(StateName.values())
                                                .map(StateName::name)
                                                .toList())));
    }

    /** The id of a path, as it was meant: Jetty leaves what has a meaning of its own in a path as it was sent. */
    public static String id(Map<String, String> in) {
        return in.getOrDefault("id", "")
                .replaceAll("%5[Bb]", "[")
                .replaceAll("%5[Dd]", "]")
                .replaceAll("%2[Cc]", ",");
    }

    /** The number of the job of a path. */
    public static JobNumber jobNumber(Map<String, String> in) {
        String text = id(in);
        return JobNumber.parse(text)
                .orElseThrow(() -> ApiException.field(
                        "id",
                        text,
                        "must be a job's number, from 1, or that of an array's task or pack, as in 42_7 or"
                                + " 42_[0-4]"));
    }
}
