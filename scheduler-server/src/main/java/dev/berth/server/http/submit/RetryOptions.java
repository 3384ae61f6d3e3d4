package dev.berth.server.http.submit;

import dev.berth.core.api.OptionValues;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Retry;
import dev.berth.core.job.RetryCauses;
import dev.berth.core.job.RetryDelay;
import dev.berth.core.option.Forms;
import dev.berth.core.option.JobOption;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.PrintableText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options for what follows where an attempt of a job fails. */
final class RetryOptions {
    private static final List<JobOption> OF_RETRIES =
            List.of(JobOption.RETRY_ON, JobOption.RETRY_DELAY, JobOption.RETRY_PLACE);

    private RetryOptions() {}

    /** @param limits that the job has, by its request or by the server's default */
    static Retry of(OptionValues asked, Limits limits) {
        Integer most = Options.number(asked, JobOption.RETRIES);
        if (most == null || most == 0) {
            requireNone(asked);
            return Retry.NONE;
        }
        return new Retry(
                most,
                causes(asked.texts(JobOption.RETRY_ON), limits),
                delay(asked.get(JobOption.RETRY_DELAY, String.class)),
                isAtEnd(asked.get(JobOption.RETRY_PLACE, String.class)));
    }

    private static void requireNone(OptionValues asked) {
        for (JobOption option : OF_RETRIES) {
            if (asked.has(option)) {
                throw ApiException.field(
                        option.field(), PrintableText.of(value(asked, option)), "needs a number of retries above 0");
            }
        }
    }

    private static String value(OptionValues asked, JobOption option) {
        List<@Nullable String> texts = option.kind().isList() ? asked.texts(option) : List.of();
        return texts.isEmpty() ? String.valueOf(asked.get(option, Object.class)) : String.valueOf(texts.getFirst());
    }

    private static RetryCauses causes(List<@Nullable String> texts, Limits limits) {
        RetryCauses causes = texts.stream()
                .map(text -> Options.parsed(JobOption.RETRY_ON, String.valueOf(text), RetryCauses::parse))
                .reduce(RetryCauses::and)
                .orElse(RetryCauses.USUAL);
        if (causes.equals(RetryCauses.TIMEOUT) && limits.time() == null && limits.idle() == null) {
            throw ApiException.field(
                    JobOption.RETRY_ON.field(),
                    causes.toString(),
                    "needs a limit at which the job is ended; give it one (--time or --idle-timeout)");
        }
        return causes;
    }

    private static RetryDelay delay(@Nullable String text) {
        return text == null ? RetryDelay.NONE : Options.parsed(JobOption.RETRY_DELAY, text, RetryDelay::parse);
    }

    private static boolean isAtEnd(@Nullable String place) {
        if (place == null || place.equals(Forms.RETRY_KEEP)) {
            return false;
        }
        if (!place.equals(Forms.RETRY_END)) {
            throw ApiException.field(
                    JobOption.RETRY_PLACE.field(),
                    PrintableText.of(place),
                    "must be " + Forms.RETRY_KEEP + ", its old place in the queue, or " + Forms.RETRY_END);
        }
        return true;
    }
}
