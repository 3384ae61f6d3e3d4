package dev.berth.server;

import dev.berth.core.job.Gpu;
import dev.berth.core.machine.Capacity;
import dev.berth.server.config.ByteSize;
import dev.berth.server.config.RetentionSettings;
import dev.berth.server.config.ServerSettings;
import dev.berth.server.config.Settings;
import dev.berth.server.container.ContainerEngine;
import dev.berth.server.container.ContainerNews;
import dev.berth.server.container.EngineFacts;
import dev.berth.server.gpu.VisibleGpus;
import dev.berth.server.http.ApiParts;
import dev.berth.server.http.HttpServer;
import dev.berth.server.http.HttpSettings;
import dev.berth.server.http.ServerFacts;
import dev.berth.server.log.Signal;
import dev.berth.server.loop.Remains;
import dev.berth.server.retention.JobDeletion;
import dev.berth.server.retention.Retention;
import dev.berth.server.retention.RetentionPolicy;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One running server. Ending it leaves the jobs running; the next server on the same data directory takes them over. */
final class BerthServer {
    private static final Logger LOG = LoggerFactory.getLogger(BerthServer.class);
    private static final Duration LOOP_PATIENCE = Duration.ofSeconds(3);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    /** How long the last words and the removal of stopped containers may take. */
    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(30);

    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean ending = new AtomicBoolean();
    private final Parts parts;
    private final Rooms rooms;
    private final ServerFacts facts;
    private final HttpServer http;
    private final AutoCloseable watch;
    private final Thread loopThread;
    private final Sweeper sweeper;

    /**
     * What a server is made of, and that is made before it.
     *
     * @param fatal hears of what ends the server against its will
     */
    record Parts(
            Settings settings,
            DataDirectory data,
            ContainerEngine engine,
            VisibleGpus gpus,
            InstantSource clock,
            Consumer<Throwable> fatal) {}

    private BerthServer(Parts parts, Rooms rooms, ServerFacts facts, HttpServer http, AutoCloseable watch) {
        this.parts = parts;
        this.rooms = rooms;
        this.facts = facts;
        this.http = http;
        this.watch = watch;
        this.sweeper = new Sweeper(
                retention(parts.settings().retention(), rooms)::apply,
                rooms.snapshots(),
                rooms.queries(),
                parts.clock());
        this.loopThread = Thread.ofPlatform().name("loop").unstarted(this::runLoop);
    }

    /**
     * Starts a server; when this returns it answers.
     *
     * @throws StartException saying what is in the way
     */
    static BerthServer start(Parts parts) {
        ServerSettings settings = parts.settings().server();
        HttpSettings listening = Policies.listening(parts.settings());
        HttpServer http = listener(listening);
        int port = bind(http, settings);
        EngineFacts engine = parts.engine().facts();
        requireRuntime(settings, engine);
        Rooms rooms = Rooms.of(parts, capacity(parts));
        // First listen, then look: an exit between the two is told twice, not never.
        AutoCloseable watch = parts.engine()
                .watch(
                        rooms.names().server(),
                        new ContainerNews(
                                parts.engine(),
                                rooms.names().server(),
                                rooms.inbox()::post,
                                rooms.loop()::machine,
                                rooms.loop()::seen));
        rooms.loop().recover(remains(parts, rooms));
        BerthServer server = new BerthServer(parts, rooms, facts(parts, listening, port, engine), http, watch);
        server.loopThread.start();
        server.listen();
        server.sweeper.start();
        return server;
    }

    private static Remains remains(Parts parts, Rooms rooms) {
        return new Remains(
                parts.engine().list(rooms.names().server()),
                rooms.workspaces().highestId(rooms.store().lastId()),
                KernelBoot.read());
    }

    private static Retention retention(RetentionSettings settings, Rooms rooms) {
        ByteSize size = settings.size();
        return new Retention(
                new RetentionPolicy(settings.age(), settings.jobs(), size == null ? null : size.bytes()),
                rooms.queries(),
                rooms.workspaces(),
                new JobDeletion(rooms.loop(), rooms.workspaces(), rooms.logs()));
    }

