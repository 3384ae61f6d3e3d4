package dev.berth.core.option;

import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.PullPolicy;
import java.util.Arrays;
import java.util.List;

/** The forms in which values are written on a command line, for help and refusals. */
public final class Forms {
    public static final String SIZE = "512m, 16g, 1.5g";
    public static final String DURATION = "30s, 45m, 2h, 1d12h, HH:MM:SS, or plain seconds";

    public static final String SIGNAL = "USR1@5m, TERM@30s; without a time 60s";

    public static final String DATE = "2026-12-01T08:00, 8:00, 'tomorrow 8:00', +2h";

    public static final String TASKS = "0-31; 1,3,7-9; 0-30:2; 0-31%4 for 4 at a time";

    public static final String VALUES = "lr=0.1,0.01; seed=1..5; p=0..1:0.25";

    public static final String RETRY_ON = "exit, oom, lost, timeout, code:75";

    public static final String TRACK = "tensorboard, csv, stdout, none";

    public static final String RETRY_DELAY = "30s; 1m..1h doubles it each time";

    public static final String NOTIFY =
            "end:https://..., fail:slack:https://..., mail:ADDRESS, cmd:COMMAND; moments are start, end, fail";

    /** Seeds that each draw others: {@link java.util.Random} takes 48 bits of one. */
    static final Bounds SEEDS = new Bounds(0, (1L << 48) - 1);

    /** The word for a retry at the job's old place in the queue. */
    public static final String RETRY_KEEP = "keep";

    /** The word for a retry at the end of the queue. */
    public static final String RETRY_END = "end";

    /** The word for a job that is to have completed. */
    public static final String AFTER_OK = DependencyKind.AFTER_OK.word();

    /** The word for a wait task by task. */
    public static final String AFTER_CORR = DependencyKind.AFTER_CORR.word();

    /** The words for how another job has to end. */
    public static final List<String> DEPENDENCIES =
            Arrays.stream(DependencyKind.values()).map(DependencyKind::word).toList();

    /** The words for when an image is pulled. */
    public static final List<String> PULLS =
            Arrays.stream(PullPolicy.values()).map(PullPolicy::word).toList();

    private Forms() {}
}
