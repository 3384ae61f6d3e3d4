package dev.berth.cli.output;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Standard output and standard error, in UTF-8, written through at once. Safe for use by any thread.
 *
 * @param columns how wide the terminal is that standard output goes to; 0 where it goes elsewhere
 * @param isWatched whether standard error goes to a terminal
 */
public record Screen(OutputStream out, OutputStream err, int columns, boolean isWatched) {
    /** A screen whose standard error nobody watches. */
    public Screen(OutputStream out, OutputStream err, int columns) {
        this(out, err, columns, false);
    }

    /** A line of the result. */
    public void line(String text) {
        byte[] bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
        bytes(bytes, bytes.length);
    }

    /** A piece of the result as it is. */
    public void bytes(byte[] bytes, int count) {
        synchronized (out) {
            try {
                out.write(bytes, 0, count);
                out.flush();
            } catch (IOException closed) {
                throw Failure.of(
                        ExitCode.OUTPUT_CLOSED, "OUTPUT_CLOSED", "standard output is closed: " + closed.getMessage());
            }
        }
    }

    /** A line about the result. */
    public void notice(String text) {
        aside(text + "\n");
    }

    /** A piece of a line about the result. */
    void aside(String text) {
        synchronized (err) {
            try {
                err.write(text.getBytes(StandardCharsets.UTF_8));
                err.flush();
            } catch (IOException closed) {
                // Nobody listens; what counts is the exit code.
                return;
            }
        }
    }
}
