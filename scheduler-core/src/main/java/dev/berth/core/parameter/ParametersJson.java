package dev.berth.core.parameter;

import dev.berth.core.parameter.Parameters.Block;
import dev.berth.core.parameter.Parameters.Factor;
import dev.berth.core.parameter.Parameters.Value;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Parameters of a sweep as the JSON that is sent and stored: a list of blocks, each {@code
 * {"constants":{"z":1},"factors":[{"names":["lr"],"rows":[[0.1],[0.01]]}]}}. Numbers keep the text that they were written
 * with.
 */
public final class ParametersJson {
    public static final String CONSTANTS = "constants";
    public static final String FACTORS = "factors";
    public static final String NAMES = "names";
    public static final String ROWS = "rows";

    /** In place of rows: the first number, the step, how many there are. */
    public static final String RANGE = "range";

    private ParametersJson() {}

    public static String of(Parameters parameters) {
        return list(parameters.blocks().stream().map(ParametersJson::of).toList());
    }

    private static String of(Block block) {
        String constants = block.constants().entrySet().stream()
                .map(constant -> ParameterText.quoted(constant.getKey()) + ":"
                        + constant.getValue().json())
                .collect(Collectors.joining(",", "{", "}"));
        return "{\"" + CONSTANTS + "\":" + constants + ",\"" + FACTORS + "\":"
                + list(block.factors().stream().map(ParametersJson::of).toList()) + "}";
    }

    private static String of(Factor factor) {
        return "{\"" + NAMES + "\":"
                + list(factor.names().stream().map(ParameterText::quoted).toList()) + "," + rows(factor) + "}";
    }

    private static String rows(Factor factor) {
        if (factor.rows() instanceof Range range) {
            return "\"" + RANGE + "\":["
                    + String.join(
                            ",",
                            range.from().toPlainString(),
                            range.step().toPlainString(),
                            Integer.toString(range.size()))
                    + "]";
        }
        return "\"" + ROWS + "\":"
                + list(factor.rows().stream()
                        .map(row -> list(row.stream().map(Value::json).toList()))
                        .toList());
    }

    private static String list(List<String> items) {
        return "[" + String.join(",", items) + "]";
    }
}
