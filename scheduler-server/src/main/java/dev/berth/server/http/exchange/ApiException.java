package dev.berth.server.http.exchange;

import dev.berth.core.api.ApiError;
import dev.berth.core.job.Job;
import dev.berth.core.job.Tasks;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A refusal on its way to the client. */
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int MAX_SHOWN = 100;
    private static final int MAX_MESSAGE = 500;
    private static final int MAX_SENTENCE = 1_500;

    private final int status;
    private final transient ApiError error;
    private final @Nullable Duration again;

    private ApiException(
            int status, String code, String message, Map<String, String> details, @Nullable Duration again) {
        super(message);
        this.status = status;
        // Whatever it quotes, a terminal must not obey it, and nobody must read pages of it.
        this.error = new ApiError(code, shown(message, MAX_SENTENCE), details);
        this.again = again;
    }

    /** The same refusal, of one job among several in a request; the first has the number 1. */
    public ApiException ofJob(int number) {
        Map<String, String> details = new LinkedHashMap<>(error.details());
        details.put("job", String.valueOf(number));
        return new ApiException(
                status, error.code(), "job " + number + " of the request: " + error.message(), details, again);
    }

    public int status() {
        return status;
    }

    public ApiError error() {
        return error;
    }

    /** The time after which the same request may be taken; empty where time alone changes nothing. */
    public Optional<Duration> again() {
        return Optional.ofNullable(again);
    }

    public static ApiException of(int status, String code, String message) {
        return new ApiException(status, code, message, Map.of(), null);
    }

    public static ApiException of(int status, String code, String message, Map<String, String> details) {
        return new ApiException(status, code, message, details, null);
    }

    /** A refusal of more than there may be, for now: nothing was taken on, and it may be tried again after a while. */
    public static ApiException tooMuch(int status, String code, String message, Duration again) {
        return new ApiException(status, code, message, Map.of(), again);
    }

    /** The refusal of a server that takes nothing on any more; whether there is another, and when, it cannot know. */
    public static ApiException stopping(String message) {
        return of(503, "STOPPING", message);
    }

    /** A field of the request breaks a rule. */
    public static ApiException field(String field, String value, String rule) {
        String name = shown(field, MAX_SHOWN);
        String shown = shown(value, MAX_SHOWN);
        Map<String, String> details = new LinkedHashMap<>();
        details.put("field", name);
        details.put("value", shown);
        details.put("rule", shown(rule, MAX_SENTENCE));
        return of(400, "INVALID_FIELD", name + ": '" + shown + "' " + rule, details);
    }

    /** The message may quote the request. */
    public static ApiException badRequest(String message) {
        return of(400, "BAD_REQUEST", shown(message, MAX_MESSAGE));
    }

    private static String shown(String text, int most) {
        return PrintableText.of(text.length() > most ? text.substring(0, most) + "..." : text);
    }

    public static ApiException noSuchJob(String id) {
        return of(404, "JOB_NOT_FOUND", "there is no job " + id + " that you may see; berth ps -a lists yours");
    }

    /** The refusal of a task that a job does not have. */
    public static ApiException noSuchTask(Job job, String asked) {
        Tasks tasks = job.spec().tasks();
        String which = tasks == null
                ? "job " + job.number() + " is no array"
                : job.isArray()
                        ? "the tasks of array " + job.number() + " are "
                                + shown(tasks.all().toString(), MAX_SHOWN)
                        : "job " + job.number() + " is a task itself";
        return of(404, "JOB_NOT_FOUND", "there is no job " + asked + "; " + which);
    }

    public static ApiException neverFits(String refusal) {
        return of(422, "NEVER_FITS", "not accepted: " + refusal);
    }

    public static ApiException tooLarge(String message) {
        return of(413, "TOO_LARGE", message);
    }
}
