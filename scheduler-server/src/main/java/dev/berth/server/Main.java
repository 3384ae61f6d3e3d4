package dev.berth.server;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.ConfigurationException;
import dev.berth.server.config.ConfigurationText;
import dev.berth.server.config.Keys;
import dev.berth.server.config.ProcessEnvironment;
import dev.berth.server.config.Request;
import dev.berth.server.config.Settings;
import dev.berth.server.gpu.ChosenReader;
import dev.berth.server.gpu.FoundGpus;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.VisibleGpus;
import dev.berth.server.gpu.nvidia.NvidiaReaders;
import dev.berth.server.linux.Umask;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.engine.DockerContainerEngine;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.target.TargetReader;
import dev.berth.server.time.Clocks;
import dev.berth.server.time.SteadyClock;
import dev.berth.server.time.TimedWait;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Carriers;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * The server's entry point: {@code --option=value} words as in {@link Request}. Detached, it says
 * {@code WARNING <sentence>} before it does what that is about, {@code WAITING} again and again while it waits for the
 * container engine, and its first words end with a line {@code READY}, or with
 * {@code FAILED <exit code> <sentence>}, for the one who started it; what a sentence has more to say stands in the lines
 * behind it. A first word {@code config-show}, {@code config-check} or {@code config-places} tells about the configuration
 * that a server with these words would have, and starts none; {@code doctor} examines the machine for such a server;
 * {@code database-restore} or {@code database-check} works on the database of a server that does not run.
 */
public final class Main {
    private static final String CONFIG = "config-";
    private static final Duration LAST_WORDS = Duration.ofMillis(300);
    private static final String DATABASE = "database-";
    private static final String DOCTOR = "doctor";
    private static final Path DATA_DIRECTORY = Path.of("/var/lib/berth");

    private Main() {}

