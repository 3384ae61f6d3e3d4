package dev.berth.cli.output;

import dev.berth.core.api.JobList;
import dev.berth.core.api.ServerView;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * The terminal's other screen (xterm's, DEC private mode 1049), on which one picture takes the place of the one before.
 * What was on the terminal is there again after {@link #close}. Safe for use by any thread, a shutdown hook's included.
 */
public final class Canvas implements AutoCloseable {
    private static final String ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
    private static final String LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String CLEAR_LINE = "\u001b[K";
    private static final String CLEAR_BELOW = "\u001b[J";

    private final Screen screen;
    private final int rows;
    private boolean entered;
    private boolean left;

    /** One on a terminal of so many rows. */
    public Canvas(Screen screen, int rows) {
        this.screen = screen;
        this.rows = rows;
    }

    /**
     * How pictures look.
     *
     * @param columns how wide a line may be
     * @param time for how long things take
     */
    public record Look(int columns, InstantSource time, boolean colour) {}

    /** The jobs as a picture. */
    public static List<String> jobs(JobList jobs, Look look) {
        if (jobs.jobs().isEmpty()) {
            return List.of("no jobs to show");
        }
        return JobText.table(jobs.jobs(), look.time().instant()).lines(look.columns(), look.colour());
    }

    /** The server, its GPUs and the jobs as a picture. */
    public static List<String> overview(ServerView server, JobList jobs, Look look) {
        Instant now = look.time().instant();
        List<String> lines = new ArrayList<>(ServerText.summary(server, null, now));
        if (!server.gpus().isEmpty()) {
            lines.add("");
            lines.addAll(ServerText.gpus(server.gpus()).lines(look.columns(), look.colour()));
        }
        lines.add("");
        lines.addAll(jobs(jobs, look));
        return lines;
    }

    /** Draws as much of the lines as there is room for, and the notice below them where there is one. */
    public synchronized void draw(List<String> lines, String notice) {
        if (left) {
            return;
        }
        StringBuilder picture = new StringBuilder(entered ? HOME : ENTER + HOME);
        entered = true;
        int room = Math.max(1, rows - (notice.isEmpty() ? 0 : 1));
        boolean cut = lines.size() > room;
        int shown = cut ? room - 1 : lines.size();
        for (int at = 0; at < shown; at++) {
            line(picture, lines.get(at), at > 0);
        }
        if (cut) {
            line(picture, "and " + (lines.size() - shown) + " more lines", shown > 0);
        }
        if (!notice.isEmpty()) {
            line(picture, PlainText.of(notice), true);
        }
        int drawn = shown + (cut ? 1 : 0) + (notice.isEmpty() ? 0 : 1);
        write(picture.append(drawn < rows ? "\r\n" + CLEAR_BELOW : "").toString());
    }

    /** Clears first: behind a line as wide as the terminal the cursor still stands on its last character. */
    private static void line(StringBuilder picture, String text, boolean next) {
        picture.append(next ? "\r\n" : "").append(CLEAR_LINE).append(text);
    }

    @Override
    public synchronized void close() {
        if (entered && !left) {
            write(LEAVE);
        }
        left = true;
    }

    private void write(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        screen.bytes(bytes, bytes.length);
    }
}
