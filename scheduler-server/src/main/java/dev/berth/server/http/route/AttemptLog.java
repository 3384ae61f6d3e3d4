package dev.berth.server.http.route;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.log.AttemptMarks.Part;
import dev.berth.server.log.LogReader;
import dev.berth.server.log.LogStore;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The part of a job's log that is of one attempt, as it stands while the log grows. For one thread. */
final class AttemptLog {
    /** The name of the parameter that asks for it. */
    private static final String FIELD = "attempt";

    private static final String WAY_OUT = "; without it the log of all attempts is answered";

    private final Job job;
    private final int attempt;
    private final LogStore logs;
    private long begin;

    AttemptLog(Job job, int attempt, LogStore logs) {
        this.job = job;
        this.attempt = attempt;
        this.logs = logs;
    }

    /** The offset at which it begins. */
    long begin() {
        return begin;
    }

    /**
     * Confines a reader to it, for the first time.
     *
     * @throws ApiException where there is no such attempt, or its log is not kept
     */
    void require(LogReader reader) throws IOException {
        boolean isWaiting = job.state() instanceof JobState.Waiting;
        int begun = isWaiting ? job.state().attempt() - 1 : job.state().attempt();
        if (attempt > begun) {
            throw refusal(
                    "NO_ATTEMPT",
                    "must be an attempt that job " + job.number() + " has begun: "
                            + (begun == 0 ? "none" : begun == 1 ? "1 alone" : "1 to " + begun)
                            + (job.state().name().isFinal() ? "" : " so far"));
        }
        confine(reader);
        if (begin < reader.end() && reader.end() <= reader.logStart()) {
            throw refusal(
                    "ATTEMPT_LOG_NOT_KEPT",
                    "must be an attempt whose output is still kept, and of job " + job.number()
                            + " the log is kept from a later attempt on, as it has a bound (logs.max-bytes)");
        }
    }

    /**
     * Confines a reader to what there is of it now.
     *
     * @return whether a later attempt has begun, so that no more comes
     */
    boolean confine(LogReader reader) throws IOException {
        // Before the marks are read: what is written later may be of an attempt that has none yet.
        long end = reader.logEnd();
        Part part = logs.marks(job.id())
                .part(attempt)
                .orElseThrow(() -> refusal(
                        "ATTEMPT_LOG_NOT_KNOWN",
                        "must be an attempt of which is known where in the log it begins and ends, and of this one of job "
                                + job.number() + " an older Berth has not kept it"));
        begin = Math.min(part.begin(), end);
        reader.confine(begin, Math.min(part.end(), end));
        if (reader.position() < begin) {
            reader.seek(begin);
        }
        return part.end() != Part.AT_END;
    }

    private ApiException refusal(String code, String rule) {
        Map<String, String> details = new LinkedHashMap<>();
        details.put("field", FIELD);
        details.put("value", Integer.toString(attempt));
        details.put("rule", rule);
        return ApiException.of(404, code, FIELD + ": '" + attempt + "' " + rule + WAY_OUT, details);
    }
}
