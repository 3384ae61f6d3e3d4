package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import dev.berth.core.option.Forms;
import java.util.Locale;

/** Amounts of memory and of CPUs, as people write them: a g is 2^30 bytes, as with Docker. */
public final class Sizes {
    private static final String UNITS = "bkmgt";
    private static final int SHIFT_A_UNIT = 10;
    private static final int MAX_DIGITS = 15;

    /** More than any machine has. */
    private static final long MAX_BYTES = 1L << 60;

    private static final int MILLI = 1000;

    private Sizes() {}

    /** The bytes of a size, whose unit may be left out: then it is GB. */
    public static long memory(String option, String text) {
        return bytes(option, text, 'g', Forms.SIZE + ", or 16 for 16 GB");
    }

    /** The bytes of a size, whose unit must be there. */
    public static long withUnit(String option, String text) {
        return bytes(option, text, ' ', Forms.SIZE);
    }

    private static long bytes(String option, String text, char without, String forms) {
        String lower = text.toLowerCase(Locale.ROOT);
        int end = lower.length();
        while (end > 0 && lower.charAt(end - 1) > '9') {
            end--;
        }
        char unit = unit(lower.substring(end), without);
        long milli = milli(lower.substring(0, end));
        int power = UNITS.indexOf(unit);
        int shift = SHIFT_A_UNIT * power;
        if (milli <= 0 || power < 0 || milli / MILLI > MAX_BYTES >> shift) {
            throw Failure.usage(option + ": '" + text + "' is not a size above zero; write it as " + forms
                    + ", for example " + option + " 8g");
        }
        // The whole units are reckoned apart from the rest, so that nothing runs over.
        return Math.max(1, ((milli / MILLI) << shift) + ((milli % MILLI) << shift) / MILLI);
    }

    /** The unit's first letter, as in 8g, 8gb and 8gib; a blank for none that is known. */
    private static char unit(String word, char without) {
        if (word.isEmpty()) {
            return without;
        }
        boolean known = word.length() == 1
                || word.substring(1).equals("b")
                || word.substring(1).equals("ib");
        return known ? word.charAt(0) : ' ';
    }

    /** Thousandths of a CPU. */
    public static int cpus(String option, String text, int max) {
        long milli = milli(text);
        if (milli <= 0 || milli > (long) max * MILLI) {
            throw Failure.usage(option + ": '" + text + "' is not a number of CPUs above 0 and up to " + max
                    + ", with at most three digits behind the point; for example " + option + " 1.5");
        }
        return (int) milli;
    }

    /** Thousandths of a decimal number; -1 for anything else. */
    static long milli(String text) {
        int point = text.indexOf('.');
        String whole = point < 0 ? text : text.substring(0, point);
        String rest = point < 0 ? "" : text.substring(point + 1);
        if (whole.length() + rest.length() == 0 || whole.length() > MAX_DIGITS || rest.length() > 3) {
            return -1;
        }
        String digits = whole + rest + "0".repeat(3 - rest.length());
        long milli = 0;
        for (int at = 0; at < digits.length(); at++) {
            int digit = digits.charAt(at) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            milli = milli * 10 + digit;
        }
        return milli;
    }
}
