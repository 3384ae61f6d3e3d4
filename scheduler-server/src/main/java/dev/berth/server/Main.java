package dev.berth.server;

import dev.berth.core.job.Gpu;
import dev.berth.server.container.ContainerEngine;
import dev.berth.server.container.EngineException;
import dev.berth.server.container.docker.DockerContainerEngine;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.NvidiaSmi;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.gpu.VisibleGpus;
import dev.berth.server.store.StoreException;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * The server's entry point: {@code key=value} words as in {@link Settings}. Detached, its first words end with a line
 * {@code READY}, or with {@code FAILED <exit code> <sentence>}, for whoever started it.
 */
public final class Main {
    private Main() {}

    /** Runs a server until it is stopped. */
    public static void main(String[] arguments) throws InterruptedException {
        boolean detached = List.of(arguments).contains("detached=true");
        try {
            Umask.ownerOnly();
            run(Settings.of(arguments));
        } catch (StartException e) {
            fail(detached, e.exitCode(), e.sentence());
        } catch (EngineException | GpuException | StoreException e) {
            fail(detached, StartException.FAILED, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LoggerFactory.getLogger(Main.class).error("the server failed at its start", e);
            fail(detached, StartException.FAILED, "the server failed at its start: " + e);
        }
        System.exit(0);
    }

    private static void run(Settings settings) throws InterruptedException {
        DataDirectory data = DataDirectory.hold(settings.dataDirectory());
        System.setProperty("berth.log", data.path().resolve("server.log").toString());
        VisibleGpus gpus = gpus(settings);
        ContainerEngine engine = new DockerContainerEngine();
        BerthServer server = BerthServer.start(
                new BerthServer.Parts(settings, data, engine, gpus, InstantSource.system(), Main::die));
        Runtime.getRuntime().addShutdownHook(new Thread(server::stop, "shutdown"));
        PrintStream out = System.out;
        Banner.lines(server.facts(), server.capacity()).forEach(out::println);
        if (settings.detached()) {
            out.println("READY");
            out.flush();
        }
        server.awaitEnd();
    }

    private static VisibleGpus gpus(Settings settings) {
        if (!settings.gpus()) {
            return new VisibleGpus(List.of(), List.of());
        }
        List<Gpu> all = settings.simulateGpus() > 0 ? SimulatedGpus.of(settings.simulateGpus()) : NvidiaSmi.gpus();
        VisibleGpus visible = VisibleGpus.of(all, System.getenv(VisibleGpus.VARIABLE));
        if (visible.gpus().isEmpty()) {
            throw StartException.failed("no GPU is left to give out: this machine has " + all.size() + ", and "
                    + VisibleGpus.VARIABLE + "=" + System.getenv(VisibleGpus.VARIABLE)
                    + " leaves none; unset it, or start without -g");
        }
        return visible;
    }

    private static void fail(boolean detached, int exitCode, String sentence) {
        if (detached) {
            System.out.println("FAILED " + exitCode + " " + sentence.replace('\n', ' '));
            System.out.flush();
        } else {
            System.err.println("berth: " + sentence);
        }
        System.exit(exitCode);
    }

    /** A scheduler that cannot remember, or contradicts itself, must not act; the restart recovers. */
    private static void die(Throwable reason) {
        LoggerFactory.getLogger(Main.class).error("berth ends: {}", reason.getMessage());
        System.err.println("berth: the server ends: " + reason.getMessage());
        Runtime.getRuntime().halt(StartException.FAILED);
    }
}
