package dev.berth.server;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.slf4j.LoggerFactory;

/**
 * Ends a server that has no memory left where the virtual machine does not do it by itself: of threads and of memory
 * outside of the heap it does not notice. A server that lacks a thread here and there would be worth less than the next
 * one, which takes everything over. Its words are made when it starts, for then none can be made.
 */
final class OutOfMemoryHandler implements Thread.UncaughtExceptionHandler {
    private static final byte[] WORDS =
            ("berth: the server ends: it has no memory left outside of its heap, or no threads."
                            + " What was acknowledged is on disk and jobs that run go on: start it again\n")
                    .getBytes(StandardCharsets.UTF_8);

    private final FileOutputStream errors = new FileOutputStream(FileDescriptor.err);

    /** Hears of all that no thread catches from now on. */
    static void install() {
        Thread.setDefaultUncaughtExceptionHandler(new OutOfMemoryHandler());
    }

    @Override
    public void uncaughtException(Thread thread, Throwable reason) {
        if (!(reason instanceof OutOfMemoryError)) {
            LoggerFactory.getLogger(OutOfMemoryHandler.class).error("thread {} ended", thread.getName(), reason);
            return;
        }
        try {
            errors.write(WORDS);
        } catch (IOException e) {
            // Nobody is left to tell.
        } finally {
            Runtime.getRuntime().halt(StartException.FAILED);
        }
    }
}
