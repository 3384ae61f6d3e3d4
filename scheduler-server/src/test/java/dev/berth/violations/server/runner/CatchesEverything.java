package dev.berth.violations.server.runner;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Work whose failures are caught, whatever they are. */
final class CatchesEverything {
    private CatchesEverything() {}

    static boolean all(Runnable work) {
        try {
            work.run();
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    static boolean oneOfTwo(InputStream in) {
        try {
            return in.read() >= 0;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    static boolean oneKind(Runnable work) {
        try {
            work.run();
            return true;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    static int closes(InputStream in) throws IOException {
        try (in) {
            return in.read();
        }
    }
}
