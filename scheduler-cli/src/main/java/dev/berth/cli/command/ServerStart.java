package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.launch.ServerJvm;
import dev.berth.cli.launch.ServerPlaces;
import dev.berth.cli.launch.ServerProcess;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code berth server start}: starts a server, in the background where nothing else is said. */
final class ServerStart implements Verb {
    private static final String FOREGROUND = "--foreground";
    private static final String NEW_DATABASE = "--new-database";
    private static final String WAIT_FOR_ENGINE = "--wait-for-engine";

    @Override
    public Shape shape() {
        Shape shape = Shape.of(
                "server start",
                "",
                "Start the server and return when it accepts jobs. It goes on in the background.",
                "");
        return ServerOptions.on(shape)
                .flag("Stay in the foreground.", FOREGROUND)
                .flag("Begin with an empty queue where the database is missing.", NEW_DATABASE)
                .flag(
                        "Wait until the container engine answers, and say so. Default: refuse to start where it does not.",
                        WAIT_FOR_ENGINE)
                .examples(
                        "berth server start -g",
                        "CUDA_VISIBLE_DEVICES=0,2 berth server start -g",
                        "berth server start --simulate-gpus 4 --set jobs.time-limit=2h");
    }

    @Override
    public Reach reach() {
        return Reach.MACHINE;
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        List<String> words = ServerOptions.words(arguments, session);
        if (arguments.has(NEW_DATABASE)) {
            words.add("new-database=true");
        }
        if (arguments.has(WAIT_FOR_ENGINE)) {
            words.add("wait-for-engine=true");
        }
        if (arguments.has(FOREGROUND)) {
            return ServerJvm.runHere(words);
        }
        ServerJvm jvm = ServerJvm.current(session.environment().variables().get(ServerJvm.OPTIONS_VARIABLE));
        ServerPlaces places = ServerOptions.places(words, jvm, session, ServerOptions.SYSTEM);
        words.add("detached=true");
        new ServerProcess(jvm, places.dataDirectory())
                .start(words, session.output()::startLine, session.output()::warning);
        if (arguments.has(Shape.JSON) || arguments.has(Shape.QUIET)) {
            session.output().started(client(session, places.socket()).server());
        }
        return ExitCode.OK;
    }

    private static BerthClient client(Session session, Path socket) {
        return new BerthClient(
                socket, session.environment().version(), session.environment().pause(), session::trace);
    }
}
