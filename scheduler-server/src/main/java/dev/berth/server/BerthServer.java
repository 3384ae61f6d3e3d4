package dev.berth.server;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Drain;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.TargetRules;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.cpu.CpuInventory;
import dev.berth.server.cpu.CpuReader;
import dev.berth.server.gpu.FoundGpus;
import dev.berth.server.gpu.GpuHealth;
import dev.berth.server.gpu.nvidia.Driver;
import dev.berth.server.http.HttpServer;
import dev.berth.server.http.HttpSettings;
import dev.berth.server.http.route.ApiParts;
import dev.berth.server.http.view.ServerFacts;
import dev.berth.server.log.Signal;
import dev.berth.server.loop.FoundAtStart.Boot;
import dev.berth.server.loop.SchedulingLoop;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.EngineFacts;
import dev.berth.server.runner.docker.GpuHandover;
import dev.berth.server.target.TargetConfig;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running server. Ending it leaves the jobs running; the next server on the same data directory takes them over. */
final class BerthServer {
    private static final Logger LOG = LoggerFactory.getLogger(BerthServer.class);
    private static final Duration LOOP_PATIENCE = Duration.ofSeconds(2);

    /**
     * In which the server has ended, whatever hangs, but for the wait for stopped jobs: below what its users count on.
     */
    private static final Duration STOP_LIMIT = Duration.ofMillis(4_200);

    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    /** The time that the last words and the removal of stopped containers may take. */
    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(30);

    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean ending = new AtomicBoolean();
    private volatile String step = "";
    private final Parts parts;
    private final ServerAssembly assembly;
    private final ServerFacts facts;
    private final HttpServer http;
    private final Begun begun;
    private final AutoCloseable gpuWatch;
    private final Thread loopThread;

    /**
     * The parts of a server that are made before it.
     *
     * @param targets as the configuration has them
     * @param isNewQueueWanted whether the operator wants an empty queue, whatever runs
     * @param clock the machine's date
     * @param nanos the time that passes, as all processes of this start of the machine count it
     * @param background does all that is done beside the loop and the requests
     * @param beforehand hears what the start will do with jobs that wait, before it does anything
     * @param fatal hears of what ends the server against its will
     */
    record Parts(
            Settings settings,
            List<TargetConfig> targets,
            DataDirectory data,
            boolean isNewQueueWanted,
            ContainerEngine engine,
            FoundGpus gpus,
            InstantSource clock,
            LongSupplier nanos,
            BackgroundWork background,
            Consumer<String> beforehand,
            Consumer<Throwable> fatal) {
        private void warn(String sentence) {
            LOG.warn("{}", sentence);
            beforehand.accept(sentence);
        }
    }

    /** The watch of the engine's containers, and the loop that took up what the server before left. */
    private record Begun(AutoCloseable watch, SchedulingLoop loop) {}

    private BerthServer(Parts parts, ServerAssembly assembly, ServerFacts facts, HttpServer http, Begun begun) {
        this.parts = parts;
        this.assembly = assembly;
        this.facts = facts;
        this.http = http;
        this.begun = begun;
        this.gpuWatch = parts.gpus().reader().watch(new GpuHealth(this::drain), parts.background());
        this.loopThread = Thread.ofPlatform().name("loop").unstarted(this::runLoop);
    }

    /**
     * Starts a server; when this returns it answers.
     *
     * @throws StartException saying what is in the way
     */
    static BerthServer start(Parts parts) {
        HttpSettings listening = HttpSettings.of(parts.settings());
        HttpServer http = listener(listening, parts.background());
        int port = bind(http, parts.settings());
        EngineFacts engine = parts.engine().facts();
        CpuInventory cpus = new CpuReader().read(engine.cpus(), engine.memoryBytes());
        Capacity capacity =
                MachineCapacity.of(parts.settings(), parts.gpus(), cpus).with(rules(parts.targets()));
        GpuHandover handover = GpuHandoverChoice.of(
                parts.settings(),
                engine,
                capacity.gpus(),
                () -> Driver.of(parts.gpus().inventory()));
        FirstStart.requireNoContainers(parts.data(), parts.isNewQueueWanted(), parts.engine())
                .ifPresent(parts::warn);
        requireNotInterrupted();
        Boot boot = KernelBoot.read();
        ServerAssembly assembly = MachineAssembly.of(parts, capacity, handover, boot);
        try {
            MachineCapacity.unfit(assembly.store(), capacity).ifPresent(parts::warn);
            ServerFacts facts = facts(parts, new Bound(listening, port), engine, handover, cpus, assembly);
            return start(parts, assembly, facts, http, boot);
        } catch (RuntimeException e) {
            assembly.close();
            throw e;
        }
    }

