package dev.berth.server.profile;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts as JupyterHub and Kubernetes write them. The same letter means different things to the two. */
final class Amounts {
    static final String MEMORY_RULE =
            "must be a number of bytes above 0, or one with K, M, G or T, such as 8G; these are"
                    + " powers of 1024, as JupyterHub has them";
    static final String QUANTITY_RULE =
            "must be a size above 0 as Kubernetes writes it, such as 2Gi (powers of 1024) or 2G" + " (powers of 1000)";
    static final String CPUS_RULE = "must be a number of CPUs above 0 with up to three decimals, such as 8 or 7.25";

    private static final int MILLI = 1_000;
    private static final int STEP_BITS = 10;

    /** More digits are nobody's amount, and take time. */
    private static final Pattern MEMORY = Pattern.compile("([0-9]{1,19}(?:\\.[0-9]{1,19})?)([KMGT])|([0-9]{1,19})");

    private static final Pattern QUANTITY = Pattern.compile(
            "([0-9]{1,19}(?:\\.[0-9]{0,19})?|\\.[0-9]{1,19})(?:([KMGTPE]i)|([kMGTPE])|[eE]\\+?([0-9]{1,2}))?");
    private static final Pattern CPUS = Pattern.compile("[0-9]{1,6}(?:\\.[0-9]{1,19})?");

    /** Each a thousand, or 1024, of the one before; Kubernetes writes the first of them small. */
    private static final String UNITS = "BKMGTPE";

    private Amounts() {}

    /** The bytes of JupyterHub's {@code ByteSpecification}; what is left of a byte is cut off, as there. */
    static Optional<Long> memory(String text) {
        Matcher form = MEMORY.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        return form.group(3) != null
                ? positive(new BigDecimal(form.group(3)), RoundingMode.DOWN)
                : positive(binary(form.group(1), form.group(2)), RoundingMode.DOWN);
    }

    /** The bytes of a quantity of Kubernetes; what is left of a byte is a whole one, as there. */
    static Optional<Long> quantity(String text) {
        Matcher form = QUANTITY.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        String number = form.group(1);
        String powerOf1024 = form.group(2);
        String powerOf1000 = form.group(3);
        if (powerOf1024 != null) {
            return positive(binary(number, powerOf1024.substring(0, 1)), RoundingMode.UP);
        }
        int exponent = powerOf1000 != null
                ? 3 * step(powerOf1000)
                : form.group(4) == null ? 0 : Integer.parseInt(form.group(4));
        return positive(new BigDecimal(number).scaleByPowerOfTen(exponent), RoundingMode.UP);
    }

    /** Thousandths of a CPU. */
    static Optional<Integer> cpuMilli(String text) {
        if (!CPUS.matcher(text).matches()) {
            return Optional.empty();
        }
        BigDecimal milli =
                new BigDecimal(text).multiply(BigDecimal.valueOf(MILLI)).stripTrailingZeros();
        return milli.signum() > 0 && milli.scale() <= 0 ? Optional.of(milli.intValueExact()) : Optional.empty();
    }

    private static int step(String unit) {
        return UNITS.indexOf(Character.toUpperCase(unit.charAt(0)));
    }

    private static BigDecimal binary(String number, String unit) {
        BigInteger factor = BigInteger.ONE.shiftLeft(STEP_BITS * step(unit));
        return new BigDecimal(number).multiply(new BigDecimal(factor));
    }

    private static Optional<Long> positive(BigDecimal bytes, RoundingMode rounding) {
        BigDecimal whole = bytes.setScale(0, rounding);
        return whole.signum() > 0 && whole.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0
                ? Optional.of(whole.longValueExact())
                : Optional.empty();
    }
}
