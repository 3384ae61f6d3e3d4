package dev.berth.core.job;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The indices of tasks of an array: ranges in ascending order that neither overlap nor touch. Its text is
 * {@code 0-31,40,42-43}, Slurm's without steps.
 */
public record TaskSet(List<Range> ranges) {
    /** The most tasks of one array. */
    public static final int MAX_TASKS = 1_000_000;

    public static final int MAX_INDEX = 999_999_999;

    private static final int MAX_DIGITS = 10;

    /** The most indices and ranges that a text may name. */
    private static final int MAX_ITEMS = 100_000;

    /** The most ranges: a set is written anew with each task that is taken out of its middle. */
    public static final int MAX_RANGES = 1_000;

    public static final TaskSet NONE = new TaskSet(List.of());

    /** All indices from the first to the last. */
    public record Range(int first, int last) {
        public Range {
            if (first < 0 || last < first || last > MAX_INDEX) {
                throw new IllegalArgumentException("no range of tasks: " + first + " to " + last);
            }
        }

        int size() {
            return last - first + 1;
        }

        @Override
        public String toString() {
            return first == last ? Integer.toString(first) : first + "-" + last;
        }
    }

    public TaskSet {
        ranges = List.copyOf(ranges);
        for (int i = 1; i < ranges.size(); i++) {
            if (ranges.get(i).first() - 1 <= ranges.get(i - 1).last()) {
                throw new IllegalArgumentException("tasks out of order: " + ranges);
            }
        }
    }

    /** The set of one task. */
    public static TaskSet of(int index) {
        return new TaskSet(List.of(new Range(index, index)));
    }

    public boolean isEmpty() {
        return ranges.isEmpty();
    }

    /** The number of tasks. */
    public int size() {
        return ranges.stream().mapToInt(Range::size).sum();
    }

    public int first() {
        return ranges.getFirst().first();
    }

    public int last() {
        return ranges.getLast().last();
    }

    public boolean contains(int index) {
        return ranges.stream().anyMatch(range -> range.first() <= index && index <= range.last());
    }

    /** The number of tasks of a lower index. */
    public int position(int index) {
        int position = 0;
        for (Range range : ranges) {
            if (range.first() >= index) {
                break;
            }
            position += Math.min(range.last() + 1, index) - range.first();
        }
        return position;
    }

    /** The index of the task before which there are so many. */
    public int at(int position) {
        int left = position;
        for (Range range : ranges) {
            if (left < range.size()) {
                return range.first() + left;
            }
            left -= range.size();
        }
        throw new IllegalArgumentException("of " + size() + " tasks there is none at " + position);
    }

    /** The set without a task that is in it. */
    public TaskSet without(int index) {
        List<Range> rest = new ArrayList<>();
        for (Range range : ranges) {
            if (index < range.first() || index > range.last()) {
                rest.add(range);
                continue;
            }
            if (range.first() < index) {
                rest.add(new Range(range.first(), index - 1));
            }
            if (index < range.last()) {
                rest.add(new Range(index + 1, range.last()));
            }
        }
        return new TaskSet(rest);
    }

    /** The part of it up to an index, which counts. */
    public TaskSet upTo(int index) {
        List<Range> rest = ranges.stream()
                .filter(range -> range.first() <= index)
                .map(range -> new Range(range.first(), Math.min(range.last(), index)))
                .toList();
        return new TaskSet(rest);
    }

    /** Its indices, in order. */
    public List<Integer> indices() {
        return ranges.stream()
                .flatMap(range ->
                        IntStream.rangeClosed(range.first(), range.last()).boxed())
                .toList();
    }

    /**
     * The set with tasks that are not in it.
     *
     * @throws IllegalArgumentException where that makes more ranges than an array may have; its message is the rule
     */
    public TaskSet with(List<Integer> indices) {
        List<Range> all = new ArrayList<>(ranges);
        indices.forEach(index -> all.add(new Range(index, index)));
        return sorted(all);
    }