    /** Runs a server until it is stopped. */
    public static void main(String[] arguments) {
        Carriers.reserve();
        List<String> words = List.of(arguments);
        if (!words.isEmpty() && words.getFirst().startsWith(CONFIG)) {
            tell(words.getFirst(), Request.of(words.subList(1, words.size())));
            return;
        }
        if (!words.isEmpty() && words.getFirst().startsWith(DATABASE)) {
            work(words.getFirst(), Request.of(words.subList(1, words.size())));
            return;
        }
        if (!words.isEmpty() && words.getFirst().equals(DOCTOR)) {
            examine(words.subList(1, words.size()));
            return;
        }
        Request request = Request.of(words);
        OutOfMemoryHandler.install();
        // From the first moment on: a signal during the start is to end it in order, too.
        Ending ending = new Ending(sentence -> System.err.println("berth: " + sentence));
        Runtime.getRuntime().addShutdownHook(new Thread(ending::run, "shutdown"));
        try {
            Umask.ownerOnly();
            TargetReader targets = new TargetReader(new UnixSystem().getUid());
            run(configuration(request, targets), targets, request, ending);
        } catch (ConfigurationException e) {
            fail(request, ending, StartException.USAGE, String.valueOf(e.getMessage()));
        } catch (StartException e) {
            fail(request, ending, e.exitCode(), e.sentence());
        } catch (EngineException | GpuException | StoreException e) {
            fail(request, ending, StartException.FAILED, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            if (!ending.isAsked()) {
                LoggerFactory.getLogger(Main.class).error("the server failed at its start", e);
            }
            fail(request, ending, StartException.FAILED, "the server failed at its start: " + e);
        }
        System.exit(0);
    }

    /** Reports a failed start. What is in the way of a start is no news where the start was to end anyway. */
    private static void fail(Request request, Ending ending, int exitCode, String sentence) {
        boolean asked = ending.isAsked();
        say(
                request.detached(),
                asked ? StartException.FAILED : exitCode,
                asked
                        ? "the server was told to end while it started; nothing is lost, and the next start goes on"
                        : sentence);
        ending.notStarted();
        System.exit(exitCode);
    }

    private static Configuration configuration(Request request) {
        return configuration(request, new TargetReader(new UnixSystem().getUid()));
    }

    private static Configuration configuration(Request request, TargetReader targets) {
        Path directory = request.directory();
        return Configuration.read(
                request.options(),
                new ProcessEnvironment(
                        System.getenv(),
                        directory == null ? Path.of("").toAbsolutePath() : directory,
                        Objects.requireNonNullElse(request.dataDirectory(), DATA_DIRECTORY),
                        ProcessEnvironment.SYSTEM_FILE,
                        new UnixSystem().getUid()),
                targets);
    }

    private static void tell(String what, Request request) {
        try {
            Configuration configuration = configuration(request);
            PrintStream out = System.out;
            switch (what) {
                case "config-show" -> {
                    if (request.json()) {
                        out.println(ConfigurationText.json(configuration));
                    } else {
                        ConfigurationText.table(configuration).forEach(out::println);
                    }
                }
                case "config-check" -> out.println(ConfigurationText.good(configuration, request.json()));
                case "config-places" -> {
                    out.println(configuration.settings().get(Keys.DATA_DIRECTORY));
                    out.println(configuration.settings().get(Keys.SOCKET));
                }
                default -> fail(request.detached(), StartException.USAGE, "'" + what + "' tells nothing");
            }
            out.flush();
        } catch (ConfigurationException e) {
            if (request.json()) {
                System.err.println(ConfigurationText.json(e));
                System.exit(StartException.USAGE);
            }
            fail(request.detached(), StartException.USAGE, String.valueOf(e.getMessage()));
        }
    }

    /** On the database of a server that is not there. */
    private static void work(String what, Request request) {
        try {
            Umask.ownerOnly();
            Path place = configuration(request).settings().get(Keys.DATA_DIRECTORY);
            OfflineDatabase database = new OfflineDatabase(place, request.json());
            PrintStream out = System.out;
            List<String> lines = switch (what) {
                case "database-restore" ->
                    database.restore(request.backup(), InstantSource.system().instant());
                case "database-check" -> database.check();
                default -> throw StartException.usage("'" + what + "' does nothing");
            };
            lines.forEach(out::println);
            out.flush();
        } catch (ConfigurationException e) {
            fail(request.detached(), StartException.USAGE, String.valueOf(e.getMessage()));
        } catch (StartException e) {
            fail(request.detached(), e.exitCode(), e.sentence());
        } catch (StoreException e) {
            fail(request.detached(), StartException.FAILED, String.valueOf(e.getMessage()));
        }
    }

    /** Looks at this machine, whether a server runs or not. */
    private static void examine(List<String> words) {
        Request request = Request.of(DoctorRun.options(words));
        try {
            Configuration configuration = configuration(request);
            DoctorRun.run(
                    words,
                    configuration,
                    () -> inventory(configuration.settings()),
                    () -> new DockerContainerEngine(clocks()),
                    Main::line);
            System.exit(0);
        } catch (ConfigurationException e) {
            fail(request.detached(), StartException.USAGE, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LoggerFactory.getLogger(Main.class).error("the examination failed", e);
            fail(request.detached(), StartException.FAILED, "the examination failed: " + e);
        }
    }

    private static void line(String text) {
        System.out.println(text);
        System.out.flush();
    }

    private static GpuInventory inventory(Settings settings) {
        ChosenReader chosen = reader(settings);
        try (GpuReader reader = chosen.reader()) {
            GpuInventory found = reader.inventory();
            List<String> warnings = Stream.concat(chosen.warnings().stream(), found.warnings().stream())
                    .toList();
            return new GpuInventory(found.driver(), found.cuda(), found.devices(), found.topology(), warnings);
        }
    }

    private static void run(Configuration configuration, TargetReader targets, Request request, Ending ending) {
        ending.goOn();
        Settings settings = configuration.settings();
        DataDirectory data = DataDirectory.hold(settings.get(Keys.DATA_DIRECTORY));
        if (request.detached()) {
            // Until now the one who started this server reads them.
            data.keepErrors();
        }
        System.setProperty("berth.log", data.path().resolve("server.log").toString());
        FirstStart.require(data, request.newDatabase(), InstantSource.system().instant());
        ending.goOn();
        FoundGpus gpus = gpus(settings);
        ending.goOn();
        Clocks clocks = clocks();
        BackgroundWork background = BackgroundWork.onVirtualThreads(clocks.dates());
        ContainerEngine engine = engine(request, () -> new DockerContainerEngine(clocks, background));
        ending.goOn();
        BerthServer server = BerthServer.start(new BerthServer.Parts(
                settings,
                targets.targets(),
                data,
                request.newDatabase(),
                engine,
                gpus,
                InstantSource.system(),
                System::nanoTime,
                background,
                sentence -> warn(request.detached(), sentence),
                Main::die));
        ending.started(server);
        PrintStream out = System.out;
        Banner.lines(server.facts(), server.capacity(), configuration.files()).forEach(out::println);
        if (request.detached()) {
            out.println("READY");
            out.flush();
        }
        server.awaitEnd();
    }

    private static ContainerEngine engine(Request request, Supplier<ContainerEngine> engine) {
        return request.waitForEngine()
                ? new EngineWait(
                                TimedWait::of,
                                sentence -> warn(request.detached(), sentence),
                                () -> sayWaiting(request.detached()))
                        .first(engine)
                : EngineWait.atOnce(engine);
    }

    /** For what the engine takes; what is to go on over a restart of the server counts by the store's. */
    private static Clocks clocks() {
        InstantSource dates = InstantSource.system();
        return new Clocks(dates, SteadyClock.showing(dates.instant(), System::nanoTime));
    }

    private static FoundGpus gpus(Settings settings) {
        int simulated = settings.get(Keys.SIMULATE_GPUS);
        if (!settings.givesGpus()) {
            return FoundGpus.none();
        }
        String visible = System.getenv(VisibleGpus.VARIABLE);
        return simulated > 0 ? FoundGpus.simulated(simulated, visible) : FoundGpus.of(reader(settings), visible);
    }

    private static ChosenReader reader(Settings settings) {
        Path given = settings.find(Keys.GPU_LIBRARY);
        String library = given == null ? NvidiaReaders.LIBRARY : given.toString();
        return switch (settings.get(Keys.GPU_READER)) {
            case AUTO -> NvidiaReaders.either(library);
            case NVML -> new ChosenReader(NvidiaReaders.nvml(library), List.of());
            case NVIDIA_SMI -> new ChosenReader(NvidiaReaders.nvidiaSmi(), List.of());
        };
    }

    private static void fail(boolean detached, int exitCode, String sentence) {
        say(detached, exitCode, sentence);
        System.exit(exitCode);
    }

    private static void say(boolean detached, int exitCode, String sentence) {
        if (detached) {
            System.out.println("FAILED " + exitCode + " " + sentence);
            System.out.flush();
        } else {
            System.err.println("berth: " + sentence);
        }
    }

    /** The one who started this server ends one that says nothing for long. */
    private static void sayWaiting(boolean detached) {
        if (detached) {
            System.out.println("WAITING");
            System.out.flush();
        }
    }

    private static void warn(boolean detached, String sentence) {
        if (detached) {
            System.out.println("WARNING " + sentence);
            System.out.flush();
        } else {
            System.err.println("berth: warning: " + sentence);
        }
    }

    /** A scheduler that cannot remember, or contradicts itself, must not act; the restart recovers. */
    private static void die(Throwable reason) {
        // The disk that keeps the log may be what hangs.
        Thread words = Thread.ofPlatform().daemon().name("last-words").start(() -> {
            System.err.println("berth: the server ends: " + reason.getMessage());
            LoggerFactory.getLogger(Main.class).error("berth ends: {}", reason.getMessage());
        });
        try {
            boolean _ = words.join(LAST_WORDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Runtime.getRuntime().halt(StartException.FAILED);
        }
    }
}
