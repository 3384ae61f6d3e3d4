package dev.berth.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** The type of a setting: which texts it may have, and what they become. */
sealed interface ValueType<T> {
    /** The words that follow "must be" in a sentence about a single text. */
    String rule();

    /** Whether the setting takes any number of texts, and not exactly one. */
    boolean isList();

    /**
     * The value, or nothing where a text breaks the rule.
     *
     * @param bad takes each text that does
     */
    Optional<T> read(List<String> texts, Consumer<String> bad);

    /** Single value. */
    record One<T>(String rule, Function<String, Optional<T>> parser) implements ValueType<T> {
        @Override
        public boolean isList() {
            return false;
        }

        @Override
        public Optional<T> read(List<String> texts, Consumer<String> bad) {
            String text = texts.getFirst();
            Optional<T> value = parser.apply(text);
            if (value.isEmpty()) {
                bad.accept(text);
            }
            return value;
        }
    }

    /** Any number of values of one kind, at most {@link #MAX}. */
    record Many<T>(One<T> each) implements ValueType<List<T>> {
        static final int MAX = 1_024;

        @Override
        public String rule() {
            return each.rule();
        }

        @Override
        public boolean isList() {
            return true;
        }

        @Override
        public Optional<List<T>> read(List<String> texts, Consumer<String> bad) {
            List<T> values = new ArrayList<>();
            for (String text : texts) {
                each.read(List.of(text), bad).ifPresent(values::add);
            }
            return values.size() == texts.size() ? Optional.of(List.copyOf(values)) : Optional.empty();
        }
    }
}
