package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Signal;
import dev.berth.core.option.Forms;
import dev.berth.core.text.DurationText;
import java.time.Duration;

/** A signal and how long before the time limit it comes, as people write it. */
public final class SignalTime {
    private SignalTime() {}

    /** The signal as the API has it, with seconds. */
    public static String of(String option, String text) {
        int at = text.indexOf('@');
        try {
            Signal signal = Signal.parse(at < 0 ? text : text.substring(0, at));
            return at < 0
                    ? LimitSignal.parse(signal.name()).toString()
                    : new LimitSignal(signal, Duration.ofSeconds(DurationText.seconds(text.substring(at + 1))))
                            .toString();
        } catch (IllegalArgumentException e) {
            throw Failure.usage(option + ": '" + text + "' " + e.getMessage() + "; write it as " + Forms.SIGNAL
                    + ", for example " + option + " USR1@5m");
        }
    }
}
