package dev.berth.core.option;

import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Signal;
import dev.berth.core.text.DurationText;
import java.time.Duration;

/**
 * The form in which a signal before the time limit is asked for. A text that is none is an {@link IllegalArgumentException},
 * whose message is the rule that it breaks and goes on from the text.
 */
public final class SignalForms {
    private SignalForms() {}

    /** The signal of such a text as USR1 or USR1@5m, in the form of the API, with seconds. */
    public static String seconds(String text) {
        int at = text.indexOf('@');
        if (at < 0) {
            return LimitSignal.parse(text).toString();
        }
        Signal signal = Signal.parse(text.substring(0, at));
        return new LimitSignal(signal, Duration.ofSeconds(DurationText.seconds(text.substring(at + 1)))).toString();
    }
}
