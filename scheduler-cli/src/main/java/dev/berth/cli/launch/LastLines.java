package dev.berth.cli.launch;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last lines that come from somewhere, read as they come so that nobody waits for their reader. Safe for any thread. */
final class LastLines {
    static final int MAX_LINES = 20;
    private static final int MAX_CHARACTERS = 400;

    private final Deque<String> last = new ArrayDeque<>();
    private final Thread reader;

    private LastLines(BufferedReader lines) {
        this.reader = Thread.ofVirtual().unstarted(() -> read(lines));
    }

    static LastLines of(BufferedReader lines) {
        LastLines kept = new LastLines(lines);
        kept.reader.start();
        return kept;
    }

    private void read(BufferedReader lines) {
        try (lines) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                keep(line.substring(0, Math.min(line.length(), MAX_CHARACTERS)));
            }
        } catch (IOException broken) {
            // That is their end too.
        }
    }

    private synchronized void keep(String line) {
        if (last.size() == MAX_LINES) {
            last.removeFirst();
        }
        last.addLast(line);
    }

    /** All of them, once their end is reached or so long has passed. */
    List<String> await(Duration patience) {
        try {
            boolean _ = reader.join(patience);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            return List.copyOf(last);
        }
    }
}
