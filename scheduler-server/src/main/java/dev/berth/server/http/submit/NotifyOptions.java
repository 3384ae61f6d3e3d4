package dev.berth.server.http.submit;

import dev.berth.core.api.OptionValues;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Notification;
import dev.berth.core.option.JobOption;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.notify.NotifyRules;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Wishes to be told of jobs, as requests have them. What is refused is not repeated: it may hold a secret. */
public final class NotifyOptions {
    private static final int MAX_A_JOB = 10;

    private NotifyOptions() {}

    static List<Notification> of(OptionValues asked, Caller caller, NotifyRules rules) {
        List<@Nullable String> texts = asked.texts(JobOption.NOTIFY);
        if (texts.size() > MAX_A_JOB) {
            throw ApiException.field(
                    JobOption.NOTIFY.field(), texts.size() + " receivers", "must be at most " + MAX_A_JOB);
        }
        List<Notification> wishes = new ArrayList<>();
        for (String text : texts) {
            wishes.add(wish(JobOption.NOTIFY.field(), text, caller, rules));
        }
        return wishes;
    }

    /**
     * The wish that a text names, where it may be had.
     *
     * @param field that has it
     * @param caller whose wish it is
     */
    public static Notification wish(String field, @Nullable String text, Caller caller, NotifyRules rules) {
        Notification wish;
        try {
            wish = Notification.parse(text == null ? "" : text);
        } catch (IllegalArgumentException e) {
            throw ApiException.field(field, "...", String.valueOf(e.getMessage()));
        }
        require(field, wish, caller, rules);
        return wish;
    }

    /** Throws where what a job asked for may not be had by who submits it again, or in the way that they came. */
    static void recheck(JobSpec spec, Caller caller, NotifyRules rules) {
        spec.notifications().forEach(wish -> require(JobOption.NOTIFY.field(), wish, caller, rules));
    }

    private static void require(String field, Notification wish, Caller caller, NotifyRules rules) {
        rules.objection(wish, caller.uid(), caller.isLocal()).ifPresent(rule -> {
            throw ApiException.field(field, NotifyRules.shown(wish), rule);
        });
    }
}
