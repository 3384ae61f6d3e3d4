package dev.berth.cli.exit;

import dev.berth.core.api.ApiError;
import java.util.List;
import java.util.Map;

/** The end of a command that did not work out: one sentence for people, a code for programs, an exit code. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int SERVER_SIDE = 500;

    /** A word that is longer hides what is said about it; few paths are. */
    private static final int MAX_WORD = 600;

    private static final int SHOWN_END = 100;

    private final int exitCode;
    private final int status;
    private final transient ApiError error;
    private final transient List<String> lines;

    private Failure(int exitCode, int status, ApiError error, List<String> lines) {
        super(error.message(), null, false, false);
        this.exitCode = exitCode;
        this.status = status;
        this.error = error;
        this.lines = List.copyOf(lines);
    }

    /** The command line is wrong. */
    public static Failure usage(String sentence) {
        return of(ExitCode.USAGE, "USAGE", sentence);
    }

    /** The server, or the way to it, is broken. */
    public static Failure berth(String code, String sentence) {
        return of(ExitCode.BERTH_FAILED, code, sentence);
    }

    /** The server answered what no Berth server of this version answers. */
    public static Failure badAnswer(String what) {
        return berth(
                "BAD_ANSWER",
                "the server's answer is not understood: " + what
                        + "; is it the same version as this command? (berth --version, berth server status)");
    }

    public static Failure of(int exitCode, String code, String sentence) {
        return of(exitCode, code, List.of(sentence));
    }

    /** A failure that has more to say than a sentence, a line each. */
    public static Failure of(int exitCode, String code, List<String> lines) {
        List<String> read = lines.stream().map(Failure::shortened).toList();
        return new Failure(exitCode, 0, new ApiError(code, String.join("\n", read), Map.of()), read);
    }

    private static String shortened(String line) {
        StringBuilder all = new StringBuilder();
        int begin = 0;
        while (begin < line.length()) {
            int blank = line.indexOf(' ', begin);
            int end = blank < 0 ? line.length() : blank + 1;
            if (end - begin > MAX_WORD) {
                all.append(line, begin, begin + MAX_WORD / 2).append("...").append(line, end - SHOWN_END, end);
            } else {
                all.append(line, begin, end);
            }
            begin = end;
        }
        return all.toString();
    }

    /** The server said no. */
    public static Failure refused(int status, ApiError error) {
        return new Failure(ExitCode.ofStatus(status), status, error, List.of(error.message()));
    }

    /** The refusal, said in other words. */
    public Failure inWords(String sentence) {
        return refused(status, new ApiError(error.code(), sentence, error.details()));
    }

    public int exitCode() {
        return exitCode;
    }

    /** The error that a program reads. */
    public ApiError error() {
        return error;
    }

    /** The lines that a person reads, the sentence first. */
    public List<String> lines() {
        return lines;
    }

    /** Whether the server itself is in trouble, so that asking again later may help. */
    public boolean isServerSide() {
        return status >= SERVER_SIDE;
    }

    /** Whether the reader of standard output went away: nobody is left to tell anything. */
    public boolean isSilent() {
        return exitCode == ExitCode.OUTPUT_CLOSED;
    }
}
