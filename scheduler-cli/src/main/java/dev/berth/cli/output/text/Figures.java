package dev.berth.cli.output.text;

/** Values of metrics for people: five digits that count, as few letters as say so. */
final class Figures {
    private static final int DIGITS = 5;
    private static final int SHORT = 8;
    private static final int TEN = 10;
    private static final int SMALLEST_PLAIN = -4;
    private static final int LARGEST_PLAIN = 7;

    private Figures() {}

    /** A text, in few digits where it is a number with many behind the point; a whole number is as it is. */
    static String shortened(String text) {
        boolean isFraction = text.indexOf('.') > 0;
        if (text.length() <= SHORT || !isFraction || !isMadeOf(text, "0123456789.eE+-")) {
            return text;
        }
        try {
            return of(Double.parseDouble(text));
        } catch (NumberFormatException e) {
            return text;
        }
    }

    private static boolean isMadeOf(String text, String letters) {
        for (int at = 0; at < text.length(); at++) {
            if (letters.indexOf(text.charAt(at)) < 0) {
                return false;
            }
        }
        return true;
    }

    static String of(double value) {
        if (value == 0 || Double.isNaN(value) || Double.isInfinite(value)) {
            return value == 0 ? "0" : Double.toString(value);
        }
        int exponent = exponent(value);
        if (exponent >= SMALLEST_PLAIN && exponent < LARGEST_PLAIN) {
            return fixed(value, Math.max(0, DIGITS - 1 - exponent));
        }
        return fixed(scaled(value, exponent), DIGITS - 1) + "e" + exponent;
    }

    /** The power of ten of the first digit, once the value is rounded. */
    private static int exponent(double value) {
        double size = Math.abs(value);
        int exponent = (int) Math.floor(Math.log10(size));
        double rounded = scaled(size, exponent);
        double limit = TEN - 0.5 / Math.pow(TEN, DIGITS - 1);
        return rounded >= limit ? exponent + 1 : rounded < 1 ? exponent - 1 : exponent;
    }

    /** The value divided by ten to that power, in two steps, as that may be more or less than a double holds. */
    private static double scaled(double value, int exponent) {
        int half = exponent / 2;
        return value / Math.pow(TEN, half) / Math.pow(TEN, exponent - half);
    }

    /** With so many digits behind the point, but for zeros at the end. */
    private static String fixed(double value, int digits) {
        long scale = Math.round(Math.pow(TEN, digits));
        long all = Math.round(Math.abs(value) * scale);
        long rest = all % scale;
        String sign = value < 0 ? "-" : "";
        if (rest == 0) {
            return sign + all / scale;
        }
        String fraction = Long.toString(scale + rest).substring(1);
        int end = fraction.length();
        while (fraction.charAt(end - 1) == '0') {
            end--;
        }
        return sign + all / scale + "." + fraction.substring(0, end);
    }
}
