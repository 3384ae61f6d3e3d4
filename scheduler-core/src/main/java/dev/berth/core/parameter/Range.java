package dev.berth.core.parameter;

import dev.berth.core.parameter.Parameters.Value;
import java.math.BigDecimal;
import java.util.AbstractList;
import java.util.List;
import java.util.OptionalInt;
import java.util.RandomAccess;

/** The values of a range, each as a row of its own and computed as it is asked for: a million take the room of three numbers. */
public final class Range extends AbstractList<List<Value>> implements RandomAccess {
    /** The most characters of a number without an exponent. */
    private static final int MAX_DIGITS = 40;

    private final BigDecimal from;
    private final BigDecimal step;
    private final int count;

    /**
     * The range of so many numbers.
     *
     * @throws IllegalArgumentException where it has none, or more than a sweep may have; its message is the rule
     */
    public Range(BigDecimal from, BigDecimal step, int count) {
        if (count < 1 || count > Axis.MAX_VALUES) {
            throw new IllegalArgumentException(
                    "has a range of " + count + " values, and a sweep has 1 to " + Axis.MAX_VALUES);
        }
        if (isLong(from) || isLong(step)) {
            throw new IllegalArgumentException("has a range of numbers with more than " + MAX_DIGITS + " characters");
        }
        this.from = from;
        this.step = step;
        this.count = count;
    }

    /** Whether a number has more digits than may be. */
    public static boolean isLong(BigDecimal number) {
        boolean isFar = number.precision() > MAX_DIGITS || Math.abs((long) number.scale()) > MAX_DIGITS;
        return isFar || number.toPlainString().length() > MAX_DIGITS;
    }

    BigDecimal from() {
        return from;
    }

    BigDecimal step() {
        return step;
    }

    @Override
    public List<Value> get(int index) {
        if (index < 0 || index >= count) {
            throw new IndexOutOfBoundsException(index);
        }
        String text = from.add(step.multiply(BigDecimal.valueOf(index)))
                .stripTrailingZeros()
                .toPlainString();
        return List.of(new Value(text, text));
    }

    /** The row of the value that is written so; empty where none is. */
    OptionalInt rowOf(String text) {
        try {
            BigDecimal number = new BigDecimal(text);
            if (isLong(number)) {
                return OptionalInt.empty();
            }
            BigDecimal place = number.subtract(from).divideToIntegralValue(step);
            boolean isIn = place.signum() >= 0 && place.compareTo(BigDecimal.valueOf(count)) < 0;
            // What has no such row, or another form (1.0 for 1), is not what stands in it.
            return isIn && get(place.intValueExact()).getFirst().text().equals(text)
                    ? OptionalInt.of(place.intValueExact())
                    : OptionalInt.empty();
        } catch (ArithmeticException | NumberFormatException notANumber) {
            return OptionalInt.empty();
        }
    }

    @Override
    public int size() {
        return count;
    }

    long bytes() {
        return get(0).getFirst().bytes() + get(count - 1).getFirst().bytes();
    }
}
