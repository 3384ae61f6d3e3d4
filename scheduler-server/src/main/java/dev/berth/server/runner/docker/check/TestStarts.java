package dev.berth.server.runner.docker.check;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Found.Condition;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.runner.docker.GpuAccess;
import dev.berth.server.runner.docker.GpuHandover;
import dev.berth.server.runner.docker.StartCheck;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts a {@link TestContainer} of the server's own image and removes it again, one at a time and under one name, so
 * that no more than one is ever left over.
 */
public final class TestStarts implements StartCheck {
    private static final Logger LOG = LoggerFactory.getLogger(TestStarts.class);
    private static final String LABEL = "dev.berth.test";

    /** The network of jobs that name none. */
    private static final String NETWORK = "bridge";

    /** The time for which a good answer is good for all who ask. */
    private static final Duration WELL_FOR = Duration.ofSeconds(5);

    /** The time for which a bad answer is: this often at most is a broken engine asked. */
    private static final Duration FAILING_FOR = Duration.ofSeconds(2);

    /**
     * The finding of a test start.
     *
     * @param doubts how many there had been when the engine was asked
     */
    private record Answer(Verdict verdict, Instant at, long doubts) {}

    private final ReentrantLock one = new ReentrantLock();
    private final ContainerEngine engine;
    private final GpuHandover handover;
    private final String name;
    private final String image;
    private final InstantSource clock;
    private final AtomicLong doubts = new AtomicLong();
    private volatile @Nullable Answer last;

    /**
     * Checks of one server.
     *
     * @param image the image of jobs that name none
     */
    public TestStarts(
            ContainerEngine engine, GpuHandover handover, ContainerNames names, String image, InstantSource clock) {
        this.engine = engine;
        this.handover = handover;
        this.name = "berth-" + names.server() + "-test";
        this.image = image;
        this.clock = clock;
    }

    @Override
    public Verdict engine() {
        one.lock();
        try {
            Answer known = last;
            return known != null && isFresh(known) ? known.verdict() : ask();
        } finally {
            one.unlock();
        }
    }

    private boolean isFresh(Answer answer) {
        Duration age = Duration.between(answer.at(), clock.instant());
        return switch (answer.verdict()) {
            case Verdict.Well _ -> answer.doubts() == doubts.get() && age.compareTo(WELL_FOR) < 0;
            case Verdict.Failing _, Verdict.Unknown _ -> age.compareTo(FAILING_FOR) < 0;
        };
    }

    private Verdict ask() {
        long before = doubts.get();
        Verdict verdict = start(new GpuAccess.None());
        last = new Answer(verdict, clock.instant(), before);
        return verdict;
    }

    @Override
    public void doubt() {
        doubts.incrementAndGet();
    }

    @Override
    public Optional<String> complaint() {
        Answer known = last;
        return known != null
                        && known.verdict() instanceof Verdict.Failing
                        && engine() instanceof Verdict.Failing failing
                ? Optional.of(failing.sentence())
                : Optional.empty();
    }

    @Override
    public SortedMap<GpuId, String> faults(Allocation allocation) {
        if (handover.access(allocation) instanceof GpuAccess.None) {
            return new TreeMap<>();
        }
        one.lock();
        try {
            return ask() instanceof Verdict.Well ? faultsOf(allocation.gpus()) : new TreeMap<>();
        } finally {
            one.unlock();
        }
    }

    /** The faults of the GPUs, each tried by itself where they do not do together: one of several may be at fault. */
    private SortedMap<GpuId, String> faultsOf(List<GpuId> gpus) {
        SortedMap<GpuId, String> faults = new TreeMap<>();
        if (start(access(gpus)) instanceof Verdict.Failing together) {
            for (GpuId gpu : gpus) {
                Verdict alone = gpus.size() == 1 ? together : start(access(List.of(gpu)));
                if (alone instanceof Verdict.Failing(String sentence)) {
                    faults.put(gpu, sentence);
                }
            }
        }
        return faults;
    }

    private GpuAccess access(List<GpuId> gpus) {
        return handover.access(Allocation.whole(gpus));
    }

    /**
     * Also where its image cannot be looked for, or what is left of it cannot be removed: a job that waits is not kept
     * by that.
     */
    private Verdict start(GpuAccess access) {
        try {
            Optional<String> imageId = engine.findImage(image);
            if (imageId.isEmpty()) {
                return new Verdict.Unknown();
            }
            remove();
            return started(imageId.get(), access);
        } catch (EngineException e) {
            requireAnswer(e);
            if (!(access instanceof GpuAccess.None)) {
                throw e;
            }
            LOG.warn("Berth's own test container tells nothing of the engine: {}", e.sentence());
            return new Verdict.Unknown();
        }
    }

    private Verdict started(String imageId, GpuAccess access) {
        try {
            engine.create(TestContainer.plan(name, imageId, access, NETWORK, LABEL));
            engine.start(name);
        } catch (EngineException e) {
            removeFailed(access);
            requireAnswer(e);
            return new Verdict.Failing(e.sentence());
        }
        remove();
        return new Verdict.Well();
    }

    /**
     * Removes a test container that failed. One with GPUs that is not removed may still get them, so that a job that
     * holds them must not let go.
     */
    private void removeFailed(GpuAccess access) {
        try {
            remove();
        } catch (EngineException e) {
            if (!(access instanceof GpuAccess.None)) {
                throw e;
            }
            LOG.warn("Berth's own test container, which did not start, is not removed: {}", e.sentence());
        }
    }

    private static void requireAnswer(EngineException failure) {
        if (failure.kind() == Kind.UNREACHABLE || failure.kind() == Kind.INTERRUPTED) {
            throw failure;
        }
    }

    /**
     * Nothing of it is left when this returns; to be called before jobs are given GPUs, for what an earlier server
     * left.
     */
    public void remove() {
        Optional<Condition> condition = engine.inspect(name);
        if (condition.isPresent() && !(condition.get() instanceof Condition.Exited)) {
            // Also one that has not begun as far as the engine knows, which may have been killed at its start.
            engine.stop(name, Duration.ZERO);
        }
        engine.remove(name);
    }
}
