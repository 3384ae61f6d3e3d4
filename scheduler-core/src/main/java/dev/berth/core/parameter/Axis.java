package dev.berth.core.parameter;

import dev.berth.core.parameter.Parameters.Value;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One parameter with the values that it takes, as it is typed: {@code lr=0.1,0.01}, {@code seed=1..5}, {@code
 * p=0..1:0.25}; or with a range to draw from: {@code p=0.1..0.5}, {@code lr=log:1e-5..1e-1}. A text that is none is an
 * {@link IllegalArgumentException}, whose message is the rule that it breaks.
 *
 * @param values none where it is a range to draw from
 */
record Axis(String name, List<List<Value>> values, Span span) {
    static final int MAX_VALUES = 1_000_000;

    private static final String LOG = "log:";
    private static final String NUMBER = "-?[0-9]{1,20}(?:\\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,3})?";
    private static final Pattern RANGE =
            Pattern.compile("(" + NUMBER + ")\\.\\.(" + NUMBER + ")(?::(" + NUMBER + "))?");

    /** As many digits as make sense of a number that was drawn, and the most more. */
    private static final int DIGITS = 6;

    private static final int MAX_MORE_DIGITS = 11;

    /** The most values that are not computed from a range, in all of a sweep: each takes memory. */
    static final int MAX_LISTED = 65_536;

    /**
     * The range to draw from, both ends included.
     *
     * @param isLog whether the logarithm is drawn evenly
     */
    record Span(double from, double to, boolean isLog) {
        static final Span NONE = new Span(0, 0, false);

        Value at(double part) {
            double drawn = isLog
                    ? StrictMath.exp(StrictMath.log(from) + part * (StrictMath.log(to) - StrictMath.log(from)))
                    : from + part * (to - from);
            BigDecimal exact = BigDecimal.valueOf(Math.clamp(drawn, from, to));
            BigDecimal rounded = exact.round(new MathContext(DIGITS + moreDigits()));
            boolean isIn = rounded.doubleValue() >= from && rounded.doubleValue() <= to;
            String text = (isIn ? rounded : exact).toString();
            return new Value(text, text);
        }

        /** Of a range that is narrow beside its numbers the first digits are all the same. */
        private int moreDigits() {
            double same = Math.log10(Math.max(Math.abs(from), Math.abs(to)) / (to - from));
            return isLog || !(same > 0) ? 0 : (int) Math.min(MAX_MORE_DIGITS, same);
        }
    }

    static Axis parse(String text) {
        int equals = text.indexOf('=');
        String name = equals < 0 ? text : text.substring(0, equals);
        if (equals < 0) {
            throw new IllegalArgumentException("must be a name and its values, as in lr=0.1,0.01 or seed=1..5");
        }
        if (!ParameterText.isName(name)) {
            throw new IllegalArgumentException(
                    "must begin with a name of letters, digits, _ and -, no digit first, at most "
                            + ParameterText.MAX_NAME + " long, as in lr=0.1,0.01 or net.lr=0.1,0.01");
        }
        String values = text.substring(equals + 1);
        if (values.startsWith(LOG)) {
            return new Axis(name, List.of(), log(values.substring(LOG.length())));
        }
        Matcher range = RANGE.matcher(values);
        if (range.matches() && range.group(3) == null && !(isWhole(range.group(1)) && isWhole(range.group(2)))) {
            return new Axis(name, List.of(), span(range, false));
        }
        return new Axis(name, range.matches() ? range(range) : listed(values), Span.NONE);
    }

    /** How many of its values take memory. */
    int listed() {
        return values instanceof Range ? 0 : values.size();
    }

    boolean isSpan() {
        return values.isEmpty();
    }

    private static Span log(String text) {
        Matcher range = RANGE.matcher(text);
        if (!range.matches() || range.group(3) != null) {
            throw new IllegalArgumentException("must have a range behind log:, as in lr=log:1e-5..1e-1");
        }
        if (new BigDecimal(range.group(1)).signum() <= 0) {
            throw new IllegalArgumentException("must have a range above 0 behind log:, as in lr=log:1e-5..1e-1");
        }
        return span(range, true);
    }