    private static Capacity capacity(Parts parts) {
        List<Gpu> gpus = parts.gpus().gpus();
        ServerSettings settings = parts.settings().server();
        int workers = settings.workers();
        return new Capacity(gpus, workers > 0 ? workers : Math.max(1, gpus.size()), settings.cpuWorkers());
    }

    private static HttpServer listener(HttpSettings settings) {
        settings.refusal().ifPresent(refusal -> {
            throw StartException.usage(refusal);
        });
        try {
            return new HttpServer(settings);
        } catch (IOException e) {
            throw StartException.failed("TLS cannot be used: " + e.getMessage());
        }
    }

    private static int bind(HttpServer http, ServerSettings settings) {
        try {
            return http.bind();
        } catch (IOException e) {
            throw StartException.failed(
                    "port " + settings.port() + " of " + settings.bind().getHostAddress() + " cannot be used: "
                            + e.getMessage() + "; end what uses it, or take another with --port N");
        }
    }

    private static void requireRuntime(ServerSettings settings, EngineFacts engine) {
        boolean needed = settings.gpus() && settings.simulateGpus() == 0;
        if (needed && !engine.runtimes().contains(EngineFacts.NVIDIA_RUNTIME)) {
            throw StartException.failed(engine.version() + " has no runtime 'nvidia'; install the NVIDIA Container"
                    + " Toolkit, run: nvidia-ctk runtime configure --runtime=docker, and restart Docker");
        }
    }

    private static ServerFacts facts(Parts parts, HttpSettings listening, int port, EngineFacts engine) {
        ServerSettings settings = parts.settings().server();
        return new ServerFacts(
                Version.ofThis(),
                ProcessHandle.current().pid(),
                parts.data().ownerUid(),
                settings.socket(),
                listening.url(port),
                parts.data().path(),
                parts.clock().instant(),
                parts.settings().jobs().image(),
                engine.version(),
                settings.simulateGpus() > 0,
                Stream.concat(listening.warnings().stream(), parts.gpus().warnings().stream())
                        .toList());
    }

    private void listen() {
        ApiParts api = new ApiParts(
                facts,
                rooms.loop(),
                rooms.queries(),
                rooms.effects().images(),
                rooms.workspaces(),
                rooms.snapshots(),
                rooms.logs(),
                rooms.submits(),
                parts.clock(),
                this::stopSoon);
        try {
            http.start(api, facts.uid() == 0);
        } catch (IOException e) {
            throw StartException.failed("the socket " + facts.socket() + " cannot be used: " + e.getMessage()
                    + "; take another with --socket PATH");
        }
    }

    private void runLoop() {
        try {
            rooms.loop().run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.error("the scheduling loop ended; so does the server", e);
            parts.fatal().accept(e);
        }
    }

    ServerFacts facts() {
        return facts;
    }

    Capacity capacity() {
        return rooms.loop().machine().capacity();
    }

    void awaitEnd() throws InterruptedException {
        ended.await();
    }

    private void stopSoon(boolean afterJobs) {
        Thread.ofPlatform().name("stop").start(() -> {
            try {
                Signal changes = rooms.loop().changes();
                for (long seen = changes.count();
                        afterJobs && !rooms.loop().machine().live().isEmpty();
                        seen = changes.count()) {
                    changes.awaitBeyond(seen, LOOK_AGAIN);
                }
                stop(afterJobs ? RELEASE_PATIENCE : Duration.ZERO);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Ends the server in order: nothing new comes in, the loop ends after its step, the files are closed. */
    void stop() {
        stop(Duration.ZERO);
    }

    private void stop(Duration releasePatience) {
        if (!ending.compareAndSet(false, true)) {
            return;
        }
        try {
            sweeper.close();
            watch.close();
            http.stop();
            rooms.loop().end();
            loopThread.join(LOOP_PATIENCE);
            rooms.queries().close();
            if (!loopThread.isAlive()) {
                rooms.store().close();
                if (releasePatience.isPositive() && !rooms.effects().awaitDone(releasePatience)) {
                    LOG.warn("the next server removes what is left of the stopped jobs' containers");
                }
            }
            parts.engine().close();
            parts.data().close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn("the server did not end in order", e);
        } finally {
            ended.countDown();
        }
    }
}
