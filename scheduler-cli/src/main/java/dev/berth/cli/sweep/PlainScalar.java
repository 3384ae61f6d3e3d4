package dev.berth.cli.sweep;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Value of a word without quotation marks, as CW2 reads it: by YAML 1.1 in the form of PyYAML, where {@code no} is false,
 * {@code 010} is eight and {@code 1e-3} is a text. The expressions are those of PyYAML's resolver.
 */
final class PlainScalar {
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");
    private static final Set<String> TRUE = Set.of("yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON");
    private static final Set<String> FALSE = Set.of("no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");
    private static final Set<String> INFINITE = Set.of("inf", "Inf", "INF");
    private static final Set<String> NO_NUMBER = Set.of(".nan", ".NaN", ".NAN");

    private static final String DECIMAL = "0123456789";
    private static final String DIGITS = DECIMAL + "_";

    private PlainScalar() {}

    /** The value: null, a boolean, a {@code Long}, a {@code Double} or the text itself. */
    static @Nullable Object of(String text) {
        if (NULLS.contains(text)) {
            return null;
        }
        if (TRUE.contains(text) || FALSE.contains(text)) {
            return TRUE.contains(text);
        }
        boolean isNegative = text.startsWith("-");
        String digits = isNegative || text.startsWith("+") ? text.substring(1) : text;
        Long whole = whole(isNegative ? "-" : "", digits);
        if (whole != null) {
            return whole;
        }
        if (digits.startsWith(".") && INFINITE.contains(digits.substring(1))) {
            return isNegative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        if (NO_NUMBER.contains(text)) {
            return Double.NaN;
        }
        return isFraction(text, digits) ? Double.valueOf(text.replace("_", "")) : text;
    }

    /**
     * Why the word is refused where that is so: what YAML 1.1 takes it for is not what anybody writes it for, or it is
     * beyond what can be held.
     */
    static @Nullable String refusal(String text) {
        String digits = text.startsWith("-") || text.startsWith("+") ? text.substring(1) : text;
        if (isSexagesimal(digits)) {
            return "is a number to the base 60 in YAML 1.1";
        }
        if (isTimestamp(text)) {
            return "is a date with a time in YAML 1.1";
        }
        return radix(digits) > 0 && of(text) instanceof String ? "is a number of more than 64 bits" : null;
    }

    /** Whether YAML 1.2, and whoever writes it, takes for a number what is a text here. */
    static boolean isUnexpectedText(String text) {
        if (text.isEmpty() || "+-.0123456789".indexOf(text.charAt(0)) < 0 || !(of(text) instanceof String)) {
            return false;
        }
        int exponent = Math.max(text.indexOf('e'), text.indexOf('E'));
        String mantissa = exponent < 0 ? text : text.substring(0, exponent);
        String power = exponent < 0 ? "0" : text.substring(exponent + 1);
        String unsigned = mantissa.startsWith("-") || mantissa.startsWith("+") ? mantissa.substring(1) : mantissa;
        String ofPower = power.startsWith("-") || power.startsWith("+") ? power.substring(1) : power;
        int point = unsigned.indexOf('.');
        String left = point < 0 ? unsigned : unsigned.substring(0, point);
        String right = point < 0 ? "" : unsigned.substring(point + 1);
        return !(left + right).isEmpty()
                && consists(left + right, DECIMAL)
                && !ofPower.isEmpty()
                && consists(ofPower, DECIMAL);
    }

    private static @Nullable Long whole(String sign, String digits) {
        int radix = radix(digits);
        int prefix = radix == 2 || radix == 16 ? 2 : 0;
        try {
            return radix == 0
                    ? null
                    : Long.valueOf(sign + digits.substring(prefix).replace("_", ""), radix);
        } catch (NumberFormatException tooLarge) {
            return null;
        }
    }

    /** The base of a whole number that is written so; 0 for something else. */
    private static int radix(String digits) {
        if (!isDigit(digits, 0)) {
            return 0;
        }
        if (digits.startsWith("0b") || digits.startsWith("0x")) {
            boolean isBinary = digits.charAt(1) == 'b';
            String rest = digits.substring(2);
            boolean isNumber =
                    !rest.replace("_", "").isEmpty() && consists(rest, isBinary ? "01_" : "0123456789abcdefABCDEF_");
            return !isNumber ? 0 : isBinary ? 2 : 16;
        }
        boolean isOctal = digits.startsWith("0");
        return !consists(digits, isOctal ? "01234567_" : DIGITS) ? 0 : isOctal ? 8 : 10;
    }

    /** Digits with a point, and an exponent with a sign; a point in front has no sign before it. */
    private static boolean isFraction(String text, String digits) {
        int point = digits.indexOf('.');
        if (point < 0 || (point == 0 && digits.length() < text.length())) {
            return false;
        }
        int exponent = Math.max(digits.indexOf('e'), digits.indexOf('E'));
        String left = digits.substring(0, point);
        String right = exponent < point ? digits.substring(point + 1) : digits.substring(point + 1, exponent);
        String power = exponent < point ? "+0" : digits.substring(exponent + 1);
        boolean isBegun = point == 0 ? !right.isEmpty() && isDigit(right, 0) : isDigit(left, 0);
        return isBegun
                && consists(left, DIGITS)
                && consists(right, DIGITS)
                && power.length() > 1
                && "+-".indexOf(power.charAt(0)) >= 0
                && consists(power.substring(1), DECIMAL);
    }

    private static boolean isDigit(String text, int at) {
        return at < text.length() && DECIMAL.indexOf(text.charAt(at)) >= 0;
    }

    private static boolean isSexagesimal(String digits) {
        String[] parts = digits.split(":", -1);
        if (parts.length < 2 || !isDigit(parts[0], 0) || !consists(parts[0], DIGITS)) {
            return false;
        }
        boolean hasPoint = digits.indexOf('.') > digits.lastIndexOf(':');
        for (int at = 1; at < parts.length; at++) {
            int point = parts[at].indexOf('.');
            String part = point < 0 ? parts[at] : parts[at].substring(0, point);
            boolean isPart = !part.isEmpty()
                    && part.length() <= 2
                    && consists(part, DECIMAL)
                    && (part.length() == 1 || part.charAt(0) <= '5');
            if (!isPart
                    || (point >= 0 && (at < parts.length - 1 || !consists(parts[at].substring(point + 1), DIGITS)))) {
                return false;
            }
        }
        return hasPoint || digits.charAt(0) != '0';
    }

    /** A day and an hour behind it; a day alone is a text to whoever reads the sweep, as it is written. */
    private static boolean isTimestamp(String text) {
        String[] parts = text.split("-", 3);
        if (parts.length < 3 || parts[0].length() != 4 || !consists(parts[0] + parts[1], DECIMAL)) {
            return false;
        }
        String rest = parts[2];
        int end = isDigit(rest, 1) ? 2 : 1;
        return isDigit(rest, 0)
                && rest.indexOf(':') > end
                && end < rest.length()
                && "Tt \t".indexOf(rest.charAt(end)) >= 0;
    }

    private static boolean consists(String text, String letters) {
        for (int at = 0; at < text.length(); at++) {
            if (letters.indexOf(text.charAt(at)) < 0) {
                return false;
            }
        }
        return true;
    }
}
