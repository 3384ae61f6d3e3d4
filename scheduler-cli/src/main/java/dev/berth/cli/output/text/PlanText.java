package dev.berth.cli.output.text;

import dev.berth.core.api.SubmitPlan;
import dev.berth.core.option.JobOption;
import java.time.Duration;
import java.util.function.Function;

/** The plan of a job that would be submitted, for people. */
public final class PlanText {
    private static final String REQUEST = "request";

    private PlanText() {}

    /** The values and where they come from; {@code origin} tells where in the line a value was said. */
    public static Table table(SubmitPlan plan, Function<SubmitPlan.Setting, String> origin) {
        Table table = new Table("NAME", "VALUE", "SOURCE");
        for (SubmitPlan.Setting setting : plan.settings()) {
            String source = setting.source().equals(REQUEST) ? origin.apply(setting) : setting.source();
            table.row(setting.name(), amount(setting.name(), setting.value()), source);
        }
        return table;
    }

    /** A date, or a number whose name says its unit, as people say it; anything else as it is. */
    static String amount(String name, String value) {
        if (name.equals(JobOption.BEGIN.field())) {
            return Times.utc(value);
        }
        if (!value.matches("\\d{1,15}")) {
            return value;
        }
        long number = Long.parseLong(value);
        if (name.endsWith("Bytes")) {
            return Amounts.bytes(number);
        }
        if (name.endsWith("Seconds")) {
            return Times.inWords(Duration.ofSeconds(number));
        }
        return name.endsWith("Milli") ? Amounts.thousandths((int) Math.min(number, Integer.MAX_VALUE)) : value;
    }
}
