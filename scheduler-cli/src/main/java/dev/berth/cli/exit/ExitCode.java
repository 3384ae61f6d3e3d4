package dev.berth.cli.exit;

import dev.berth.core.api.JobView;

/** The meanings of a command's exit codes. A command that follows a job passes the program's own code through. */
public final class ExitCode {
    public static final int OK = 0;

    /** The server refused: not yours, not there, not possible any more. */
    public static final int REFUSED = 1;

    /** Not all tasks of an array have completed. */
    public static final int TASKS_FAILED = 1;

    /** The command line, or what it asks for, is wrong. */
    public static final int USAGE = 2;

    /** A job that could not start at once, which was what was asked for: EX_TEMPFAIL of sysexits.h. */
    public static final int NOT_NOW = 75;

    public static final int TIME_LIMIT = 124;

    /** Berth or its server failed, or does not answer; nobody knows how a program ended. */
    public static final int BERTH_FAILED = 125;

    /** A program that is there and cannot be run, as shells say it. */
    public static final int NOT_EXECUTABLE = 126;

    /** A program that is not there, as shells say it. */
    public static final int NOT_FOUND = 127;

    public static final int CANCELLED = 130;

    public static final int OUT_OF_MEMORY = 137;

    /** Standard output was closed by its reader: 128 and SIGPIPE, as for programs in a pipe. */
    public static final int OUTPUT_CLOSED = 141;

    private ExitCode() {}

    /** The code for a job that is over. */
    public static int of(JobView job) {
        return switch (job.state()) {
            case "COMPLETED" -> OK;
            case "TIMEOUT" -> TIME_LIMIT;
            case "CANCELLED" -> CANCELLED;
            case "OUT_OF_MEMORY" -> OUT_OF_MEMORY;
            case "FAILED" -> {
                Integer code = job.exitCode();
                if ("TASKS_FAILED".equals(job.reason())) {
                    yield TASKS_FAILED;
                }
                yield code == null || code == OK ? BERTH_FAILED : code;
            }
            default -> BERTH_FAILED;
        };
    }

    /** The code for a refusal with this HTTP status. */
    public static int ofStatus(int status) {
        return switch (status) {
            case 400, 413, 422 -> USAGE;
            case 429 -> BERTH_FAILED;
            default -> status >= 400 && status < 500 ? REFUSED : BERTH_FAILED;
        };
    }
}
