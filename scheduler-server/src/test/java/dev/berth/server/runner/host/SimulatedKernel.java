package dev.berth.server.runner.host;

import dev.berth.server.linux.ProcessKey;
import dev.berth.server.upkeep.Tasks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/**
 * Kernel of processes that run nothing: they are files as in {@code /proc}, and end when they are told to. No process of
 * the machine has a number of theirs.
 */
public final class SimulatedKernel implements ProcessKernel {
    /** Numbers of real processes end far below (PID_MAX_LIMIT). */
    private static final long FIRST = 1L << 30;

    private static final int SIGNAL_BASE = 128;

    /** Hears how a process has ended, whoever ended it. */
    @FunctionalInterface
    public interface Parent {
        void ended(ProcessKey process, int exitCode);
    }

    private final class Watched implements Watch {
        private final ProcessKey process;
        private final Runnable whenEnded;

        Watched(ProcessKey process, Runnable whenEnded) {
            this.process = process;
            this.whenEnded = whenEnded;
        }

        @Override
        public void close() {
            synchronized (watches) {
                watches.remove(this);
            }
        }
    }

    private final Path proc;
    private final Tasks tasks;
    private final Parent parent;
    private final Map<Long, ProcessKey> alive = new HashMap<>();
    private final List<Watched> watches = new ArrayList<>();
    private long started;
    private volatile BiPredicate<ProcessKey, Integer> heeding = (_, _) -> false;

    /**
     * A kernel without processes.
     *
     * @param proc a directory without anything in it
     * @param tasks tells of ends
     */
    public SimulatedKernel(Path proc, Tasks tasks, Parent parent) {
        this.proc = proc;
        this.tasks = tasks;
        this.parent = parent;
    }

    /**
     * Starts a process in a group of its own.
     *
     * @param above the number of its parent
     * @param variable one of its environment, as {@code NAME=value}
     */
    public synchronized ProcessKey start(long above, long uid, String variable) {
        started++;
        ProcessKey key = new ProcessKey(FIRST + started, started);
        Path directory = directory(key);
        try {
            Path _ = Files.createDirectory(directory);
            Path _ = Files.writeString(
                    directory.resolve("stat"),
                    "%d (simulated) S %d %d %d 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 %d 0\n"
                            .formatted(key.pid(), above, key.pid(), key.pid(), key.startTicks()));
            Path _ = Files.writeString(
                    directory.resolve("status"), "Uid:\t%d\t%d\t%d\t%d\n".formatted(uid, uid, uid, uid));
            Path _ = Files.writeString(directory.resolve("environ"), variable + "\0");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        alive.put(key.pid(), key);
        return key;
    }

    public synchronized boolean isAlive(ProcessKey process) {
        return process.equals(alive.get(process.pid()));
    }

    /** A process ends, where it is there. */
    public void end(ProcessKey process, int exitCode) {
        List<Watched> told;
        synchronized (this) {
            if (!alive.remove(process.pid(), process)) {
                return;
            }
            Path directory = directory(process);
            try {
                for (String file : List.of("stat", "status", "environ")) {
                    Files.delete(directory.resolve(file));
                }
                Files.delete(directory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        synchronized (watches) {
            told = watches.stream()
                    .filter(watch -> watch.process.equals(process))
                    .toList();
            watches.removeIf(watch -> watch.process.equals(process));
        }
        parent.ended(process, exitCode);
        told.forEach(watch -> tasks.run(watch.whenEnded));
    }

    /** The server that watched is gone. */
    public void forgetWatches() {
        synchronized (watches) {
            watches.clear();
        }
    }

    @Override
    public Path proc() {
        return proc;
    }

    @Override
    public Watch watch(ProcessKey process, Runnable whenEnded) {
        Watched watch = new Watched(process, whenEnded);
        synchronized (watches) {
            watches.add(watch);
        }
        if (!isAlive(process)) {
            watch.close();
            tasks.run(whenEnded);
        }
        return watch;
    }

    /** From now on some signals end nothing: those of which this says so. */
    public void heed(BiPredicate<ProcessKey, Integer> next) {
        heeding = next;
    }

    /** Each of them obeys the first that is not heeded. */
    @Override
    public boolean signal(ProcessKey process, int number) {
        boolean isThere = isAlive(process);
        if (!isThere || !heeding.test(process, number)) {
            end(process, SIGNAL_BASE + number);
        }
        return isThere;
    }

    private Path directory(ProcessKey process) {
        return proc.resolve(Long.toString(process.pid()));
    }
}
