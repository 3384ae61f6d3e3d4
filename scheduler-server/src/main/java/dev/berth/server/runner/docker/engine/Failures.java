package dev.berth.server.runner.docker.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import dev.berth.server.runner.EngineException.Kind;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The meaning of an error of Docker's, by its status. What an error says bears the words of submitters, images and
 * registries (a mount's target, a file's name, a command) at places that nobody can tell from its own, so nothing is
 * looked for in it. A few messages count all the same, as a whole: all of their words are the engine's, up to a name or
 * number that is ours. Of one the beginning does, which is the engine's, too.
 */
final class Failures {
    private static final int SERVER_ERROR = 500;

    /** The most that is kept, and told, of what an engine says. */
    private static final int MAX_SENTENCE = 2_000;

    private static final String TASK = "failed to create task for container|failed to create shim task|failed to create"
            + " shim|failed to set up container networking";
    private static final String PREFIXES = "(?:(?:" + TASK + "|OCI runtime create failed): ){0,4}";
    private static final String CAUSE = "(?:: (?:unknown|unavailable))?";

    /**
     * The words of a start that may have begun; a runtime that failed to create the container never had its start
     * asked for.
     */
    private static final Pattern BEGUN = Pattern.compile(
            "(?:(?:" + TASK + "): ){0,4}(?:OCI runtime start failed: .*|not found" + CAUSE + ")|" + PREFIXES
                    + "(?:task (?<id>[0-9a-f]{64}): already exists|id already in use|ttrpc: closed|connection"
                    + " closed|context canceled|context deadline exceeded|grpc: the client connection is"
                    + " closing|(?:connection error: desc = \")?(?:transport is closing|(?:transport: )?error reading"
                    + " from server: [^\"]{1,200})\"?)" + CAUSE,
            Pattern.DOTALL);

    /** The runtime was asked to create it, and nobody for its start yet. */
    private static final Pattern NOT_CREATED =
            Pattern.compile("(?:(?:" + TASK + "): ){0,4}OCI runtime create failed: .*", Pattern.DOTALL);

    private static final Pattern LEFTOVER = Pattern.compile(PREFIXES
            + "endpoint with name (?<name>[a-z0-9-]{1,100}) already exists in network"
            + " (?<network>[A-Za-z0-9_.-]{1,128})");

    private static final ObjectMapper JSON = new ObjectMapper();

    private Failures() {}

    /**
     * The kind of a failure, by the status alone. A server's error may be the engine's fault or the container's: who
     * asked finds that out.
     */
    static Kind kindOf(DockerException failure) {
        if (failure instanceof NotFoundException) {
            return Kind.NOT_FOUND;
        }
        return failure.getHttpStatus() < SERVER_ERROR ? Kind.REFUSED : Kind.FAILING;
    }

    /**
     * Whether an answer came whole that docker-java has no form for: an image's settings are whatever its maker wrote.
     */
    static boolean isUnreadable(Throwable failure) {
        List<Throwable> causes =
                Stream.iterate(failure, Objects::nonNull, Throwable::getCause).toList();
        boolean isCutOff = causes.stream()
                .anyMatch(cause -> cause instanceof JsonEOFException
                        || (cause instanceof IOException && !(cause instanceof JsonProcessingException)));
        return !isCutOff && causes.stream().anyMatch(JsonProcessingException.class::isInstance);
    }

    /**
     * Whether an engine that failed at a start does not know how far that came. One that was killed in its middle
     * finds what it left with containerd: {@code task 3770...: already exists}, {@code id already in use}. One whose
     * containerd or whose container's shim ended in its middle says how it lost them: {@code ttrpc: closed: unknown}
     * (containerd's {@code errdefs} and {@code ttrpc.ErrClosed}; gRPC's {@code transport is closing}, {@code error
     * reading from server}). A shim that is gone right after it has started the program is {@code not found}. Where
     * the runtime failed at its own {@code start}, or was killed, {@code OCI runtime start failed: ...} says so
     * (containerd's {@code process/init.go}); it may have done it before, and whatever of an image's words comes
     * behind that does not count. One that could not be asked, as {@code Error while dialing} says, was not.
     *
     * @param id the container's own
     */
    static boolean isBegun(DockerException failure, String id) {
        Matcher begun = BEGUN.matcher(messageOf(failure));
        return begun.matches()
                && (begun.group("id") == null || begun.group("id").equals(id));
    }

    /**
     * Whether a start that the engine answered with an error may have begun. Where its run is not seen, it may have
     * ended and begun anew in the middle, so that only what it says of a step before the start is a no.
     *
     * @param id the container's own
     * @param isRunSeen whether it is known to be the run that was asked
     */
    static boolean mayHaveBegun(DockerException failure, String id, boolean isRunSeen) {
        boolean isUnknown = !isRunSeen
                && failure.getHttpStatus() >= SERVER_ERROR
                && !NOT_CREATED.matcher(messageOf(failure)).matches();
        return isUnknown || isBegun(failure, id);
    }

    /**
     * The network in which an engine that was killed in the middle of a start left something of the container, so that
     * it refuses each further start: {@code endpoint with name berth-... already exists in network bridge}.
     *
     * @param name the container's own
     */
    static Optional<String> networkWithLeftover(DockerException failure, String name) {
        Matcher leftover = LEFTOVER.matcher(messageOf(failure));
        return leftover.matches() && leftover.group("name").equals(name)
                ? Optional.of(leftover.group("network"))
                : Optional.empty();
    }

    /** The engine's own sentence, out of {@code Status 500: {"message":"..."}}. */
    static String messageOf(DockerException failure) {
        String text = failure.getMessage() == null ? "" : failure.getMessage();
        int brace = text.indexOf('{');
        return bounded(brace < 0 ? text : messageOf(text, brace));
    }

    private static String messageOf(String text, int brace) {
        try {
            JsonNode message = JSON.readTree(text.substring(brace)).path("message");
            return message.isTextual() ? message.textValue().strip() : text;
        } catch (JsonProcessingException e) {
            return text;
        }
    }

    /** A registry says as much as it likes. */
    static String bounded(String sentence) {
        return sentence.length() <= MAX_SENTENCE ? sentence : sentence.substring(0, MAX_SENTENCE) + " ...";
    }
}
