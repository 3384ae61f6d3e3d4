package dev.berth.server.track.source;

import dev.berth.server.store.track.Numbers;
import dev.berth.server.track.source.Problem.Kind;
import java.time.Instant;
import java.time.ZoneId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The columns of a file of CW2, and the way from a row to points. For one thread. */
final class Cw2Columns {
    /** Where the step stands, the best first: CW2's own columns, then pandas' numbers of rows. */
    private static final List<String> STEPS = List.of("iter", "i", "iteration", "index");

    /** What says of which row the others are, and is no metric. */
    private static final Set<String> KEYS = Set.of("iteration", "index", "iter", "rep", "ts");

    /** What the first versions called them; a metric of later ones may have these names. */
    private static final Set<String> OLD_KEYS = Set.of("i", "r");

    private static final String TIME = "ts";

    /** As many as a job may have. */
    private static final int MAX_METRICS = 1_000;

    private final List<String> header;
    private final ZoneId zone;
    private final CheckedEntries entries;
    private final int step;
    private final int time;
    private final BitSet metrics = new BitSet();

    /** The names of the columns that are metrics, once for all points. */
    private final Map<Integer, String> names = new HashMap<>();

    private boolean isTimeNamed;

    private Cw2Columns(List<String> header, int step, String run, ZoneId zone, CheckedEntries entries) {
        this.header = header;
        this.step = step;
        this.time = header.indexOf(TIME);
        this.zone = zone;
        this.entries = entries;
        boolean isOld = header.getFirst().equals("iteration");
        for (int column = 0; column < header.size(); column++) {
            String name = header.get(column);
            if (KEYS.contains(name) || (isOld && OLD_KEYS.contains(name))) {
                continue;
            }
            String metric = TensorBoardEvents.metric(run, name);
            if (TrackText.isName(metric) && names.size() < MAX_METRICS) {
                metrics.set(column);
                names.put(column, metric);
            } else {
                entries.problem(Kind.NAME, name);
            }
        }
    }

    /** The columns that a header names; null where none of them counts the iterations. */
    static @Nullable Cw2Columns of(List<String> header, String run, ZoneId zone, CheckedEntries entries) {
        for (String name : STEPS) {
            int step = header.indexOf(name);
            if (step >= 0) {
                return new Cw2Columns(header, step, run, zone, entries);
            }
        }
        return null;
    }

    /**
     * Gives the points of a row. A column that holds something else than a number is named, and left out from there on.
     *
     * @param number the row's, which is its step where it names none
     */
    void readRow(List<String> row, long number) {
        if (row.size() != header.size()) {
            entries.problem(Kind.ROW, String.join(",", row));
            return;
        }
        Long named = Numbers.step(row.get(step));
        long at = named == null ? number : named;
        Instant written = time < 0 ? null : time(row.get(time));
        for (int column = metrics.nextSetBit(0); column >= 0; column = metrics.nextSetBit(column + 1)) {
            String cell = row.get(column);
            if (!cell.isEmpty()) {
                Double value = value(cell);
                if (value == null) {
                    entries.problem(Kind.COLUMN, header.get(column));
                    metrics.clear(column);
                } else {
                    entries.point(Objects.requireNonNull(names.get(column)), at, written, value.doubleValue());
                }
            }
        }
    }

    private static @Nullable Double value(String cell) {
        return switch (cell.toLowerCase(Locale.ROOT)) {
            case "true" -> Double.valueOf(1);
            case "false" -> Double.valueOf(0);
            default -> Numbers.number(cell);
        };
    }

    private @Nullable Instant time(String cell) {
        Instant written = Moments.iso(cell, zone);
        if (written == null && !cell.isEmpty() && !isTimeNamed) {
            isTimeNamed = true;
            entries.problem(Kind.TIME, cell);
        }
        return written;
    }
}
