package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import dev.berth.core.option.Forms;
import dev.berth.core.text.DurationText;

/** A job's time limit, as people write it. */
public final class TimeLimit {
    /** A duration with a number of more digits than are read of one. */
    private static final String MANY_DIGITS = "[0-9dhms:]*[1-9][0-9]{9}[0-9dhms:]*";

    private TimeLimit() {}

    /** The seconds that an option says. */
    public static long seconds(String option, String text) {
        long seconds = DurationText.seconds(text);
        if (seconds <= 0) {
            SlurmForm.TIME.refuse(option, text);
            if (text.matches(MANY_DIGITS)) {
                throw Failure.usage(option + ": '" + text + "' is longer than ten years, the most that there is");
            }
            throw Failure.usage(option + ": '" + text + "' is not a duration above zero; write it as " + Forms.DURATION
                    + ", for example " + option + " 2h");
        }
        return seconds;
    }
}