    private static BerthServer start(
            Parts parts, ServerAssembly assembly, ServerFacts facts, HttpServer http, @Nullable Boot boot) {
        AutoCloseable watch = assembly.watch();
        requireNotInterrupted();
        SchedulingLoop loop = assembly.recover(boot, assembly.effects()::accept);
        BerthServer server = new BerthServer(parts, assembly, facts, http, new Begun(watch, loop));
        requireNotInterrupted();
        server.loopThread.start();
        try {
            server.listen();
        } catch (RuntimeException e) {
            server.stop();
            throw e;
        }
        parts.background()
                .every("look at the database's files", LOOK_AGAIN, LOOK_AGAIN, assembly.queries()::requireInPlace);
        assembly.targets().watch(parts.background(), parts.settings().get(Keys.TARGET_LOOK_EVERY));
        assembly.sweeper(parts.settings()).start(parts.background());
        assembly.news().lookAgainLater(parts.background().tasks("look for late containers"));
        assembly.usage().start(parts.background());
        assembly.tracking().start(parts.background());
        assembly.notices().start();
        return server;
    }

    /** How jobs go to each target, by its name. */
    private static SortedMap<String, TargetRules> rules(List<TargetConfig> targets) {
        SortedMap<String, TargetRules> rules = new TreeMap<>();
        targets.forEach(target -> rules.put(
                target.settings().name(),
                new TargetRules(target.settings().atOnce(), target.engine().keepsDependencies())));
        return rules;
    }

