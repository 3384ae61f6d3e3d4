package dev.berth.server.store;

import dev.berth.core.job.JobId;
import dev.berth.core.parameter.Parameters;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The parameters that were asked for last, so that a list of a sweep's tasks reads them once. They never change, and no
 * other job gets the number of a deleted one. Safe for any thread.
 */
final class ReadSweeps {
    private static final int MAX_ARRAYS = 256;

    /** In memory they take some ten times as much. */
    private static final long MAX_BYTES = 2L << 20;

    private final Map<JobId, Optional<Parameters>> read = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    Optional<Parameters> of(JobId array, Supplier<Optional<Parameters>> reading) {
        synchronized (this) {
            Optional<Parameters> known = read.get(array);
            if (known != null) {
                return known;
            }
        }
        Optional<Parameters> found = reading.get();
        synchronized (this) {
            if (read.putIfAbsent(array, found) == null) {
                bytes += bytes(found);
                forgetEldest();
            }
        }
        return found;
    }

    private void forgetEldest() {
        Iterator<Optional<Parameters>> eldest = read.values().iterator();
        while (eldest.hasNext() && (read.size() > MAX_ARRAYS || bytes > MAX_BYTES)) {
            bytes -= bytes(eldest.next());
            eldest.remove();
        }
    }

    private static long bytes(Optional<Parameters> parameters) {
        return parameters.map(Parameters::bytes).orElse(0L);
    }
}
