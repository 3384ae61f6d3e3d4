package dev.berth.server.runner.docker.engine;

import dev.berth.core.job.EngineRun;
import dev.berth.server.linux.MachineBoot;
import dev.berth.server.linux.PeerProcess;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessStat;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The process of this machine that is the Docker Engine, and so the engine's run: the engine's id stays the same for
 * ever, and it tells nothing of its own start. Where the system's manager or a relay listens at its socket, all
 * processes of that name count together, so that none of them can end or begin unseen; its containerd counts, too.
 * Asked anew each time: an answer that was kept could be another engine's. Safe for any thread.
 */
final class EngineProcess {
    private static final String NAME = "dockerd";

    /**
     * The process that starts programs for it; it may be killed alone, and be started anew by the engine or by the
     * system.
     */
    private static final String RUNTIME = "containerd";

    /** The kernel tells times of processes in hundredths of a second (proc(5), USER_HZ). */
    private static final int TICK_DIGITS = 2;

    private final Path socket;
    private final Path proc;
    private final ProcessTable table;
    private final BooleanSupplier isHere;

    /**
     * The engine at a socket of this machine.
     *
     * @param proc where the kernel shows processes, {@code /proc}
     * @param isHere asked where another process listens for it: whether it runs on this machine at all
     */
    EngineProcess(Path socket, Path proc, BooleanSupplier isHere) {
        this.socket = socket;
        this.proc = proc;
        this.table = new ProcessTable(proc);
        this.isHere = isHere;
    }

    /**
     * The run that answers now.
     *
     * @return UNKNOWN where it is not seen from here
     * @throws EngineException of kind UNREACHABLE where nobody listens
     */
    EngineRun run() {
        List<ProcessKey> processes = processes();
        return run(Stream.concat(processes.stream(), processes.isEmpty() ? Stream.empty() : runtimes(processes)));
    }

    /**
     * The run of the engine alone: it goes on under the same name where its containerd is started anew.
     *
     * @return UNKNOWN where it is not seen from here
     * @throws EngineException of kind UNREACHABLE where nobody listens
     */
    EngineRun daemon() {
        return run(processes().stream());
    }

    private EngineRun run(Stream<ProcessKey> processes) {
        String keys = processes
                .map(process -> process.pid() + "@" + process.startTicks())
                .collect(Collectors.joining(","));
        return keys.isEmpty() ? EngineRun.UNKNOWN : new EngineRun(MachineBoot.id(proc) + ":" + keys);
    }

    /**
     * The times when the run that answers now began: by the date as it is now, and by the date as it was then, which
     * the engine's own socket bears and which may have been set since. Empty where the run is not seen from here, or
     * nobody listens.
     */
    List<Instant> beginnings(Instant now) {
        try {
            BigDecimal up = MachineBoot.uptime(proc);
            OptionalLong ticks =
                    processes().stream().mapToLong(ProcessKey::startTicks).max();
            if (ticks.isEmpty()) {
                return List.of();
            }
            BigDecimal ago = up.subtract(BigDecimal.valueOf(ticks.getAsLong(), TICK_DIGITS));
            return List.of(
                    now.minusMillis(ago.movePointRight(3).longValue()),
                    Files.getLastModifiedTime(socket).toInstant());
        } catch (IOException | NumberFormatException | EngineException e) {
            return List.of();
        }
    }

    /** An engine starts one of its own where the system has none for it. */
    private Stream<ProcessKey> runtimes(List<ProcessKey> engines) {
        List<ProcessStat> all = named(RUNTIME);
        List<ProcessStat> own = all.stream()
                .filter(one -> engines.stream().anyMatch(engine -> engine.pid() == one.parent()))
                .toList();
        return (own.isEmpty()
                        ? wholly(
                                all,
                                proc.resolve(Long.toString(engines.getFirst().pid())))
                        : own)
                .stream().map(ProcessStat::key);
    }

    /** Processes that together are the engine; none where it is not seen from here. */
    private List<ProcessKey> processes() {
        OptionalLong listener;
        try {
            listener = PeerProcess.of(socket);
        } catch (IOException e) {
            throw new EngineException(Kind.UNREACHABLE, "no Docker Engine answers: " + e.getMessage(), e);
        }
        Optional<ProcessStat> process = listener.isPresent() ? table.look(listener.getAsLong()) : Optional.empty();
        if (process.isEmpty()) {
            return List.of();
        }
        if (process.get().isEnding()) {
            throw new EngineException(Kind.UNREACHABLE, "no Docker Engine answers: that which did is ending");
        }
        if (process.get().name().equals(NAME)) {
            return List.of(process.get().key());
        }
        return isHere.getAsBoolean()
                ? wholly(named(NAME), socket).stream().map(ProcessStat::key).toList()
                : List.of();
    }

    private List<ProcessStat> named(String name) {
        try {
            return table.visible().stream()
                    .filter(one -> one.name().equals(name) && !one.isEnding())
                    .toList();
        } catch (UncheckedIOException e) {
            // Nothing is known then.
            return List.of();
        }
    }

    /** Processes that belong wholly to the file's owner. */
    private List<ProcessStat> wholly(List<ProcessStat> named, Path file) {
        try {
            long owner = Integer.toUnsignedLong((int) Files.getAttribute(file, "unix:uid"));
            List<ProcessStat> all = named.stream()
                    .filter(one -> table.isWholly(one.pid(), owner))
                    .toList();
            // What it has forked bears its name until it becomes something else.
            return all.stream()
                    .filter(one -> all.stream().noneMatch(other -> other.pid() == one.parent()))
                    .sorted(Comparator.comparingLong(ProcessStat::pid))
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
