package dev.berth.core.parameter;

import dev.berth.core.text.Utf8;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/**
 * The parameters of a sweep's tasks: a set of them for each index from 0 on. They are computed, so that a product of a
 * million sets takes the room of its factors.
 *
 * @param blocks one after the other, never none
 */
public record Parameters(List<Block> blocks) {
    /** The most parameters of a task, those that are constant among them. */
    public static final int MAX_NAMES = 1_024;

    private static final char PATH = '.';

    /** What a value, a row, a factor or a block takes in memory and on disk beside its text, at the least. */
    private static final int ITEM_BYTES = 8;

    public Parameters {
        blocks = List.copyOf(blocks);
        if (blocks.isEmpty()) {
            throw new IllegalArgumentException("a sweep needs a set of parameters");
        }
    }

    /**
     * The value of a parameter.
     *
     * @param json the value as JSON, as it was written
     * @param text the value as a program finds it in its command and environment: a text itself, anything else as JSON
     */
    public record Value(String json, String text) {
        long bytes() {
            return ITEM_BYTES + Utf8.length(json);
        }

        long textBytes() {
            return Utf8.length(text);
        }
    }

    /**
     * Parameters that change together.
     *
     * @param names theirs, never none
     * @param rows the values of all of them, for each of their changes
     */
    public record Factor(List<String> names, List<List<Value>> rows) {
        public Factor {
            names = List.copyOf(names);
            boolean isRange = rows instanceof Range;
            rows = isRange ? rows : rows.stream().map(List::copyOf).toList();
            int width = names.size();
            boolean isUneven = isRange ? width != 1 : rows.stream().anyMatch(row -> row.size() != width);
            if (width == 0 || rows.isEmpty() || isUneven) {
                throw new IllegalArgumentException(
                        "a factor needs names and rows, and a value for each name in each row");
            }
        }

        private long bytes() {
            return rows instanceof Range range
                    ? range.bytes()
                    : rows.stream()
                            .mapToLong(row -> ITEM_BYTES
                                    + row.stream().mapToLong(Value::bytes).sum())
                            .sum();
        }
    }

    /**
     * The product of factors, of which the last one changes fastest.
     *
     * @param constants parameters that all sets of the block have alike
     */
    public record Block(SequencedMap<String, Value> constants, List<Factor> factors) {
        public Block {
            constants = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(constants));
            factors = List.copyOf(factors);
            List<String> names = new ArrayList<>(constants.keySet());
            factors.forEach(factor -> names.addAll(factor.names()));
            if (names.isEmpty() || names.size() > MAX_NAMES) {
                throw new IllegalArgumentException(
                        "must have 1 to " + MAX_NAMES + " parameters in each block, and one has " + names.size());
            }
            try {
                ParameterText.requireApart(names);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("has a parameter that " + e.getMessage(), e);
            }
        }

        /** How many sets it has; {@link Long#MAX_VALUE} for more than are counted. */
        public long count() {
            long count = 1;
            for (Factor factor : factors) {
                count = product(count, factor.rows().size());
            }
            return count;
        }

        private SequencedMap<String, Value> of(long index) {
            SequencedMap<String, Value> set = new LinkedHashMap<>();
            long rest = index;
            long each = count();
            for (Factor factor : factors) {
                each /= factor.rows().size();
                List<Value> row = factor.rows().get((int) (rest / each));
                rest %= each;
                for (int at = 0; at < row.size(); at++) {
                    set.put(factor.names().get(at), row.get(at));
                }
            }
            return set;
        }

        private Set<String> names() {
            Set<String> names = new LinkedHashSet<>();
            factors.forEach(factor -> names.addAll(factor.names()));
            names.addAll(constants.keySet());
            return names;
        }

