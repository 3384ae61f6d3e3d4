package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.EventFollower;
import dev.berth.cli.client.JobEnds;
import dev.berth.cli.client.JobFollower;
import dev.berth.cli.client.RemoteServer;
import dev.berth.cli.client.RetriedRequest;
import dev.berth.cli.client.ServerLocation;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.json.JsonSources;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.JsonOutput;
import dev.berth.cli.output.Output;
import dev.berth.cli.output.ProgressBar;
import dev.berth.cli.output.QuietOutput;
import dev.berth.cli.output.TextOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The parts that a verb works with: the process, the way to the server, the output.
 *
 * @param remote the server where it is spoken to over TCP, null where at its socket
 * @param sources what the server's answers are read from, for an output that prints them; null for another
 */
public record Session(
        Environment environment,
        ServerLocation location,
        @Nullable RemoteServer remote,
        Output output,
        @Nullable JsonSources sources,
        boolean verbose) {
    static Session of(Reach reach, Arguments arguments, Environment environment) {
        ServerLocation location = new ServerLocation(
                new ServerLocation.Line(
                        arguments.value(Shape.URL),
                        arguments.value(Shape.SOCKET),
                        arguments.value(Shape.DATA_DIRECTORY)),
                environment.variables(),
                environment.home(),
                environment.root(),
                ServerLocation.SYSTEM_DATA_DIRECTORY);
        if (reach == Reach.MACHINE && arguments.value(Shape.URL) != null) {
            throw Failure.usage("berth " + arguments.command() + " has to do with this machine alone; leave --url out");
        }
        String url = reach == Reach.SERVER ? location.url() : null;
        JsonSources sources = arguments.has(Shape.JSON) ? new JsonSources() : null;
        Output output = output(arguments, environment, sources);
        RemoteServer remote = url == null
                ? null
                : RemoteServer.of(
                        url,
                        environment.variables(),
                        sentence -> environment.screen().notice("berth: " + sentence));
        return new Session(environment, location, remote, output, sources, arguments.has(Shape.VERBOSE));
    }

    private static Output output(Arguments arguments, Environment environment, @Nullable JsonSources sources) {
        boolean json = arguments.has(Shape.JSON);
        boolean quiet = arguments.has(Shape.QUIET);
        if (json && quiet) {
            throw Failure.usage("--json and --quiet exclude each other; give one of them");
        }
        return json
                ? new JsonOutput(environment.screen(), sources)
                : quiet
                        ? new QuietOutput(environment.screen())
                        : new TextOutput(
                                environment.screen(),
                                environment.time(),
                                colour(arguments, environment),
                                environment.terminal().unicode());
    }

    static boolean colour(Arguments arguments, Environment environment) {
        String when = arguments.value(Shape.COLOR);
        return switch (when) {
            case null -> environment.terminal().colour();
            case "auto" -> environment.terminal().colour();
            case "always" -> true;
            case "never" -> false;
            default ->
                throw Failure.usage(Shape.COLOR + ": '" + when + "' is none of auto, always, never; for example "
                        + Shape.COLOR + " never");
        };
    }

    /** The jobs that the line names, by id, range, name or {@code last}. */
    List<Long> jobIds(Arguments arguments, BerthClient client) throws IOException {
        return new JobIds(client).of(arguments.command(), arguments.words());
    }

    /** The jobs that such words name. */
    public List<Long> jobIds(List<String> words, BerthClient client) throws IOException {
        return new JobIds(client).of("submit", words);
    }

    /** The one job that the line names. */
    long jobId(Arguments arguments, BerthClient client) throws IOException {
        return JobIds.only(arguments.command(), jobIds(arguments, client));
    }

    /** Hands jobs in, each once. */
    public RetriedRequest retried() {
        return new RetriedRequest(
                environment.pause(), environment.nanos(), sentence -> output.notice("berth: " + sentence));
    }

    /** A wait for the end of jobs. */
    JobEnds ends(BerthClient client) {
        return new JobEnds(client, environment.pause(), sentence -> output.notice("berth: " + sentence));
    }

    /** A follower of what happens to all jobs. */
    EventFollower eventFollower(BerthClient client) {
        return new EventFollower(client, environment.pause(), sentence -> output.notice("berth: " + sentence));
    }

    public BerthClient client() {
        BerthClient client = remote == null
                ? new BerthClient(location.socket(), environment.version(), environment.pause(), this::trace)
                : new BerthClient(remote, environment.version(), environment.pause(), this::trace);
        return client.with(sentence -> output.notice("berth: " + sentence), sources);
    }

    /** A follower whose streams say the same thing once. */
    public JobFollower follower(BerthClient client) {
        AtomicReference<String> last = new AtomicReference<>("");
        return new JobFollower(client, environment.pause(), sentence -> {
            if (!sentence.equals(last.getAndSet(sentence))) {
                output.notice("berth: " + sentence);
            }
        });
    }

    /** The progress of something, for who watches a terminal and wants to read more than ids. */
    public ProgressBar progress() {
        return new ProgressBar(environment.screen(), environment.nanos(), output instanceof TextOutput);
    }

    /** The place of the server, for people. */
    String place() {
        return remote == null ? location.socket().toString() : remote.url();
    }

    /** Says which server was stopped or steered where that is not the usual one; a refusal needs no such word. */
    void tellServer() {
        ServerLocation.Source source = location.source();
        if (source != ServerLocation.Source.USUAL && !(output instanceof QuietOutput)) {
            output.notice("berth: the server at " + place() + " (by " + source.word() + ")");
        }
    }

    /** Refuses a server that answers at the socket that the line names, but has other data than the line names. */
    void requireSame(BerthClient client) throws IOException {
        if (location.source() == ServerLocation.Source.SOCKET_OPTION
                && location.line().dataDirectory() != null) {
            String held = client.server().dataDirectory();
            if (!held.equals(location.dataDirectory().toString())
                    && !held.equals(real(location.dataDirectory()).toString())) {
                throw Failure.usage("--socket and --data-dir name different servers: the one at " + place()
                        + " has its data in " + held + "; leave one of them out");
            }
        }
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException notThere) {
            return path;
        }
    }

    /** For {@code --verbose}. */
    public void trace(String line) {
        if (verbose) {
            environment.screen().notice("berth: " + line);
        }
    }
}
