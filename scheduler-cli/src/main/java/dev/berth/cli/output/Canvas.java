package dev.berth.cli.output;

import dev.berth.cli.output.text.GpuText;
import dev.berth.cli.output.text.JobText;
import dev.berth.cli.output.text.PlainText;
import dev.berth.cli.output.text.ServerText;
import dev.berth.cli.output.text.Sparkline;
import dev.berth.core.api.GpuHistoryView;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.JobList;
import dev.berth.core.api.OverviewView;
import dev.berth.core.api.ServerView;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The terminal's other screen (xterm's, DEC private mode 1049), on which one picture takes the place of the one before.
 * What was on the terminal is there again after {@link #close}. Safe for use by any thread, a shutdown hook's included.
 */
public final class Canvas implements AutoCloseable {
    private static final String ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
    private static final String LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";

    /** Of a GPU's history, the last two minutes. */
    private static final int CURVE_SECONDS = 120;

    /** The columns that a GPU's line takes beside its curve. */
    private static final int GPU_FIGURES = 85;

    private static final int WIDE = 120;
    private static final int WIDE_JOB_CURVE = 24;
    private static final int JOB_CURVE = 8;

    private static final String HOME = "\u001b[H";
    private static final String CLEAR_LINE = "\u001b[K";
    private static final String CLEAR_BELOW = "\u001b[J";

    private final Screen screen;
    private int rows;
    private boolean entered;
    private boolean left;

    /** Makes a canvas on a terminal of so many rows. */
    public Canvas(Screen screen, int rows) {
        this.screen = screen;
        this.rows = rows;
    }

    /**
     * The look of pictures.
     *
     * @param columns how wide a line may be
     * @param time for how long things take
     * @param unicode whether the terminal has more than ASCII
     */
    public record Look(int columns, InstantSource time, boolean colour, boolean unicode) {}

    /** The jobs as a picture. */
    public static List<String> jobs(JobList jobs, Look look) {
        if (jobs.jobs().isEmpty()) {
            return List.of("no jobs to show");
        }
        return JobText.table(jobs.jobs(), look.time().instant()).lines(look.columns(), look.colour());
    }

    /** The GPUs as a picture. */
    public static List<String> gpus(GpuList gpus, Look look) {
        if (gpus.gpus().isEmpty()) {
            return List.of("this server allocates no GPUs");
        }
        List<String> lines = new ArrayList<>(GpuText.lines(gpus.gpus(), Map.of(), look.columns(), look.colour()));
        if (gpus.simulated()) {
            lines.add("simulated GPUs and figures");
        }
        return lines;
    }

    /** The number of values of a GPU's history to ask for. */
    public static int curveSeconds() {
        return CURVE_SECONDS;
    }

    /** The server, its GPUs with what they did lately, and the jobs as a picture. */
    public static List<String> overview(OverviewView overview, Look look) {
        ServerView server = overview.server();
        JobList jobs = overview.jobs();
        Instant now = look.time().instant();
        List<String> lines = new ArrayList<>(ServerText.summary(server, null, now));
        if (!server.gpus().isEmpty()) {
            lines.add("");
            lines.addAll(GpuText.lines(server.gpus(), curves(overview.history(), look), look.columns(), look.colour()));
            if (server.simulated()) {
                lines.add("simulated GPUs and figures");
            }
        }
        lines.add("");
        if (jobs.jobs().isEmpty()) {
            lines.add("no jobs to show");
        } else {
            int width = look.columns() >= WIDE ? WIDE_JOB_CURVE : JOB_CURVE;
            lines.addAll(
                    JobText.usageTable(jobs.jobs(), now, width, look.unicode()).lines(look.columns(), look.colour()));
        }
        return lines;
    }

    private static Map<String, String> curves(List<GpuHistoryView> lately, Look look) {
        int width = Math.clamp(look.columns() - GPU_FIGURES, CURVE_SECONDS / 12, CURVE_SECONDS / 2);
        Map<String, String> curves = new HashMap<>();
        for (GpuHistoryView history : lately) {
            String curve = Sparkline.of(history.utilisationPercent(), width, look.unicode());
            curves.put(history.uuid(), curve + " ".repeat(width - curve.length()));
        }
        return curves;
    }

    /** The terminal has so many rows from now on; on another size than before all is drawn anew. */
    public synchronized void resize(int newRows) {
        rows = newRows;
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
