package dev.berth.server.cgroup;

import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessStat;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.linux.ProcessUse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Cgroup, with those that a program of root's may have made in it. Safe for any thread. */
public final class Cgroup {
    private static final String PROCESSES = "cgroup.procs";

    private final Path directory;
    private final CgroupMount.Kind kind;

    Cgroup(Path directory, CgroupMount.Kind kind) {
        this.directory = directory;
        this.kind = kind;
    }

    Path directory() {
        return directory;
    }

    /** The file of the processes that are in it, to which one writes its number to be so. */
    Path processFile() {
        return directory.resolve(PROCESSES);
    }

    /** Puts a process in with all its threads. */
    void put(long pid) throws IOException {
        write(PROCESSES, Long.toString(pid));
    }

    /**
     * Processes that are in it and can be seen from here; none where it is gone.
     *
     * @throws UncheckedIOException where that cannot be said
     */
    public Set<Long> processes() {
        Set<Long> pids = new HashSet<>();
        try {
            for (Path each : tree(directory)) {
                for (String line : Files.readAllLines(each.resolve(PROCESSES), StandardCharsets.US_ASCII)) {
                    // 0 stands for one that is out of sight
                    if (!line.equals("0")) {
                        pids.add(Long.parseLong(line));
                    }
                }
            }
        } catch (IOException e) {
            if (Files.exists(directory)) {
                throw new UncheckedIOException(directory + " cannot be read: " + e.getMessage(), e);
            }
        }
        return pids;
    }

    /**
     * What the processes that are in it have used; empty where there are none. The time of one that has ended and for which
     * none of them waited is left out.
     *
     * @throws UncheckedIOException where that cannot be said
     */
    Optional<ProcessUse> use(ProcessTable table) {
        return processes().stream().flatMap(pid -> table.use(pid).stream()).reduce(ProcessUse::and);
    }

    /**
     * Ends all that is in it, and what that starts meanwhile.
     *
     * @param signals sends the signal to each; they are held still where the kernel has nothing better
     */
    public void kill(Runnable signals) {
        switch (kind) {
            case KILL -> {
                boolean _ = isWritten("cgroup.kill", "1");
                signals.run();
            }
            case FREEZE -> held("cgroup.freeze", "1", "0", signals);
            case FREEZER -> held("freezer.state", "FROZEN", "THAWED", signals);
        }
    }

    /**
     * Ends all that is in it, and what that starts meanwhile; whether it is gone.
     *
     * @param kill ends that process, where it is there
     */
    public boolean clear(ProcessTable table, Consumer<ProcessKey> kill) {
        kill(() -> {
            List<ProcessStat> found = processes().stream()
                    .flatMap(pid -> table.find(pid).stream())
                    .toList();
            // A number that was another process's by the time it was looked at is not in there.
            Set<Long> inside = Set.copyOf(processes());
            found.stream().filter(member -> inside.contains(member.pid())).forEach(member -> kill.accept(member.key()));
        });
        return remove();
    }

    private void held(String file, String held, String free, Runnable signals) {
        boolean _ = isWritten(file, held);
        try {
            signals.run();
        } finally {
            boolean _ = isWritten(file, free);
        }
    }

    /**
     * Whether a text was written. A file that cannot be written is gone, or is tried again by the one who looks whether
     * it is empty.
     */
    private boolean isWritten(String file, String text) {
        try {
            write(file, text);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    void write(String file, String text) throws IOException {
        Files.write(directory.resolve(file), text.getBytes(StandardCharsets.US_ASCII), StandardOpenOption.WRITE);
    }

    /** Removes it, which the kernel does only where nothing is in it; whether it is gone. */
    public boolean remove() {
        try {
            for (Path each : tree(directory).reversed()) {
                Files.deleteIfExists(each);
            }
            return true;
        } catch (NoSuchFileException | NotDirectoryException gone) {
            return true;
        } catch (DirectoryNotEmptyException busy) {
            return false;
        } catch (IOException busy) {
            return !Files.exists(directory, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** The cgroup and those in it, each before those in it. */
    private static List<Path> tree(Path top) throws IOException {
        List<Path> all = new ArrayList<>(List.of(top));
        for (int at = 0; at < all.size(); at++) {
            try (DirectoryStream<Path> children = Files.newDirectoryStream(all.get(at), Cgroup::isDirectory)) {
                children.forEach(all::add);
            }
        }
        return all;
    }

    static boolean isDirectory(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
