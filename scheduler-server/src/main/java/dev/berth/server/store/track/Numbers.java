package dev.berth.server.store.track;

import java.math.BigDecimal;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Numbers as programs write them: JSON's, Python's ("nan", "inf", "1.", ".5"), CSV's. Narrower than Java's own words, which
 * take "1d" and "0x1p3" for numbers, and read without exceptions where a text is none.
 */
public final class Numbers {
    private static final int MAX_LENGTH = 1000;
    private static final int MAX_WORD = 9;
    private static final int MAX_PLAIN_STEP = 18;
    private static final int MAX_STEP = 64;

    private Numbers() {}

    /** The number, with infinity beyond what 64 bits hold; null where the text is none or longer than 1,000 characters. */
    public static @Nullable Double number(String text) {
        if (isNumber(text)) {
            return Double.valueOf(text);
        }
        return text.length() <= MAX_WORD ? word(text) : null;
    }

    private static @Nullable Double word(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "nan", "-nan", "+nan" -> Double.NaN;
            case "inf", "+inf", "infinity", "+infinity" -> Double.POSITIVE_INFINITY;
            case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
            default -> null;
        };
    }

    /** The whole number of 64 bits, which may be written with a fraction of zero or an exponent; null for any other text. */
    public static @Nullable Long step(String text) {
        int first = text.startsWith("-") ? 1 : 0;
        if (text.length() - first <= MAX_PLAIN_STEP && text.length() > first && digits(text, first) == text.length()) {
            return Long.valueOf(text);
        }
        if (text.length() > MAX_STEP || !isNumber(text)) {
            return null;
        }
        try {
            return new BigDecimal(text).longValueExact();
        } catch (ArithmeticException | NumberFormatException e) {
            // A fraction, more than 64 bits, or an exponent of more than 32 bits.
            return null;
        }
    }

    private static boolean isNumber(String text) {
        int at = !text.isEmpty() && isSign(text.charAt(0)) ? 1 : 0;
        int whole = digits(text, at);
        int count = whole - at;
        at = whole;
        if (at < text.length() && text.charAt(at) == '.') {
            int fraction = digits(text, at + 1);
            count += fraction - at - 1;
            at = fraction;
        }
        if (count == 0 || text.length() > MAX_LENGTH) {
            return false;
        }
        return at == text.length() || isExponent(text, at);
    }

    private static boolean isExponent(String text, int from) {
        if (text.charAt(from) != 'e' && text.charAt(from) != 'E') {
            return false;
        }
        int at = from + 1;
        if (at < text.length() && isSign(text.charAt(at))) {
            at++;
        }
        return at < text.length() && digits(text, at) == text.length();
    }

    private static boolean isSign(char letter) {
        return letter == '-' || letter == '+';
    }

    /** The place behind the digits that begin at a place. */
    private static int digits(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        return at;
    }

    /** The number as people write it: whole ones without a fraction. */
    public static String text(double number) {
        return number == Math.rint(number) && Math.abs(number) < 1e15 && !isMinusZero(number)
                ? Long.toString((long) number)
                : Double.toString(number);
    }

    private static boolean isMinusZero(double number) {
        return number == 0 && 1 / number < 0;
    }
}
