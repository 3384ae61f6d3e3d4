package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import dev.berth.core.option.Forms;
import dev.berth.core.option.SignalForms;

/** A signal and how long before the time limit it comes, as people write it. */
public final class SignalTime {
    private SignalTime() {}

    /** The signal as the API has it, with seconds. */
    public static String of(String option, String text) {
        SlurmForm.SIGNAL.refuse(option, text);
        try {
            return SignalForms.seconds(text);
        } catch (IllegalArgumentException e) {
            throw Failure.usage(option + ": '" + text + "' " + e.getMessage() + "; write it as " + Forms.SIGNAL
                    + ", for example " + option + " USR1@5m");
        }
    }
}
