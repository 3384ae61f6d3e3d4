package dev.berth.cli.output;

import dev.berth.core.api.SubmitPlan;
import java.util.function.UnaryOperator;

/** What a job would be, for people. */
final class PlanText {
    private static final String REQUEST = "request";

    private PlanText() {}

    /** The values and where they come from; {@code origin} tells where in the line a value was said. */
    static Table table(SubmitPlan plan, UnaryOperator<String> origin) {
        Table table = new Table("NAME", "VALUE", "SOURCE");
        for (SubmitPlan.Setting setting : plan.settings()) {
            String source = setting.source().equals(REQUEST) ? origin.apply(setting.name()) : setting.source();
            table.row(setting.name(), setting.value(), source);
        }
        return table;
    }
}