    /**
     * The set of such a text: indices and ranges, which may have a step, as in {@code 1,3,7-9,10-20:5}, in any order.
     *
     * @throws IllegalArgumentException whose message is the rule that the text breaks, and goes on from the text
     */
    public static TaskSet parse(String text) {
        List<Range> ranges = new ArrayList<>();
        long tasks = 0;
        for (String item : text.split(",", -1)) {
            for (Range range : ranges(item)) {
                ranges.add(range);
                tasks += range.size();
                if (ranges.size() > MAX_ITEMS) {
                    throw tooScattered();
                }
            }
        }
        if (tasks > MAX_TASKS) {
            throw new IllegalArgumentException("has " + tasks + " tasks; an array has at most " + MAX_TASKS);
        }
        return sorted(ranges);
    }

    private static TaskSet sorted(List<Range> ranges) {
        ranges.sort((one, other) -> Integer.compare(one.first(), other.first()));
        List<Range> joined = joined(ranges);
        if (joined.size() > MAX_RANGES) {
            throw tooScattered();
        }
        return new TaskSet(joined);
    }

    private static IllegalArgumentException tooScattered() {
        return new IllegalArgumentException("has more than " + MAX_RANGES
                + " ranges of tasks, the most that an array may have; number them without gaps");
    }

    private static List<Range> joined(List<Range> sorted) {
        List<Range> joined = new ArrayList<>();
        for (Range range : sorted) {
            Range before = joined.isEmpty() ? null : joined.getLast();
            if (before != null && range.first() <= before.last()) {
                throw new IllegalArgumentException("names task " + range.first() + " more than once");
            }
            if (before != null && range.first() - 1 == before.last()) {
                joined.set(joined.size() - 1, new Range(before.first(), range.last()));
            } else {
                joined.add(range);
            }
        }
        return joined;
    }

    private static List<Range> ranges(String item) {
        int colon = item.indexOf(':');
        int dash = item.indexOf('-');
        String range = colon < 0 ? item : item.substring(0, colon);
        if (dash < 0 || (colon >= 0 && colon < dash)) {
            int index = index(item);
            return List.of(new Range(index, index));
        }
        int first = index(range.substring(0, dash));
        int last = index(range.substring(dash + 1));
        if (last < first) {
            throw new IllegalArgumentException("has the range " + item + ", which ends before it begins");
        }
        int step = colon < 0 ? 1 : step(range, item.substring(colon + 1));
        if (step == 0) {
            throw new IllegalArgumentException("has the range " + item + ", whose step must be at least 1");
        }
        if (step == 1) {
            return List.of(new Range(first, last));
        }
        List<Range> single = new ArrayList<>();
        for (long index = first; index <= last && single.size() <= MAX_RANGES; index += step) {
            single.add(new Range((int) index, (int) index));
        }
        return single;
    }

    /** Whether a text is a number: of digits alone, and not empty. */
    public static boolean areDigits(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static int step(String range, String text) {
        if (areDigits(text) && text.length() >= MAX_DIGITS) {
            throw new IllegalArgumentException(
                    "has the range " + range + " with a step above " + MAX_INDEX + ", the highest index");
        }
        return index(text);
    }

    private static int index(String text) {
        if (!areDigits(text)) {
            throw new IllegalArgumentException("must name tasks by numbers, as in 0-31, 1,3,7-9 or 0-31%4");
        }
        if (text.length() > MAX_DIGITS) {
            throw new IllegalArgumentException(
                    "names a task by " + text.length() + " digits; the highest index is " + MAX_INDEX);
        }
        long value = Long.parseLong(text);
        if (value > MAX_INDEX) {
            throw new IllegalArgumentException("names task " + text + "; the highest index is " + MAX_INDEX);
        }
        return (int) value;
    }

    @Override
    public String toString() {
        return ranges.stream().map(Range::toString).collect(Collectors.joining(","));
    }
}
