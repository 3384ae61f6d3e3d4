package dev.berth.cli.output;

import dev.berth.cli.output.text.PlainText;

/**
 * A line on standard error about what is waited for, drawn over itself on a terminal and gone at the end; elsewhere a
 * line whenever it is another one. For one thread.
 */
public final class WaitingLine implements AutoCloseable {
    private final Screen screen;
    private final boolean wanted;
    private String last = "";

    /**
     * A line that says nothing yet.
     *
     * @param wanted whether it is to say anything
     */
    public WaitingLine(Screen screen, boolean wanted) {
        this.screen = screen;
        this.wanted = wanted;
    }

    public void say(String sentence) {
        String line = "berth: " + PlainText.of(sentence);
        if (!wanted || line.equals(last)) {
            return;
        }
        last = line;
        if (screen.isWatched()) {
            screen.aside("\r" + line + "\u001b[K");
        } else {
            screen.notice(line);
        }
    }

    /** Wipes the line out. */
    @Override
    public void close() {
        if (!last.isEmpty() && screen.isWatched()) {
            screen.aside("\r\u001b[K");
        }
        last = "";
    }
}
