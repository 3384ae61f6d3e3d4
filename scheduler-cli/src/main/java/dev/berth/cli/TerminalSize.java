package dev.berth.cli;

import dev.berth.cli.command.Size;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Asks the terminal how large it is now, as {@code bin/berth} did at the start: by stty(1). */
final class TerminalSize {
    private static final long PATIENCE_MILLIS = 500;

    private TerminalSize() {}

    /** The size now; {@code before} where it cannot be had. */
    static Size now(Size before) {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!stty.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                stty.destroyForcibly();
                return before;
            }
            return parse(new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8), before);
        } catch (IOException nothing) {
            return before;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return before;
        }
    }

    /** "24 80": rows and columns. */
    static Size parse(String text, Size before) {
        String[] words = text.strip().split(" ", -1);
        if (words.length != 2 || !words[0].matches("[1-9][0-9]{0,4}") || !words[1].matches("[1-9][0-9]{0,4}")) {
            return before;
        }
        return new Size(Integer.parseInt(words[1]), Integer.parseInt(words[0]));
    }
}
