package dev.berth.core.parameter;

import dev.berth.core.parameter.Parameters.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The texts of parameters: values as they are typed, names, and their places in a command. */
public final class ParameterText {
    public static final int MAX_NAME = 64;

    /** A name, with a point between the parts of a path. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]*(\\.[A-Za-z_][A-Za-z0-9_-]*)*");

    /** The most characters of a number; a longer one is a text, as no reader of JSON need take it. */
    private static final int MAX_NUMBER = 40;

    /** A number as JSON has it (RFC 8259, section 6), and the three words that JSON knows. */
    private static final Pattern LITERAL =
            Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?|true|false|null");

    /** A name in braces; in doubled ones it stands for itself, in single ones. */
    private static final Pattern PLACE =
            Pattern.compile("\\{\\{[A-Za-z_][A-Za-z0-9_.-]*+\\}\\}|\\{([A-Za-z_][A-Za-z0-9_.-]*+)\\}");

    private static final char FIRST_PLAIN = ' ';

    private ParameterText() {}

    /** The value that somebody typed: a number, {@code true}, {@code false} or {@code null} where it is written as in JSON, else a text. */
    public static Value typed(String text) {
        return text.length() <= MAX_NUMBER && LITERAL.matcher(text).matches() ? new Value(text, text) : text(text);
    }

    /** The value that is this text, whatever it looks like. */
    public static Value text(String text) {
        return new Value(quoted(text), text);
    }

    /** Whether a text can be the name of a parameter. */
    public static boolean isName(String text) {
        return text.length() <= MAX_NAME && NAME.matcher(text).matches();
    }

    /** A text as JSON. */
    static String quoted(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int at = 0; at < text.length(); at++) {
            char next = text.charAt(at);
            switch (next) {
                case '"', '\\' -> json.append('\\').append(next);
                default -> {
                    if (next < FIRST_PLAIN) {
                        json.append("\\u").append(HexFormat.of().toHexDigits(next));
                    } else {
                        json.append(next);
                    }
                }
            }
        }
        return json.append('"').toString();
    }

    /** Throws where a program could not tell two of these parameters apart, in its environment or in the JSON of them. */
    static void requireApart(List<String> names) {
        Map<String, String> variables = new HashMap<>();
        for (String name : names) {
            String other = variables.putIfAbsent(variable(name), name);
            if (other != null) {
                throw new IllegalArgumentException(
                        other.equals(name)
                                ? "has values twice; give all of them at once"
                                : "has the same variable as " + other + ", " + variable(name) + "; rename one");
            }
        }
        for (String name : names) {
            for (int point = name.indexOf('.'); point >= 0; point = name.indexOf('.', point + 1)) {
                String path = name.substring(0, point);
                if (path.equals(variables.get(variable(path)))) {
                    throw new IllegalArgumentException(
                            "makes " + path + " both a value and the beginning of " + name + "; rename one");
                }
            }
        }
    }

    /** The variable of a parameter's value. */
    public static String variable(String name) {
        return "BERTH_PARAM_" + name.replace('.', '_').replace('-', '_');
    }

    /** The names in braces in a command, each as often as it stands there. */
    public static List<String> places(List<String> command) {
        List<String> names = new ArrayList<>();
        for (String word : command) {
            PLACE.matcher(word)
                    .results()
                    .map(place -> place.group(1))
                    .filter(Objects::nonNull)
                    .forEach(names::add);
        }
        return names;
    }

    /** The command with the values of a task in the places of their names. */
    public static List<String> filled(List<String> command, Map<String, Value> set) {
        return command.stream()
                .map(word -> PLACE.matcher(word).replaceAll(place -> Matcher.quoteReplacement(value(place, set))))
                .toList();
    }

    private static String value(MatchResult place, Map<String, Value> set) {
        String name = place.group(1);
        if (name == null) {
            return place.group().substring(1, place.group().length() - 1);
        }
        Value value = set.get(name);
        return value == null ? place.group() : value.text();
    }
}
