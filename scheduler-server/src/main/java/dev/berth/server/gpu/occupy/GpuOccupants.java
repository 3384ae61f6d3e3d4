package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.occupy.ContainerOwners.Owner;
import dev.berth.server.gpu.process.RunningProcess;
import dev.berth.server.gpu.process.RunningProcesses;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes on GPUs, as the driver names them: for the parts that allocate, clean or show a GPU. Tells ours from
 * others. Ours is what runs in a container of ours, what Berth itself started, and what is descended from that. Safe
 * for any thread.
 */
public final class GpuOccupants {
    private static final Logger LOG = LoggerFactory.getLogger(GpuOccupants.class);

    /** A process that ends between the driver's answer and ours is asked for again so often. */
    private static final int MAX_LOOKS = 3;

    private static final int MAX_KNOWN = 1_024;
    private static final int SHORT_ID = 12;
    private static final int MAX_LINE = 1_000;

    private final GpuReader reader;
    private final RunningProcesses processes;
    private final ContainerOwners containment;
    private final List<OwnProcesses> own;
    private final InstantSource clock;
    private final Map<Presence, Instant> firstSeen = new Bounded<>();

    /** By the id of a container: it never belongs to another. */
    private final Map<String, Optional<Owner>> owners = new Bounded<>();

    /** Process on a GPU. */
    private record Presence(GpuId gpu, long pid, long startTicks) {}

    /** A process on a GPU, and what the machine knows of it: nothing where it cannot be seen. */
    record Occupant(GpuProcess process, Optional<RunningProcess> facts) {}

    /** Reading of a GPU, and who was on it. */
    record Inspection(GpuReading reading, List<Occupant> there) {}

