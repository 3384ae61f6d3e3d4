package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.ServerLocation;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.launch.ServerJvm;
import dev.berth.cli.launch.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code berth server start}: starts a server, in the background where nothing else is said. */
final class ServerStart implements Verb {
    private static final String GPUS = "--gpus";
    private static final String FOREGROUND = "--foreground";
    private static final List<String> NUMBERS = List.of("--workers", "--cpu-workers", "--simulate-gpus", "--port");
    private static final List<String> TEXTS = List.of("--bind", "--image");

    @Override
    public Shape shape() {
        return Shape.of(
                        "server start",
                        "",
                        "Start the server and return when it accepts jobs. It goes on in the background.",
                        "")
                .flag(
                        "Give out the machine's GPUs (those that CUDA_VISIBLE_DEVICES leaves, where it is set).",
                        "-g",
                        GPUS)
                .flag("Stay in the foreground.", FOREGROUND)
                .value("N", "How many jobs run at once. Default: the number of GPUs; 1 without -g.", "--workers")
                .value("N", "How many more jobs without a GPU run at once. Default: 0.", "--cpu-workers")
                .value("N", "Give out N made-up GPUs, to try Berth on a machine without any.", "--simulate-gpus")
                .value("P", "The TCP port. Default: 5555; 0 takes any free one.", "--port")
                .value("ADDR", "The TCP address, one of this machine alone. Default: 127.0.0.1.", "--bind")
                .value("NAME", "The image of jobs that name none.", "--image")
                .examples(
                        "berth server start -g",
                        "CUDA_VISIBLE_DEVICES=0,2 berth server start -g",
                        "berth server start --simulate-gpus 4");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        if (arguments.value(Shape.URL) != null) {
            throw Failure.usage("berth server start starts a server on this machine; leave --url out");
        }
        Path dataDirectory = session.location().dataDirectory();
        String said = session.location().saidSocket();
        Path socket = ServerLocation.checked(
                said == null
                        ? dataDirectory.resolve("berth.sock")
                        : Path.of(said).toAbsolutePath());
        List<String> settings = settings(arguments, dataDirectory);
        if (said != null) {
            settings.add("socket=" + socket);
        }
        settings.add("detached=" + !arguments.has(FOREGROUND));
        if (arguments.has(FOREGROUND)) {
            return ServerJvm.runHere(settings);
        }
        ServerJvm jvm = ServerJvm.current(session.environment().variables().get(ServerJvm.OPTIONS_VARIABLE));
        new ServerProcess(jvm, dataDirectory).start(settings, session.output()::startLine);
        if (arguments.has(Shape.JSON) || arguments.has(Shape.QUIET)) {
            session.output().started(client(session, socket).server());
        }
        return ExitCode.OK;
    }

    /** What the user said, as the server's main class reads it; what is not said is the server's to decide. */
    private static List<String> settings(Arguments arguments, Path dataDirectory) {
        List<String> settings = new ArrayList<>();
        settings.add("data-dir=" + dataDirectory);
        if (arguments.has(GPUS)) {
            settings.add("gpus=true");
        }
        for (String option : NUMBERS) {
            Integer number = arguments.number(option, 0, Integer.MAX_VALUE);
            if (number != null) {
                settings.add(option.substring(2) + "=" + number);
            }
        }
        for (String option : TEXTS) {
            String text = arguments.value(option);
            if (text != null) {
                settings.add(option.substring(2) + "=" + text);
            }
        }
        return settings;
    }

    private static BerthClient client(Session session, Path socket) {
        return new BerthClient(
                socket, session.environment().version(), session.environment().pause(), session::trace);
    }
}
