package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import dev.berth.core.option.Forms;
import dev.berth.core.text.DurationText;

/** A job's time limit, as people write it. */
public final class TimeLimit {
    private TimeLimit() {}

    /** The seconds that an option says. */
    public static long seconds(String option, String text) {
        long seconds = DurationText.seconds(text);
        if (seconds <= 0) {
            throw Failure.usage(option + ": '" + text + "' is not a duration above zero; write it as " + Forms.DURATION
                    + ", for example " + option + " 2h");
        }
        return seconds;
    }
}
