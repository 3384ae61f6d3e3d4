package dev.berth.server.gpu.process;

import dev.berth.core.text.HarmlessText;
import dev.berth.server.cgroup.CgroupMakers;
import dev.berth.server.linux.ProcessStat;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.linux.Users;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Processes of the machine, with their containers and users. Safe for any thread; every call returns within about a second. */
public final class RunningProcesses {
    private static final Path PROC = Path.of("/proc");
    private static final int MAX_ANCESTORS = 4_096;
    private static final long PATIENCE_MILLIS = 1_000;
    private static final int MAX_PENDING = 64;

    /** Docker, Podman and containerd name a container's control group after its id. */
    private static final Pattern CONTAINER = Pattern.compile("(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])");

    private final ProcessTable table;
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
    public RunningProcesses(Path proc, LongFunction<String> users) {
        this.table = new ProcessTable(proc);
        this.users = users;
        this.makers = CgroupMakers.of(proc);
    }

    /** The processes of this machine. */
    public static RunningProcesses ofThisMachine() {
        Users users = new Users();
        return new RunningProcesses(
                PROC, uid -> users.name(uid).map(HarmlessText::of).orElseGet(() -> unnamed(uid)));
    }

    private static String unnamed(long uid) {
        return "uid " + uid;
    }

    /** A process, empty where there is none of that number, or one that has ended and only waits to be noticed. */
    public Optional<RunningProcess> find(long pid) {
        try {
            return table.find(pid).filter(stat -> !stat.hasEnded()).flatMap(this::described);
        } catch (UncheckedIOException | NumberFormatException e) {
            // It has ended meanwhile.
            return Optional.empty();
        }
    }

    private Optional<RunningProcess> described(ProcessStat stat) {
        OptionalLong owner = table.owner(stat.pid());
        Optional<String> cgroups = table.cgroups(stat.pid());
        return owner.isEmpty() || cgroups.isEmpty()
                ? Optional.empty()
                : Optional.of(new RunningProcess(
                        stat.pid(),
                        stat.key().startTicks(),
                        stat.parent(),
                        owner.getAsLong(),
                        HarmlessText.of(
                                new String(stat.name().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8)),
                        containers(cgroups.get())));
    }

    private List<String> containers(String groups) {
        Set<String> ids = new LinkedHashSet<>(makers.names(groups, CONTAINER));
        return List.copyOf(ids);
    }

    /** The name that people call it by, made harmless; the kernel's short name for it where its words cannot be had. */
    public String command(RunningProcess process) {
        return patiently(() -> CommandName.of(words(process.pid()), process.name()), process.name());
    }

    /** The user whose it is, by name where that can be had. */
    public String user(RunningProcess process) {
        return patiently(() -> users.apply(process.uid()), unnamed(process.uid()));
    }

    /** Words of a process as it has them now, empty for one that has none or is gone. */
    public List<String> words(long pid) {
        return table.words(pid);
    }

    /** Every process that can be seen. */
    public List<RunningProcess> all() {
        return table.visible().stream()
                .filter(stat -> !stat.hasEnded())
                .flatMap(stat -> described(stat).stream())
                .toList();
    }

    /** The process itself, its parent, that one's parent and so on, as far as they can be seen. */
    public Stream<RunningProcess> ancestry(RunningProcess process) {
        return Stream.iterate(
                        Optional.of(process),
                        Optional::isPresent,
                        next -> next.flatMap(it -> it.parent() > 0 ? find(it.parent()) : Optional.empty()))
                .limit(MAX_ANCESTORS)
                .flatMap(Optional::stream);
    }

    private String patiently(Supplier<String> work, String otherwise) {
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
}
