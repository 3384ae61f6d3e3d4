package dev.berth.server.track.source;

import dev.berth.server.store.track.Entry;
import dev.berth.server.store.track.Numbers;
import dev.berth.server.track.source.Problem.Kind;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The way to entries from what was read: what breaks a rule becomes a problem. */
final class CheckedEntries {
    private final Consumer<Entry> entries;
    private final Consumer<Problem> problems;

    CheckedEntries(Consumer<Entry> entries, Consumer<Problem> problems) {
        this.entries = entries;
        this.problems = problems;
    }

    void point(String metric, @Nullable Long step, @Nullable Instant time, double value) {
        if (isName(metric)) {
            entries.accept(new Entry.Point(metric, step, time, value));
        }
    }

    /** A point whose value is a text; null for one that is missing. */
    void point(String metric, @Nullable Long step, @Nullable Instant time, @Nullable String value) {
        if (value == null) {
            problem(Kind.NO_VALUE, metric);
            return;
        }
        Double number = Numbers.number(value);
        if (number == null) {
            problem(Kind.NO_NUMBER, metric + "=" + value);
        } else {
            point(metric, step, time, number.doubleValue());
        }
    }

    void parameter(String name, @Nullable String value) {
        if (value == null) {
            problem(Kind.NO_VALUE, name);
        } else if (isName(name) && isValue(name, value)) {
            entries.accept(new Entry.Parameter(name, TrackText.whole(value)));
        }
    }

    void tag(String name, String value) {
        if (isName(name) && isValue(name, value)) {
            entries.accept(new Entry.Tag(name, TrackText.whole(value)));
        }
    }

    void artifact(String path, @Nullable String key, @Nullable Instant time) {
        if (!TrackText.isPath(path)) {
            problem(Kind.ARTIFACT, path);
        } else {
            entries.accept(new Entry.Artifact(path, key == null || !isName(key) ? null : key, time));
        }
    }

    /** Progress whose numbers are texts; an amount that is null is 1. */
    void progress(String value, @Nullable String of, @Nullable String unit, @Nullable Instant time) {
        Double done = Numbers.number(value);
        Double whole = of == null ? Double.valueOf(1) : Numbers.number(of);
        // Negated, so that NaN does not pass.
        if (done == null || whole == null || !(done >= 0 && whole > 0) || done.isInfinite() || whole.isInfinite()) {
            problem(Kind.PROGRESS, of == null ? value : value + " of " + of);
        } else {
            entries.accept(new Entry.Progress(done, whole, unit == null || !isName(unit) ? null : unit, time));
        }
    }

    /** The step that a text names; null where it names none, which is a problem unless the text is null. */
    @Nullable
    Long step(@Nullable String text) {
        Long step = text == null ? null : Numbers.step(text);
        if (text != null && step == null) {
            problem(Kind.STEP, text);
        }
        return step;
    }

    /** The time that a text names; null where it names none, which is a problem unless the text is null. */
    @Nullable
    Instant time(@Nullable String text) {
        Instant time = text == null ? null : Moments.parse(text);
        if (text != null && time == null) {
            problem(Kind.TIME, text);
        }
        return time;
    }

    void problem(Kind kind, String sample) {
        problem(Problem.of(kind, sample));
    }

    void problem(Problem problem) {
        problems.accept(problem);
    }

    private boolean isName(String name) {
        boolean is = TrackText.isName(name);
        if (!is) {
            problem(Kind.NAME, name);
        }
        return is;
    }

    private boolean isValue(String name, String value) {
        boolean fits = TrackText.fits(value, TrackText.MAX_VALUE_BYTES);
        if (!fits) {
            problem(Kind.TEXT_TOO_LONG, name);
        }
        return fits;
    }
}