    private static Span span(Matcher range, boolean isLog) {
        requireUpward(range);
        double from = Double.parseDouble(range.group(1));
        double to = Double.parseDouble(range.group(2));
        if (Double.isInfinite(to - from) || (isLog && from == 0)) {
            throw new IllegalArgumentException(
                    "has a range beyond the numbers that a computer counts with (1e-308 to 1e308)");
        }
        return new Span(from, to, isLog);
    }

    private static void requireUpward(Matcher range) {
        if (new BigDecimal(range.group(1)).compareTo(new BigDecimal(range.group(2))) > 0) {
            throw new IllegalArgumentException("has the range " + range.group() + ", which ends before it begins");
        }
    }

    private static boolean isWhole(String number) {
        return number.chars().allMatch(digit -> digit == '-' || (digit >= '0' && digit <= '9'));
    }

    /** The values between commas. One with a backslash is a text, in which the next character is nothing but itself. */
    private static List<List<Value>> listed(String values) {
        List<List<Value>> all = new ArrayList<>();
        int at = 0;
        while (at <= values.length()) {
            StringBuilder piece = new StringBuilder();
            boolean isText = false;
            while (at < values.length() && values.charAt(at) != ',') {
                boolean isEscape = values.charAt(at) == '\\' && at + 1 < values.length();
                isText |= isEscape;
                at += isEscape ? 1 : 0;
                piece.append(values.charAt(at));
                at++;
            }
            at++;
            if (piece.isEmpty()) {
                throw new IllegalArgumentException(
                        "has an empty value; write values as in lr=0.1,0.01, and a comma in one as \\,");
            }
            if (!isText && !RANGE.matcher(piece).matches()) {
                MalformedRange.refuse(piece.toString(), piece.length() == values.length());
            }
            addTo(all, piece.toString(), isText);
        }
        return all;
    }

    private static void addTo(List<List<Value>> all, String piece, boolean isText) {
        Matcher range = RANGE.matcher(piece);
        if (isText || !range.matches()) {
            all.add(List.of(isText ? ParameterText.text(piece) : ParameterText.typed(piece)));
            requireListed(all.size());
            return;
        }
        boolean isWhole = isWhole(range.group(1)) && isWhole(range.group(2));
        if (range.group(3) == null && !isWhole) {
            throw new IllegalArgumentException(
                    "has the range " + piece + " beside other values; a range to draw from stands alone, and"
                            + " one of single values has a step, as in 0..1:0.25");
        }
        Range values = range(range);
        requireListed((long) all.size() + values.size());
        all.addAll(values);
    }

    private static void requireListed(long count) {
        if (count > MAX_LISTED) {
            throw new IllegalArgumentException("has more than " + MAX_LISTED
                    + " single values; a range that stands alone, such as 1..100000, counts as none");
        }
    }

    private static Range range(Matcher range) {
        requireUpward(range);
        BigDecimal from = new BigDecimal(range.group(1));
        BigDecimal to = new BigDecimal(range.group(2));
        BigDecimal step = range.group(3) == null ? BigDecimal.ONE : new BigDecimal(range.group(3));
        if (Range.isLong(from) || Range.isLong(to) || Range.isLong(step)) {
            throw new IllegalArgumentException(
                    "has the range " + range.group() + ", whose numbers have too many digits");
        }
        if (step.signum() <= 0) {
            throw new IllegalArgumentException("has the range " + range.group() + ", whose step must be above 0");
        }
        BigDecimal count = to.subtract(from).divideToIntegralValue(step).add(BigDecimal.ONE);
        requireBound(count.compareTo(BigDecimal.valueOf(MAX_VALUES)) > 0 ? Long.MAX_VALUE : count.longValue());
        return new Range(from, step, count.intValueExact());
    }

    private static void requireBound(long count) {
        if (count > MAX_VALUES) {
            throw new IllegalArgumentException(
                    "has more than " + MAX_VALUES + " values, the most that a sweep may have");
        }
    }
}