    /** Forgets what it has known longest. */
    private static final class Bounded<K, V> extends LinkedHashMap<K, V> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > MAX_KNOWN;
        }
    }

    /**
     * Occupants of the GPUs of a reader.
     *
     * @param own knows what Berth started beside containers
     */
    public GpuOccupants(
            GpuReader reader,
            RunningProcesses processes,
            ContainerOwners containment,
            List<OwnProcesses> own,
            InstantSource clock) {
        this.reader = reader;
        this.processes = processes;
        this.containment = containment;
        this.own = List.copyOf(own);
        this.clock = clock;
    }

    /**
     * Processes on a GPU that are none of ours.
     *
     * @throws dev.berth.server.gpu.GpuException where it cannot be said of this GPU
     */
    public List<ForeignProcess> foreign(GpuId gpu) {
        return named(gpu, told(() -> reader.processes(gpu), Function.identity()).there());
    }

    /** Processes that are none of ours among those that were seen there just now; one that has ended since is none. */
    public List<ForeignProcess> foreign(GpuId gpu, List<GpuProcess> seen) {
        return named(
                gpu,
                seen.stream()
                        .map(this::there)
                        .filter(it -> it.facts().isPresent())
                        .toList());
    }

    /**
     * The state of a GPU, and who is on it.
     *
     * @throws dev.berth.server.gpu.GpuException where it cannot be said of this GPU
     */
    Inspection inspect(GpuId gpu) {
        Told<GpuReading> told = told(() -> reader.read(gpu), GpuReading::processes);
        return new Inspection(told.answer(), told.there());
    }

    /** Processes of an inspection that are none of ours. */
    List<ForeignProcess> foreign(GpuId gpu, Inspection inspection) {
        return named(gpu, inspection.there());
    }

    /** Processes of an inspection that are an attempt's. */
    List<RunningProcess> of(Attempt attempt, Inspection inspection) {
        return inspection.there().stream()
                .flatMap(it -> it.facts().stream())
                .filter(process -> attemptOf(process).filter(attempt::equals).isPresent())
                .toList();
    }

    /** Process of this number, and whose job it is; {@link ProcessIdentity#UNKNOWN} where there is none. */
    public ProcessIdentity identify(long pid) {
        return processes.find(pid).map(this::identity).orElse(ProcessIdentity.UNKNOWN);
    }

    private ProcessIdentity identity(RunningProcess process) {
        String line = String.join(" ", processes.words(process.pid()));
        String command = processes.command(process);
        return new ProcessIdentity(
                processes.user(process),
                command,
                line.isEmpty() ? command : line.length() > MAX_LINE ? line.substring(0, MAX_LINE) : line,
                process.containers().isEmpty() ? null : process.containers().getLast(),
                job(process).orElse(null));
    }

    /** An engine that does not answer is asked again at a later look. */
    private Optional<JobId> job(RunningProcess process) {
        try {
            return attemptOf(process).map(Attempt::job);
        } catch (RuntimeException e) {
            LOG.debug("whose process {} is cannot be said now: {}", process.pid(), e.toString());
            return Optional.empty();
        }
    }

    /** The driver's answer, and what the machine knows of the processes that it named. */
    private record Told<T>(T answer, List<Occupant> there) {}

    private <T> Told<T> told(Supplier<T> driver, Function<T, List<GpuProcess>> processesOf) {
        Told<T> told = ask(driver, processesOf);
        for (int looks = 1; looks < MAX_LOOKS && !isSeen(told); looks++) {
            told = ask(driver, processesOf);
        }
        // Who cannot be seen now ends still, or is out of sight from here: on the GPU all the same.
        return told;
    }

    private <T> Told<T> ask(Supplier<T> driver, Function<T, List<GpuProcess>> processesOf) {
        T answer = driver.get();
        return new Told<>(
                answer, processesOf.apply(answer).stream().map(this::there).toList());
    }

    private static boolean isSeen(Told<?> told) {
        return told.there().stream().allMatch(it -> it.facts().isPresent());
    }

    private Occupant there(GpuProcess process) {
        return new Occupant(process, processes.find(process.pid()));
    }

    private List<ForeignProcess> named(GpuId gpu, List<Occupant> there) {
        return there.stream()
                .filter(it -> !it.facts()
                        .map(process -> isOurs(gpu, process))
                        .orElseGet(() -> own.stream()
                                .anyMatch(
                                        known -> known.hasJustEnded(it.process().pid()))))
                .map(it -> named(gpu, it))
                .toList();
    }

    private ForeignProcess named(GpuId gpu, Occupant it) {
        long startTicks = it.facts().map(RunningProcess::startTicks).orElse(0L);
        return new ForeignProcess(
                it.process(),
                startTicks,
                it.facts().map(processes::command).orElse(""),
                it.facts().map(processes::user).orElse(""),
                it.facts().map(this::container).orElse(null),
                since(new Presence(gpu, it.process().pid(), startTicks)));
    }

    private Instant since(Presence presence) {
        synchronized (firstSeen) {
            return firstSeen.computeIfAbsent(presence, _ -> clock.instant());
        }
    }

    /** A container can use no GPU but its own; a program of the machine itself is held by nothing. */
    private boolean isOurs(GpuId gpu, RunningProcess process) {
        return byContainer(process).isPresent()
                || (!own.isEmpty()
                        && processes
                                .ancestry(process)
                                .anyMatch(ancestor -> own.stream().anyMatch(known -> known.isOurs(gpu, ancestor))));
    }

    /** The attempt that a process belongs to: by its containers, or by its descent from what Berth started. */
    public Optional<Attempt> attemptOf(RunningProcess process) {
        return byContainer(process).or(() -> own.isEmpty() ? Optional.empty() : byDescent(process));
    }

    private Optional<Attempt> byContainer(RunningProcess process) {
        return process.containers().stream()
                .flatMap(id -> owner(id).stream())
                .flatMap(owner -> Stream.ofNullable(owner.attempt()))
                .findFirst();
    }

    private Optional<Attempt> byDescent(RunningProcess process) {
        return processes
                .ancestry(process)
                .flatMap(ancestor -> own.stream().flatMap(known -> known.attemptOf(ancestor).stream()))
                .findFirst();
    }

    private @Nullable String container(RunningProcess process) {
        if (process.containers().isEmpty()) {
            return null;
        }
        String innermost = process.containers().getLast();
        return process.containers().stream()
                .flatMap(id -> owner(id).stream())
                .map(Owner::name)
                .findFirst()
                .orElse(innermost.substring(0, SHORT_ID));
    }

    /** Learns whose a container is, before anybody asks. */
    void learn(String containerId, Owner owner) {
        synchronized (owners) {
            owners.put(containerId, Optional.of(owner));
        }
    }

    private Optional<Owner> owner(String id) {
        synchronized (owners) {
            Optional<Owner> known = owners.get(id);
            if (known != null) {
                return known;
            }
        }
        // Not under the monitor: an engine may take its time.
        Optional<Owner> found = containment.find(id);
        synchronized (owners) {
            owners.put(id, found);
        }
        return found;
    }
}
