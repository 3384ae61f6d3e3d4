package dev.berth.server.track.source;

import dev.berth.server.store.track.Entry;
import dev.berth.server.track.source.Problem.Kind;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * CW2's {@code rep_N.csv}: a row an iteration, its columns the keys that the experiment returned, and ts, rep and iter
 * (ALRhub/cw2, cw2/cw_data/cw_pd_logger.py and cw2/experiment.py). Each column of numbers becomes a metric.
 *
 * <p>PandasLogger writes the whole file anew at each iteration. Rows that were there before may then be written otherwise:
 * a new key adds a column to each, times and whole numbers get a fraction when a later one has one. A position is therefore
 * a number of rows behind the header, and each reading begins at the file's beginning; it is worth one only after the file
 * has changed. CW2's first versions (PandasRepSaver, columns iteration, ts, r, i) appended rows; they are read likewise.
 *
 * <p>An empty cell is NaN or a key that was not there, which pandas writes alike: it becomes nothing.
 */
public final class Cw2Csv {
    private static final Pattern NAME = Pattern.compile("rep_[0-9]{1,9}\\.csv");
    private static final long MAX_FILE = 64L << 20;

    /** As many points are held in memory, and those of one row. */
    private static final int MAX_POINTS = 50_000;

    /** Problems that are told of at a time. */
    private static final int MAX_PROBLEMS = 1_000;

    private Cw2Csv() {}

    /** Whether a file of this name, without its directory, is one. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /**
     * Reads the rows behind those that were read before. Entries are given only once the header is found unchanged behind
     * the last row, so that no value is taken for another column's while the file is written anew.
     *
     * @param rows how many rows were read before: 0, or what the reading before this one returned
     * @param run what stands before each name, as for {@link TensorBoardEvents#metric}
     * @param zone what the times in column ts mean, which name none: the program's own time zone
     */
    public static SourceRead read(
            SeekableByteChannel file,
            long rows,
            String run,
            ZoneId zone,
            Consumer<Entry> entries,
            Consumer<Problem> problems)
            throws IOException {
        if (file.size() > MAX_FILE) {
            return SourceRead.stopped(rows, Kind.FILE_TOO_LARGE);
        }
        CsvRows csv = new CsvRows(new FileWindow(file));
        if (!csv.next()) {
            return end(csv, rows);
        }
        List<String> header = List.copyOf(csv.fields());
        List<Entry> points = new ArrayList<>();
        List<Problem> found = new ArrayList<>();
        Cw2Columns columns = Cw2Columns.of(header, run, zone, new CheckedEntries(points::add, problem -> {
            if (found.size() < MAX_PROBLEMS) {
                found.add(problem);
            }
        }));
        if (columns == null) {
            return SourceRead.stopped(rows, Kind.NO_ITERATION);
        }
        for (long row = 0; row < rows; row++) {
            if (!csv.skip()) {
                // Fewer rows than were there: the file is being written anew.
                return end(csv, rows);
            }
        }
        long read = rows;
        while (points.size() < MAX_POINTS && csv.next()) {
            columns.readRow(csv.fields(), read++);
        }
        CsvRows again = new CsvRows(new FileWindow(file));
        if (!again.next() || !again.fields().equals(header)) {
            return SourceRead.whole(rows);
        }
        found.forEach(problems);
        points.forEach(entries);
        return points.size() >= MAX_POINTS ? SourceRead.bounded(read) : end(csv, read);
    }

    private static SourceRead end(CsvRows csv, long rows) {
        return csv.isTooLong() ? SourceRead.stopped(rows, Kind.ROW_TOO_LONG) : SourceRead.whole(rows);
    }
}
