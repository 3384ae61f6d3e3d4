package dev.berth.core.parameter;

import dev.berth.core.parameter.Parameters.Block;
import dev.berth.core.parameter.Parameters.Factor;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The tasks of a sweep that have a value of a parameter, computed from its factors: of a million sets none is made. Only
 * what tells tasks apart is looked at, and no constant. For one thread.
 */
public final class ParameterMatches {
    /** The blocks that have such a set, by the index of their first one. */
    private final TreeMap<Long, Matching> blocks = new TreeMap<>();

    /**
     * A block with such sets.
     *
     * @param each how many sets of it follow each other with the same row of the factor
     * @param rows those of the factor that have the value, never none
     * @param all how many rows the factor has
     */
    private record Matching(long first, long count, long each, BitSet rows, int all) {
        /** The highest such index below another; -1 for none. */
        long below(long bound) {
            long at = Math.min(bound - first, count) - 1;
            if (at < 0) {
                return -1;
            }
            long round = each * all;
            int row = (int) (at % round / each);
            if (rows.get(row)) {
                return first + at;
            }
            int before = rows.previousSetBit(row);
            long start = at - at % round;
            if (before < 0) {
                before = rows.length() - 1;
                start -= round;
            }
            return start < 0 ? -1 : first + start + before * each + each - 1;
        }
    }

    /**
     * The tasks whose parameter of this name has this value.
     *
     * @param text the value as it was typed
     */
    public ParameterMatches(Parameters parameters, String name, String text) {
        long first = 0;
        for (Block block : parameters.blocks()) {
            long count = block.count();
            long each = count;
            for (Factor factor : block.factors()) {
                each /= factor.rows().size();
                BitSet rows = rows(factor, name, text);
                if (!rows.isEmpty()) {
                    blocks.put(
                            first,
                            new Matching(first, count, each, rows, factor.rows().size()));
                }
            }
            first += count;
        }
    }

    private static BitSet rows(Factor factor, String name, String text) {
        BitSet rows = new BitSet();
        int place = factor.names().indexOf(name);
        if (place >= 0 && factor.rows() instanceof Range range) {
            range.rowOf(text).ifPresent(rows::set);
        } else if (place >= 0) {
            List<List<Parameters.Value>> all = factor.rows();
            for (int row = 0; row < all.size(); row++) {
                rows.set(row, all.get(row).get(place).text().equals(text));
            }
        }
        return rows;
    }

    /** The highest index of such a task below another; empty for none. */
    public OptionalInt below(int bound) {
        Map.Entry<Long, Matching> block = blocks.lowerEntry((long) bound);
        while (block != null) {
            long found = block.getValue().below(bound);
            if (found >= 0) {
                return OptionalInt.of(Math.toIntExact(found));
            }
            block = blocks.lowerEntry(block.getKey());
        }
        return OptionalInt.empty();
    }
}
