package dev.berth.server.gpu.process;

import dev.berth.server.cgroup.CgroupMakers;
import dev.berth.server.linux.Users;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The processes in {@code /proc} (proc(5)). Safe for any thread; every call returns within about a second. */
public final class ProcessTable {
    private static final Path PROC = Path.of("/proc");
    private static final int MAX_BYTES = 8_192;
    private static final int MAX_ANCESTORS = 4_096;
    private static final long PATIENCE_MILLIS = 1_000;
    private static final int MAX_PENDING = 64;

    /** Docker, Podman and containerd name a container's control group after its id. */
    private static final Pattern CONTAINER = Pattern.compile("(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])");

    private static final Pattern OWNER = Pattern.compile("(?m)^Uid:\\s+(\\d+)");

    /** Where in stat(5) the fields stand, counted from behind the name. */
    private static final int STATE = 0;

    private static final int PARENT = 1;
    private static final int START = 19;

    private final Path proc;
    private final LongFunction<String> users;
    private final CgroupMakers makers;

    /**
     * Reads what may hang: the words of a process whose memory the driver has locked, and a directory service. One
     * thread, so that whatever hangs holds no more than that.
     */
    private final ThreadPoolExecutor patient = new ThreadPoolExecutor(
            0,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_PENDING),
            work -> Thread.ofPlatform().daemon().name("process-names").unstarted(work),
            new ThreadPoolExecutor.DiscardPolicy());

    /**
     * The table in a folder laid out like {@code /proc}.
     *
     * @param users the names of users
     */
    public ProcessTable(Path proc, LongFunction<String> users) {
        this.proc = proc;
        this.users = users;
        this.makers = CgroupMakers.of(proc);
    }

    /** This machine's. */
    public static ProcessTable ofThisMachine() {
        Users users = new Users();
        return new ProcessTable(
                PROC, uid -> users.name(uid).map(HarmlessText::of).orElseGet(() -> unnamed(uid)));
    }

    private static String unnamed(long uid) {
        return "uid " + uid;
    }

    /** A process, empty where there is none of that number, or one that has ended and only waits to be noticed. */
    public Optional<ProcessFacts> find(long pid) {
        try {
            Path folder = proc.resolve(Long.toString(pid));
            String stat = read(folder.resolve("stat"));
            int open = stat.indexOf('(');
            int close = stat.lastIndexOf(')');
            if (open < 0 || close < open) {
                return Optional.empty();
            }
            String[] fields = stat.substring(close + 1).strip().split("\\s+");
            Matcher owner = OWNER.matcher(read(folder.resolve("status")));
            if (fields.length <= START || "ZX".contains(fields[STATE]) || !owner.find()) {
                return Optional.empty();
            }
            return Optional.of(new ProcessFacts(
                    pid,
                    Long.parseLong(fields[START]),
                    Long.parseLong(fields[PARENT]),
                    Long.parseLong(owner.group(1)),
                    HarmlessText.of(stat.substring(open + 1, close)),
                    containers(read(folder.resolve("cgroup")))));
        } catch (IOException | NumberFormatException e) {
            // It has ended meanwhile.
            return Optional.empty();
        }
    }

    private List<String> containers(String groups) {
        Set<String> ids = new LinkedHashSet<>(makers.names(groups, CONTAINER));
        return List.copyOf(ids);
    }

    /** What people call it, made harmless; the kernel's short name for it where its words cannot be had. */
    public String command(ProcessFacts process) {
        return patiently(() -> CommandName.of(words(process.pid()), process.name()), process.name());
    }

    /** Whose it is, by name where that can be had. */
    public String user(ProcessFacts process) {
        return patiently(() -> users.apply(process.uid()), unnamed(process.uid()));
    }

    /** Its words as it has them now, empty for one that has none or is gone. */
    public List<String> words(long pid) {
        try {
            String line = read(proc.resolve(Long.toString(pid)).resolve("cmdline"));
            return line.isEmpty() ? List.of() : List.of(line.split("\0"));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** All there are. */
    public List<Long> all() {
        List<Long> pids = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(proc, "[0-9]*")) {
            folders.forEach(
                    folder -> pids.add(Long.parseLong(folder.getFileName().toString())));
        } catch (IOException | NumberFormatException e) {
            return pids;
        }
        return pids;
    }

    /** The process itself, its parent, that one's parent and so on, as far as they can be seen. */
    public Stream<ProcessFacts> line(ProcessFacts process) {
        return Stream.iterate(
                        Optional.of(process),
                        Optional::isPresent,
                        next -> next.flatMap(it -> it.parent() > 0 ? find(it.parent()) : Optional.empty()))
                .limit(MAX_ANCESTORS)
                .flatMap(Optional::stream);
    }

    private String patiently(java.util.function.Supplier<String> work, String otherwise) {
        FutureTask<String> task = new FutureTask<>(work::get);
        patient.execute(task);
        try {
            return task.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return otherwise;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return otherwise;
        }
    }

    private static String read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
        }
    }
}
