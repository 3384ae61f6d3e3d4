package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.occupy.Containment.Home;
import dev.berth.server.gpu.process.ProcessFacts;
import dev.berth.server.gpu.process.ProcessTable;
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

/**
 * Tells ours from others among the processes on a GPU. Ours is what runs in a container of ours, what Berth itself
 * started, and what is descended from that. Safe for any thread.
 */
public final class CardLook {
    /** A process that ends between the driver's answer and ours is asked for again so often. */
    private static final int MAX_LOOKS = 3;

    private static final int MAX_KNOWN = 1_024;
    private static final int SHORT_ID = 12;

    private final GpuReader reader;
    private final ProcessTable processes;
    private final Containment containment;
    private final List<OwnProcesses> own;
    private final InstantSource clock;
    private final Map<Presence, Instant> firstSeen = new Bounded<>();

    /** By the id of a container: it never belongs to another. */
    private final Map<String, Optional<Home>> homes = new Bounded<>();

    /** One process on one GPU. */
    private record Presence(GpuId gpu, long pid, long startTicks) {}

    /** Who is on a GPU, and what the machine knows of it: nothing where it cannot be seen. */
    record There(GpuProcess process, Optional<ProcessFacts> facts) {}

    /** One look at a GPU. */
    record Sight(GpuReading reading, List<There> there) {}

    /** Forgets what it has known longest. */
    private static final class Bounded<K, V> extends LinkedHashMap<K, V> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > MAX_KNOWN;
        }
    }

    /**
     * A look at the GPUs of a reader.
     *
     * @param own knows what Berth started beside containers
     */
    public CardLook(
            GpuReader reader,
            ProcessTable processes,
            Containment containment,
            List<OwnProcesses> own,
            InstantSource clock) {
        this.reader = reader;
        this.processes = processes;
        this.containment = containment;
        this.own = List.copyOf(own);
        this.clock = clock;
    }

    /**
     * Those on a GPU that are none of ours.
     *
     * @throws dev.berth.server.gpu.GpuException where it cannot be said of this GPU
     */
    public List<ForeignProcess> foreign(GpuId gpu) {
        return named(gpu, told(() -> reader.processes(gpu), Function.identity()).there());
    }

    /** The same among processes that were seen there just now; one that has ended since is none. */
    public List<ForeignProcess> foreign(GpuId gpu, List<GpuProcess> seen) {
        return named(
                gpu,
                seen.stream()
                        .map(this::there)
                        .filter(it -> it.facts().isPresent())
                        .toList());
    }

    /**
     * How a GPU is, and who is on it.
     *
     * @throws dev.berth.server.gpu.GpuException where it cannot be said of this GPU
     */
    Sight sight(GpuId gpu) {
        Told<GpuReading> told = told(() -> reader.read(gpu), GpuReading::processes);
        return new Sight(told.answer(), told.there());
    }

    /** Those in a look that are none of ours. */
    List<ForeignProcess> foreign(GpuId gpu, Sight sight) {
        return named(gpu, sight.there());
    }

    /** Those in a look that are an attempt's. */
    List<ProcessFacts> of(Attempt attempt, Sight sight) {
        return sight.there().stream()
                .flatMap(it -> it.facts().stream())
                .filter(process -> attemptOf(process).filter(attempt::equals).isPresent())
                .toList();
    }

    /** What the driver said, and what the machine knows of the processes that it named. */
    private record Told<T>(T answer, List<There> there) {}

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

    private There there(GpuProcess process) {
        return new There(process, processes.find(process.pid()));
    }

    private List<ForeignProcess> named(GpuId gpu, List<There> there) {
        return there.stream()
                .filter(it -> it.facts().filter(process -> isOurs(gpu, process)).isEmpty())
                .map(it -> named(gpu, it))
                .toList();
    }

    private ForeignProcess named(GpuId gpu, There it) {
        long startTicks = it.facts().map(ProcessFacts::startTicks).orElse(0L);
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
    private boolean isOurs(GpuId gpu, ProcessFacts process) {
        return byContainer(process).isPresent()
                || (!own.isEmpty()
                        && processes
                                .line(process)
                                .anyMatch(ancestor -> own.stream().anyMatch(known -> known.isOurs(gpu, ancestor))));
    }

    /** Whose a process is: by its containers, or by its descent from what Berth started. */
    public Optional<Attempt> attemptOf(ProcessFacts process) {
        return byContainer(process).or(() -> own.isEmpty() ? Optional.empty() : byDescent(process));
    }

    private Optional<Attempt> byContainer(ProcessFacts process) {
        return process.containers().stream()
                .flatMap(id -> home(id).stream())
                .flatMap(home -> Stream.ofNullable(home.attempt()))
                .findFirst();
    }

    private Optional<Attempt> byDescent(ProcessFacts process) {
        return processes
                .line(process)
                .flatMap(ancestor -> own.stream().flatMap(known -> known.attemptOf(ancestor).stream()))
                .findFirst();
    }

    private @Nullable String container(ProcessFacts process) {
        if (process.containers().isEmpty()) {
            return null;
        }
        String innermost = process.containers().getLast();
        return process.containers().stream()
                .flatMap(id -> home(id).stream())
                .map(Home::name)
                .findFirst()
                .orElse(innermost.substring(0, SHORT_ID));
    }

    /** Whose a container is, before anybody asks. */
    void learn(String containerId, Home home) {
        synchronized (homes) {
            homes.put(containerId, Optional.of(home));
        }
    }

    private Optional<Home> home(String id) {
        synchronized (homes) {
            Optional<Home> known = homes.get(id);
            if (known != null) {
                return known;
            }
        }
        // Not under the monitor: an engine may take its time.
        Optional<Home> found = containment.find(id);
        synchronized (homes) {
            homes.put(id, found);
        }
        return found;
    }
}
