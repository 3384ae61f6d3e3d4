package dev.berth.server.http.view;

import dev.berth.core.api.JobEventView;
import dev.berth.core.api.WarningView;
import dev.berth.core.job.JobSpec;
import dev.berth.server.store.JobWarning;
import java.util.List;

/** The receivers of a job's notices, to those who see the job but may not read what is private in it: that there are some. */
public final class HiddenReceivers {
    private static final String SENTENCE =
            "a notice of it has not arrived, or came late; its owner and administrators see which, and why";

    private HiddenReceivers() {}

    /** The moments alone. */
    static List<String> wishes(JobSpec spec) {
        return spec.notifications().stream().map(wish -> wish.words() + ":...").toList();
    }

    static List<WarningView> warnings(List<WarningView> warnings) {
        return warnings.stream()
                .map(warning -> warning.code().equals(JobWarning.NOTICE_FAILED)
                        ? new WarningView(warning.code(), SENTENCE, warning.since(), warning.until())
                        : warning)
                .toList();
    }

    /** A line of a job's history. */
    public static JobEventView event(JobEventView event) {
        if (event.sentence() == null || !event.sentence().startsWith(JobWarning.NAMES_RECEIVER)) {
            return event;
        }
        return event.saying(SENTENCE, null);
    }
}
