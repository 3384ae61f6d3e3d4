package dev.berth.cli;

import dev.berth.cli.output.Screen;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** A screen whose lines are kept. */
public final class Captured {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /** The screen, on a terminal of this many columns; 0 for none. */
    public Screen screen(int columns) {
        return new Screen(out, err, columns);
    }

    /** The screen, with somebody who watches standard error. */
    public Screen watched() {
        return new Screen(out, err, 0, true);
    }

    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
