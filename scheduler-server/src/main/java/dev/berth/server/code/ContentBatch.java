package dev.berth.server.code;

import dev.berth.server.code.ContentStream.Header;
import dev.berth.server.disk.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Verified contents on their way to the shelf: forced to disk many at a time, which a file system does for little more
 * than one, and only then named. Lives on one thread.
 */
final class ContentBatch implements ContentStream.Shelf {
    private static final int MAX_FILES = 128;
    private static final long MAX_BYTES = 64L << 20;

    private record Waiting(Path file, Header content) {}

    private final UserSnapshots user;
    private final List<Waiting> waiting = new ArrayList<>();
    private long bytes;

    ContentBatch(UserSnapshots user) {
        this.user = user;
    }

    @Override
    public boolean has(String digest, long size) throws IOException {
        return DurableFiles.stamp(user.content(digest))
                .filter(stamp -> stamp.size() == size)
                .isPresent();
    }

    @Override
    public Path partial() throws IOException {
        return user.partial();
    }

    @Override
    public void take(Path partial, Header content) throws IOException, SnapshotException {
        Path verified = partial.resolveSibling("verified-" + partial.getFileName());
        DurableFiles.move(partial, verified);
        waiting.add(new Waiting(verified, content));
        bytes += content.size();
        if (waiting.size() >= MAX_FILES || bytes >= MAX_BYTES) {
            flush();
        }
    }

    /** Brings what was taken to the disk and to its place; to be called at the end, whatever it was. */
    void flush() throws IOException, SnapshotException {
        try {
            force();
            for (Waiting one : waiting) {
                user.adopt(one.file(), one.content().digest(), one.content().size());
            }
        } finally {
            for (Waiting one : waiting) {
                Files.deleteIfExists(one.file());
            }
            waiting.clear();
            bytes = 0;
        }
    }

    private void force() throws IOException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> forced = new ArrayList<>();
            for (Waiting one : waiting) {
                forced.add(threads.submit(() -> {
                    DurableFiles.forceFile(one.file());
                    return null;
                }));
            }
            for (Future<?> one : forced) {
                one.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("a content could not be forced to disk: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the server is stopping", e);
        }
    }
}