        private long bytes() {
            long bytes = ITEM_BYTES * (1L + factors.size())
                    + names().stream().mapToLong(Utf8::length).sum();
            bytes += constants.values().stream().mapToLong(Value::bytes).sum();
            bytes += factors.stream().mapToLong(Factor::bytes).sum();
            return bytes;
        }
    }

    /** The product of two counts; {@link Long#MAX_VALUE} for more than are counted. */
    public static long product(long left, long right) {
        long high = Math.multiplyHigh(left, right);
        return high != 0 || left * right < 0 ? Long.MAX_VALUE : left * right;
    }

    /** How many sets there are; {@link Long#MAX_VALUE} for more than are counted. */
    public long count() {
        long count = 0;
        for (Block block : blocks) {
            long more = block.count();
            count = more > Long.MAX_VALUE - count ? Long.MAX_VALUE : count + more;
        }
        return count;
    }

    /**
     * The parameters that tell the task of an index from others, in the order in which they were given.
     *
     * @throws IndexOutOfBoundsException where there is no such set
     */
    public SequencedMap<String, Value> of(int index) {
        return set(index, false);
    }

    /** All parameters of that task, with those that are constant. */
    public SequencedMap<String, Value> all(int index) {
        return set(index, true);
    }

    private SequencedMap<String, Value> set(int index, boolean withConstants) {
        long rest = index;
        for (Block block : blocks) {
            long count = block.count();
            if (rest < 0) {
                break;
            }
            if (rest < count) {
                SequencedMap<String, Value> set = new LinkedHashMap<>(withConstants ? block.constants() : Map.of());
                set.putAll(block.of(rest));
                return set;
            }
            rest -= count;
        }
        throw new IndexOutOfBoundsException("no parameters for " + index);
    }

    /** The most bytes that the text of each parameter has, by its name. */
    public Map<String, Long> longest() {
        Map<String, Long> longest = new LinkedHashMap<>();
        for (Block block : blocks) {
            block.constants().forEach((name, value) -> longest.merge(name, value.textBytes(), Math::max));
            for (Factor factor : block.factors()) {
                for (List<Value> row : factor.rows()) {
                    for (int at = 0; at < row.size(); at++) {
                        longest.merge(factor.names().get(at), row.get(at).textBytes(), Math::max);
                    }
                }
            }
        }
        return longest;
    }

    /** The names of those that tell tasks apart, in the order in which they were given. */
    public Set<String> varied() {
        Set<String> names = new LinkedHashSet<>();
        blocks.forEach(block -> block.factors().forEach(factor -> names.addAll(factor.names())));
        return names;
    }

    /** The names that each task has a value for. */
    public Set<String> common() {
        Set<String> names = new LinkedHashSet<>(blocks.getFirst().names());
        blocks.forEach(block -> names.retainAll(block.names()));
        return names;
    }

    /** The JSON object of all parameters of a task. A name with points, {@code net.lr}, is a path in it. */
    public String json(int index) {
        Map<String, Object> tree = new LinkedHashMap<>();
        all(index).forEach((name, value) -> put(tree, name, value));
        StringBuilder json = new StringBuilder();
        write(json, tree);
        return json.toString();
    }

    @SuppressWarnings("unchecked")
    private static void put(Map<String, Object> tree, String name, Value value) {
        Map<String, Object> place = tree;
        int from = 0;
        for (int point = name.indexOf(PATH); point >= 0; point = name.indexOf(PATH, from)) {
            place = (Map<String, Object>)
                    place.computeIfAbsent(name.substring(from, point), _ -> new LinkedHashMap<String, Object>());
            from = point + 1;
        }
        place.put(name.substring(from), value);
    }

    private static void write(StringBuilder json, Map<?, ?> tree) {
        String between = "{";
        for (Map.Entry<?, ?> entry : tree.entrySet()) {
            json.append(between)
                    .append(ParameterText.quoted((String) entry.getKey()))
                    .append(':');
            if (entry.getValue() instanceof Map<?, ?> inner) {
                write(json, inner);
            } else {
                json.append(((Value) entry.getValue()).json());
            }
            between = ",";
        }
        json.append(tree.isEmpty() ? "{}" : "}");
    }

    /** The size of it: the bytes of its names and values in UTF-8. */
    public long bytes() {
        return blocks.stream().mapToLong(Block::bytes).sum();
    }
}
