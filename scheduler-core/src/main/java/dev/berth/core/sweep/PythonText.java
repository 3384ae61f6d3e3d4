package dev.berth.core.sweep;

import dev.berth.core.text.HarmlessText;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Text of a value as Python writes it, which CW2 makes the names of directories of. */
final class PythonText {
    private static final int LEAST_POSITIONAL = -4;
    private static final int LEAST_SCIENTIFIC = 16;

    private PythonText() {}

    /** The text as of {@code str}: a text is itself. */
    static String of(@Nullable Object value) {
        return value instanceof String text ? text : represented(value);
    }

    /** The text as of {@code repr}: a text is in quotation marks. */
    static String represented(@Nullable Object value) {
        StringBuilder text = new StringBuilder();
        append(text, value);
        return text.toString();
    }

    private static void append(StringBuilder text, @Nullable Object value) {
        switch (value) {
            case null -> text.append("None");
            case Boolean flag -> text.append(flag ? "True" : "False");
            case Double number -> text.append(number(number));
            case String string -> quoted(text, string);
            case List<?> items -> {
                String comma = "[";
                for (Object item : items) {
                    append(text.append(comma), item);
                    comma = ", ";
                }
                text.append(items.isEmpty() ? "[]" : "]");
            }
            case Map<?, ?> entries -> {
                String comma = "{";
                for (Map.Entry<?, ?> entry : entries.entrySet()) {
                    append(text.append(comma), entry.getKey());
                    append(text.append(": "), entry.getValue());
                    comma = ", ";
                }
                text.append(entries.isEmpty() ? "{}" : "}");
            }
            default -> text.append(value);
        }
    }

    private static void quoted(StringBuilder text, String string) {
        char mark = string.contains("'") && !string.contains("\"") ? '"' : '\'';
        text.append(mark);
        string.codePoints().forEach(each -> {
            switch (each) {
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                case '\\' -> text.append("\\\\");
                default -> {
                    if (each == mark) {
                        text.append('\\').append(mark);
                    } else if (isPrintable(each)) {
                        text.appendCodePoint(each);
                    } else {
                        text.append(escaped(each));
                    }
                }
            }
        });
        text.append(mark);
    }

    private static boolean isPrintable(int codePoint) {
        boolean isOtherSpace = codePoint != ' ' && Character.getType(codePoint) == Character.SPACE_SEPARATOR;
        return HarmlessText.isPlain(codePoint) && !isOtherSpace;
    }

    private static String escaped(int codePoint) {
        HexFormat hex = HexFormat.of();
        return codePoint < 0x100
                ? "\\x" + hex.toHexDigits((byte) codePoint)
                : codePoint < 0x10000 ? "\\u" + hex.toHexDigits((short) codePoint) : "\\U" + hex.toHexDigits(codePoint);
    }

    /** The shortest digits that are this number, as Java finds them, where Python sets the point. */
    private static String number(double number) {
        if (Double.isNaN(number)) {
            return "nan";
        }
        String sign = number < 0 || 1 / number < 0 ? "-" : "";
        if (Double.isInfinite(number)) {
            return sign + "inf";
        }
        String java = Double.toString(Math.abs(number));
        int end = java.indexOf('E') < 0 ? java.length() : java.indexOf('E');
        int point = java.indexOf('.');
        String all = java.substring(0, point) + java.substring(point + 1, end);
        int first = 0;
        while (first < all.length() - 1 && all.charAt(first) == '0') {
            first++;
        }
        int last = all.length();
        while (last > first + 1 && all.charAt(last - 1) == '0') {
            last--;
        }
        String digits = all.substring(first, last);
        int exponent = (end < java.length() ? Integer.parseInt(java.substring(end + 1)) : 0) + point - first - 1;
        return sign + (digits.equals("0") ? "0.0" : placed(digits, exponent));
    }

    private static String placed(String digits, int exponent) {
        if (exponent < LEAST_POSITIONAL || exponent >= LEAST_SCIENTIFIC) {
            String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
            int size = Math.abs(exponent);
            return digits.charAt(0) + fraction + (exponent < 0 ? "e-" : "e+") + (size < 10 ? "0" : "") + size;
        }
        if (exponent < 0) {
            return "0." + "0".repeat(-exponent - 1) + digits;
        }
        String padded = digits + "0".repeat(Math.max(0, exponent + 2 - digits.length()));
        return padded.substring(0, exponent + 1) + "." + padded.substring(exponent + 1);
    }
}
