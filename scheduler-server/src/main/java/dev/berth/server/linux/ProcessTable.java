package dev.berth.server.linux;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** Processes of the machine, as {@code /proc} shows them at the moment of asking. Safe for any thread. */
public final class ProcessTable {
    private static final String USER = "Uid:";
    private static final String NAMESPACES = "NSpid:";

    /** The bytes of what a process's owner chose that are looked at. */
    private static final int MAX_BYTES = 8_192;

    private final Path proc;

    /** A table of the processes below that directory, {@code /proc}. */
    public ProcessTable(Path proc) {
        this.proc = proc;
    }

    /**
     * A process by its number; empty where there is none.
     *
     * @throws UncheckedIOException where that cannot be said
     */
    public Optional<ProcessStat> find(long pid) {
        try {
            return ProcessStat.read(proc, pid);
        } catch (IOException e) {
            if (isGone(pid)) {
                return Optional.empty();
            }
            // A file too many is open, say: that it has ended must not be concluded from that.
            throw new UncheckedIOException("process " + pid + " cannot be looked at: " + e.getMessage(), e);
        }
    }

    /** What a process has used; empty where there is none, or it may not be looked at. */
    public Optional<ProcessUse> use(long pid) {
        try {
            return Optional.of(ProcessUse.read(proc, pid));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Whether there is no such process; opens nothing. */
    private boolean isGone(long pid) {
        return Files.notExists(proc.resolve(Long.toString(pid)));
    }

    /** Whether that very process is there and has not ended. */
    public boolean isAlive(ProcessKey process) {
        return find(process.pid())
                .filter(stat -> stat.key().equals(process) && !stat.hasEnded())
                .isPresent();
    }

    /** The owner of a process, by its real user; empty where there is none. */
    public OptionalLong owner(long pid) {
        try {
            return Files.readAllLines(file(pid, "status"), StandardCharsets.ISO_8859_1).stream()
                    .filter(line -> line.startsWith(USER))
                    .mapToLong(line ->
                            Long.parseLong(line.substring(USER.length()).strip().split("\\s", 2)[0]))
                    .findFirst();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * Whether a process is wholly that user's, and of this namespace: any process may take a name, one with the
     * set-user-ID bit is the owner's in part, and what runs inside of a container is another one (proc(5), status).
     */
    public boolean isWholly(long pid, long uid) {
        try {
            String user = Long.toString(uid);
            return Files.readAllLines(file(pid, "status"), StandardCharsets.ISO_8859_1).stream()
                    .allMatch(line -> line.startsWith(USER)
                            ? values(line).stream().allMatch(user::equals)
                            : !line.startsWith(NAMESPACES) || values(line).size() == 1);
        } catch (IOException e) {
            // It has ended meanwhile.
            return false;
        }
    }

    private static List<String> values(String line) {
        return List.of(line.substring(line.indexOf(':') + 1).strip().split("\\s+"));
    }

    /**
     * The processes that came of these: what they started, also in sessions and groups that one of them made; and what
     * bears the mark in the environment it was started with, however far it went. Processes that have ended are left
     * out, and so is a process that shares a group with a root without having come of it.
     *
     * @param roots which may be gone
     * @param enclosed asked afterwards, which are in the cgroup of one of them: a number seen before could meanwhile
     *     be a stranger's
     * @param mark a variable and its value, as in an environment
     * @param uid whose processes may bear it: a mark is no secret
     */
    public List<ProcessStat> tree(Set<ProcessKey> roots, Supplier<Set<Long>> enclosed, String mark, long uid) {
        List<ProcessStat> all = all();
        Set<Long> inside = enclosed.get();
        Set<Long> members = new HashSet<>();
        for (ProcessStat stat : all) {
            if (roots.contains(stat.key()) || inside.contains(stat.pid()) || isMarked(stat.pid(), mark, uid)) {
                members.add(stat.pid());
            }
        }
        boolean grew = !members.isEmpty();
        while (grew) {
            grew = false;
            for (ProcessStat stat : all) {
                boolean comesOfThem = members.contains(stat.parent())
                        || members.contains(stat.group())
                        || members.contains(stat.session());
                grew |= comesOfThem && members.add(stat.pid());
            }
        }
        return all.stream()
                .filter(stat -> members.contains(stat.pid()) && !stat.hasEnded())
                .toList();
    }

    /** A process and those above it, itself first. */
    public List<ProcessKey> ancestry(long pid) {
        List<ProcessKey> line = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        Optional<ProcessStat> next = find(pid);
        while (next.isPresent() && seen.add(next.get().pid())) {
            line.add(next.get().key());
            next = find(next.get().parent());
        }
        return line;
    }

    /** Whether a process of that user was started with the mark. */
    public boolean isMarked(long pid, String mark, long uid) {
        return owner(pid).equals(OptionalLong.of(uid)) && bears(pid, mark);
    }

    /** Whether it was started with this variable; a process that others may not look into bears nothing. */
    public boolean bears(long pid, String mark) {
        byte[] wanted = mark.getBytes(StandardCharsets.ISO_8859_1);
        // Read as it comes: a process may have megabytes of variables, and a user many processes.
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file(pid, "environ")))) {
            int matched = 0;
            int next;
            do {
                next = in.read();
                if (next > 0) {
                    boolean goesOn = matched >= 0 && matched < wanted.length && wanted[matched] == (byte) next;
                    matched = goesOn ? matched + 1 : -1;
                } else if (matched == wanted.length) {
                    return true;
                } else {
                    matched = 0;
                }
            } while (next >= 0);
            return false;
        } catch (IOException e) {
            return false;
        }
    }

    /** Every process there is. */
    public List<ProcessStat> all() {
        return all(this::find);
    }

    /** Every process that may be looked at. */
    public List<ProcessStat> visible() {
        return all(this::look);
    }

    /** A process by its number; empty where there is none, or it may not be looked at. */
    public Optional<ProcessStat> look(long pid) {
        try {
            return ProcessStat.read(proc, pid);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private List<ProcessStat> all(LongFunction<Optional<ProcessStat>> look) {
        return numbers().stream().flatMap(pid -> look.apply(pid).stream()).toList();
    }

    /**
     * Numbers of all processes there are.
     *
     * @throws UncheckedIOException where that cannot be said
     */
    public Set<Long> numbers() {
        Set<Long> numbers = new HashSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(proc, "[0-9]*")) {
            entries.forEach(entry -> numbers.add(Long.parseLong(String.valueOf(entry.getFileName()))));
        } catch (IOException | DirectoryIteratorException e) {
            throw new UncheckedIOException(new IOException(proc + " cannot be read: " + e.getMessage(), e));
        }
        return numbers;
    }

    /** Words of a process as it has them now; empty for one that has none, is gone, or may not be looked into. */
    public List<String> words(long pid) {
        return beginning(pid, "cmdline")
                .filter(line -> !line.isEmpty())
                .map(line -> List.of(line.split("\0")))
                .orElse(List.of());
    }

    /** Cgroups of a process, a line for each hierarchy; empty where there is none, or it may not be looked into. */
    public Optional<String> cgroups(long pid) {
        return beginning(pid, "cgroup");
    }

    private Optional<String> beginning(long pid, String name) {
        try (InputStream in = Files.newInputStream(file(pid, name))) {
            return Optional.of(new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Path file(long pid, String name) {
        return proc.resolve(Long.toString(pid)).resolve(name);
    }
}
