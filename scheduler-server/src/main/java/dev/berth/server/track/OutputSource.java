package dev.berth.server.track;

import dev.berth.core.job.TrackSources.Source;
import dev.berth.server.track.source.Cw2Csv;
import dev.berth.server.track.source.TensorBoardEvents;
import org.jspecify.annotations.Nullable;

/**
 * A file of a job's output that is read for its metrics.
 *
 * @param path below the output, with slashes
 */
record OutputSource(Kind kind, String path) {
    private static final String CSV = ".csv";

    /** The kinds of such files. */
    enum Kind {
        EVENTS("events:", Source.TENSORBOARD),
        TABLE("table:", Source.CSV);

        private final String mark;
        private final Source asked;

        Kind(String mark, Source asked) {
            this.mark = mark;
            this.asked = asked;
        }

        /** What of a job's choice it belongs to. */
        Source asked() {
            return asked;
        }

        /** The beginning of the names of its sources. */
        String mark() {
            return mark;
        }

        /** The beginning of the name under which it is kept which of the kind was the first. */
        String first() {
            return "first-" + mark;
        }
    }

    /**
     * The source that a file of that name is, by its name alone; null for others.
     *
     * @param prefix its directory, with a slash at the end where it is not the output itself
     */
    static @Nullable OutputSource of(String prefix, String name) {
        if (TensorBoardEvents.isName(name)) {
            return new OutputSource(Kind.EVENTS, prefix + name);
        }
        return Cw2Csv.isName(name) ? new OutputSource(Kind.TABLE, prefix + name) : null;
    }

    /** Whether a source that is kept under that name is a file of an output. */
    static boolean isName(String name) {
        return name.startsWith(Kind.EVENTS.mark) || name.startsWith(Kind.TABLE.mark);
    }

    /** The name under which it is kept how far it is read. */
    String name() {
        return kind.mark + path;
    }

    /** What tells its metrics from those of others of its kind: the directory of event files, a table's path without its ending. */
    String run() {
        if (kind == Kind.TABLE) {
            return path.substring(0, path.length() - CSV.length());
        }
        int end = path.lastIndexOf('/');
        return end < 0 ? "" : path.substring(0, end);
    }
}