    /** Requires that the start was not interrupted, which is how the process is ended while it starts. */
    private static void requireNotInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw StartException.failed("the start was interrupted");
        }
    }

    private static HttpServer listener(HttpSettings settings, BackgroundWork background) {
        settings.refusal().ifPresent(refusal -> {
            throw StartException.usage(refusal);
        });
        try {
            return new HttpServer(settings, background);
        } catch (IOException e) {
            throw StartException.failed("TLS cannot be used: " + e.getMessage());
        }
    }

    private static int bind(HttpServer http, Settings settings) {
        try {
            return http.bind();
        } catch (IOException e) {
            throw StartException.failed("port " + settings.get(Keys.PORT) + " of "
                    + settings.get(Keys.BIND).getHostAddress() + " cannot be used: " + e.getMessage()
                    + "; end what uses it, or take another with --port N");
        }
    }

    /** The HTTP settings that the server listens by, and the port. */
    private record Bound(HttpSettings listening, int port) {}

    private static ServerFacts facts(
            Parts parts,
            Bound bound,
            EngineFacts engine,
            GpuHandover handover,
            CpuInventory cpus,
            ServerAssembly assembly) {
        Settings settings = parts.settings();
        return new ServerFacts(
                Version.ofThis(),
                ProcessHandle.current().pid(),
                parts.data().ownerUid(),
                settings.get(Keys.SOCKET),
                bound.listening().url(bound.port()),
                parts.data().path(),
                parts.clock().instant(),
                settings.get(Keys.JOB_IMAGE),
                engine.version(),
                settings.simulatesGpus(),
                parts.gpus().inventory().driver(),
                parts.gpus().inventory().cuda(),
                GpuHandoverChoice.inWords(handover, settings.get(Keys.GPU_MODE)),
                Stream.of(
                                bound.listening().warnings(),
                                parts.gpus().warnings(),
                                GpuHandoverChoice.warnings(handover),
                                Rights.warnings(parts.data()),
                                warnings(parts, cpus),
                                assembly.hosts().warnings())
                        .flatMap(List::stream)
                        .toList());
    }

    /** Others than those that it allocates are not the server's. */
    private void drain(GpuId gpu, String reason) {
        if (parts.gpus().gpus().stream().anyMatch(it -> it.id().equals(gpu))) {
            assembly.scheduling().tell(now -> new Input.DrainGpu(now, gpu, Drain.BERTH, reason));
        }
    }

    /** The warnings about cores; none where no cores are to be allocated. */
    private static List<String> warnings(Parts parts, CpuInventory cpus) {
        return parts.settings().get(Keys.BOOKING_CORES) ? cpus.warnings() : List.of();
    }

    private void listen() {
        ApiParts api = assembly.api(facts, this::stopSoon);
        try {
            TrustedPath.require(facts.socket(), "the socket", "--socket");
            http.start(api, facts.uid() == 0);
            assembly.hosts().open();
        } catch (IOException e) {
            throw StartException.failed("the socket " + facts.socket() + " cannot be used: " + e.getMessage()
                    + "; take another with --socket PATH");
        }
    }

    private void runLoop() {
        try {
            begun.loop().run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.error("the scheduling loop ended; so does the server", e);
            // Clients that wait are told why, before the connections go with the process.
            begun.loop().abandon(e);
            http.stop();
            parts.fatal().accept(e);
        }
    }

    ServerFacts facts() {
        return facts;
    }

    Capacity capacity() {
        return assembly.scheduling().machine().capacity();
    }

    /** Returns when the server has ended, or the waiting thread is interrupted. */
    void awaitEnd() {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether anything runs, or is still to be told of what ran. Where its target does not answer, the next server goes on with it. */
    private boolean isBusy() {
        Machine now = assembly.scheduling().machine();
        return !now.deferred().packs().isEmpty()
                || now.live().values().stream().anyMatch(job -> !assembly.isAtAbsentTarget(job));
    }

    private void stopSoon(boolean afterJobs) {
        Thread.ofPlatform()
                .name("stop")
                .start(() -> parts.background().untilDone("the server's own end", () -> {
                    Signal changes = assembly.scheduling().changes();
                    for (long seen = changes.count(); afterJobs && isBusy(); seen = changes.count()) {
                        changes.awaitBeyond(seen, LOOK_AGAIN);
                    }
                    stop(afterJobs ? RELEASE_PATIENCE : Duration.ZERO);
                }));
    }

    /** Ends the server in order: nothing new comes in, the loop ends after its step, the files are closed. */
    void stop() {
        try {
            stop(Duration.ZERO);
            // Another thread may be at it: the process must not end before that is done.
            boolean _ = ended.await(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void stop(Duration releasePatience) {
        if (!ending.compareAndSet(false, true)) {
            return;
        }
        Thread.ofPlatform().daemon().name("stop-limit").start(() -> limit(STOP_LIMIT.plus(releasePatience)));
        try {
            step = "the end of the background work";
            parts.background().close();
            step = "the end of the clients' connections";
            http.stop();
            step = "the last look at the GPUs";
            assembly.usage().close();
            assembly.notices().close();
            step = "the step of the scheduling loop";
            assembly.scheduling().end();
            if (!loopThread.join(LOOP_PATIENCE)) {
                parts.fatal().accept(overdue(LOOP_PATIENCE));
                return;
            }
            step = "the removal of what is left of the stopped jobs";
            if (releasePatience.isPositive() && !assembly.effects().awaitDone(releasePatience)) {
                LOG.warn("the next server removes what is left of the stopped jobs");
            }
            step = "the closing of the database";
            assembly.close();
            step = "the end of the engine's connections";
            begun.watch().close();
            parts.engine().close();
            step = "the end of NVIDIA's library";
            gpuWatch.close();
            parts.gpus().reader().close();
            parts.data().close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn("the server did not end in order; what was acknowledged is on disk, and jobs that run go on", e);
        } finally {
            ended.countDown();
        }
    }

    private IllegalStateException overdue(Duration longest) {
        return new IllegalStateException("it did not end in order: " + step + " took longer than " + longest.toMillis()
                + " ms; what was acknowledged is on disk, jobs that run go on, and the next start takes them over");
    }

    /** A disk or an engine that does not answer must not keep a server that is to end. */
    private void limit(Duration longest) {
        try {
            if (!ended.await(longest.toMillis(), TimeUnit.MILLISECONDS)) {
                parts.fatal().accept(overdue(longest));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
