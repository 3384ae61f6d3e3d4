package dev.berth.server.track.condition;

import dev.berth.server.store.track.ToldValues;
import dev.berth.server.store.track.ToldValues.Value;
import java.util.List;
import java.util.stream.Stream;

/** A condition that what a job told meets or does not. */
public sealed interface Condition {
    boolean holds(ToldValues values);

    /** The names that it asks for, some perhaps several times. */
    Stream<ToldName> names();

    /** Each of them. */
    record All(List<Condition> parts) implements Condition {
        @Override
        public boolean holds(ToldValues values) {
            return parts.stream().allMatch(part -> part.holds(values));
        }

        @Override
        public Stream<ToldName> names() {
            return parts.stream().flatMap(Condition::names);
        }
    }

    /** One of them at least. */
    record Any(List<Condition> parts) implements Condition {
        @Override
        public boolean holds(ToldValues values) {
            return parts.stream().anyMatch(part -> part.holds(values));
        }

        @Override
        public Stream<ToldName> names() {
            return parts.stream().flatMap(Condition::names);
        }
    }

    /** The name was told at all. */
    record IsTold(ToldName name) implements Condition {
        @Override
        public boolean holds(ToldValues values) {
            return name.in(values) != null;
        }

        @Override
        public Stream<ToldName> names() {
            return Stream.of(name);
        }
    }

    /** The ways to compare. */
    enum Operator {
        EQUAL,
        UNEQUAL,
        LESS,
        AT_MOST,
        GREATER,
        AT_LEAST
    }

    /**
     * A comparison of two numbers, or for (in)equality of texts too. It does not hold where the job told nothing by that name,
     * nor where it told no number and one is needed; NaN meets none.
     */
    record Comparison(ToldName name, Operator operator, Value wanted) implements Condition {
        @Override
        public boolean holds(ToldValues values) {
            Value told = name.in(values);
            return told != null && holds(told);
        }

        private boolean holds(Value told) {
            double left = number(told);
            double right = number(wanted);
            if (!Double.isNaN(left) && !Double.isNaN(right)) {
                // Zeros of either sign are the same.
                return holds(Double.compare(left + 0.0, right + 0.0));
            }
            if (Double.isNaN(left) && told.number() != null) {
                return false;
            }
            boolean isSame = told.text().equals(wanted.text());
            return (operator == Operator.EQUAL && isSame) || (operator == Operator.UNEQUAL && !isSame);
        }

        private static double number(Value value) {
            Double number = value.number();
            return number == null ? Double.NaN : number;
        }

        private boolean holds(int compared) {
            return switch (operator) {
                case EQUAL -> compared == 0;
                case UNEQUAL -> compared != 0;
                case LESS -> compared < 0;
                case AT_MOST -> compared <= 0;
                case GREATER -> compared > 0;
                case AT_LEAST -> compared >= 0;
            };
        }

        @Override
        public Stream<ToldName> names() {
            return Stream.of(name);
        }
    }
}
