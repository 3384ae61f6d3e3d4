package dev.berth.server.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.berth.core.parameter.ParameterText;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.parameter.Parameters.Block;
import dev.berth.core.parameter.Parameters.Factor;
import dev.berth.core.parameter.Parameters.Value;
import dev.berth.core.parameter.ParametersJson;
import dev.berth.core.parameter.Range;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** Reads parameters of a sweep from JSON in the form of {@link ParametersJson}. */
public final class ParametersReader {
    private static final int RANGE_NUMBERS = 3;
    private static final int MAX_NUMBER = 100;
    private static final int SHOWN_LETTERS = 20;

    private ParametersReader() {}

    /**
     * The parameters that begin at the parser's token.
     *
     * @throws IllegalArgumentException where they are in another form; its message is the rule, and goes on from them
     */
    public static Parameters read(JsonParser json) throws IOException {
        require(json.currentToken(), JsonToken.START_ARRAY, "must be a list of blocks");
        List<Block> blocks = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            blocks.add(block(json));
        }
        return new Parameters(blocks);
    }

    private static Block block(JsonParser json) throws IOException {
        require(json.currentToken(), JsonToken.START_OBJECT, "must have an object for each block");
        SequencedMap<String, Value> constants = new LinkedHashMap<>();
        List<Factor> factors = new ArrayList<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            switch (json.currentName()) {
                case ParametersJson.CONSTANTS -> {
                    require(json.nextToken(), JsonToken.START_OBJECT, "must have an object of constants");
                    while (json.nextToken() == JsonToken.FIELD_NAME) {
                        String name = name(json.currentName());
                        json.nextToken();
                        constants.put(name, value(json));
                    }
                }
                case ParametersJson.FACTORS -> {
                    require(json.nextToken(), JsonToken.START_ARRAY, "must have a list of factors");
                    while (json.nextToken() != JsonToken.END_ARRAY) {
                        factors.add(factor(json));
                    }
                }
                default ->
                    throw unknown(json.currentName(), ParametersJson.CONSTANTS + " and " + ParametersJson.FACTORS);
            }
        }
        return new Block(constants, factors);
    }

    private static Factor factor(JsonParser json) throws IOException {
        require(json.currentToken(), JsonToken.START_OBJECT, "must have an object for each factor");
        List<String> names = new ArrayList<>();
        List<List<Value>> rows = new ArrayList<>();
        Range range = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            switch (json.currentName()) {
                case ParametersJson.NAMES -> {
                    require(json.nextToken(), JsonToken.START_ARRAY, "must have a list of names");
                    while (json.nextToken() != JsonToken.END_ARRAY) {
                        require(json.currentToken(), JsonToken.VALUE_STRING, "must have texts for names");
                        names.add(name(json.getText()));
                    }
                }
                case ParametersJson.ROWS -> {
                    require(json.nextToken(), JsonToken.START_ARRAY, "must have a list of rows");
                    while (json.nextToken() != JsonToken.END_ARRAY) {
                        rows.add(row(json));
                    }
                }
                case ParametersJson.RANGE -> range = range(json);
                default ->
                    throw unknown(
                            json.currentName(),
                            ParametersJson.NAMES + ", " + ParametersJson.ROWS + " and " + ParametersJson.RANGE);
            }
        }
        if (range != null && !rows.isEmpty()) {
            throw new IllegalArgumentException("must have rows or a range for each factor, not both");
        }
        return new Factor(names, range == null ? rows : range);
    }

    private static Range range(JsonParser json) throws IOException {
        String rule = "must have three numbers for a range: the first, the step, how many";
        require(json.nextToken(), JsonToken.START_ARRAY, rule);
        List<BigDecimal> numbers = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            // As a text: a number with a large exponent is a small text, and may be a large number.
            if (!json.currentToken().isNumeric()
                    || json.getTextLength() > MAX_NUMBER
                    || numbers.size() == RANGE_NUMBERS) {
                throw new IllegalArgumentException(rule);
            }
            numbers.add(new BigDecimal(json.getText()));
        }
        if (numbers.size() < RANGE_NUMBERS || Range.isLong(numbers.getLast())) {
            throw new IllegalArgumentException(rule);
        }
        try {
            return new Range(numbers.get(0), numbers.get(1), numbers.get(2).intValueExact());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(rule, e);
        }
    }

    private static List<Value> row(JsonParser json) throws IOException {
        require(json.currentToken(), JsonToken.START_ARRAY, "must have a list for each row");
        List<Value> row = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            row.add(value(json));
        }
        return row;
    }

    private static Value value(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case VALUE_STRING -> {
                if (json.getText().indexOf('\0') >= 0) {
                    throw new IllegalArgumentException("must have values without NUL");
                }
                yield ParameterText.text(json.getText());
            }
            case START_OBJECT, START_ARRAY -> {
                String copy = JsonCopy.of(json);
                yield new Value(copy, copy);
            }
            default -> ParameterText.typed(json.getText());
        };
    }

    private static String name(String name) {
        if (!ParameterText.isName(name)) {
            throw new IllegalArgumentException(
                    "must have names of letters, digits, _, - and points between them, at most "
                            + ParameterText.MAX_NAME + " long");
        }
        return name;
    }

    private static void require(JsonToken token, JsonToken expected, String rule) {
        if (token != expected) {
            throw new IllegalArgumentException(rule);
        }
    }

    private static IllegalArgumentException unknown(String field, String known) {
        String shown =
                field.substring(0, Math.min(field.length(), SHOWN_LETTERS)).replaceAll("[^ -~]", "?");
        return new IllegalArgumentException("has the field " + shown + ", and only " + known + " may be there");
    }
}
