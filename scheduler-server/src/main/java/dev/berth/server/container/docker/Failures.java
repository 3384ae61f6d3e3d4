package dev.berth.server.container.docker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import dev.berth.server.container.EngineException.Kind;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an error of Docker's means: it has a status for each, and often the wrong one, so that its words count more. */
final class Failures {
    private static final int SERVER_ERROR = 500;
    private static final Pattern LEFTOVER = Pattern.compile("endpoint with name \\S+ already exists in network (\\S+)");
    private static final ObjectMapper JSON = new ObjectMapper();

    /** What will change when somebody makes room, or when the engine has ended and is started again. */
    private static final List<String> PASSING =
            List.of("no space left on device", "disk quota exceeded", "shutting down", "shutdown in progress");

    /** The runtime's own word about the container: status 500, and the same at each try. */
    private static final List<String> OF_THE_CONTAINER = List.of(
            "oci runtime create failed",
            "runc create failed",
            "failed to create shim task: oci",
            "could not select device driver",
            "cdi device injection failed",
            "unresolvable cdi devices");

    /** What the engine quotes is a submitter's, who could otherwise have a GPU blamed for a command's name. */
    private static final Pattern QUOTED = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");

    /**
     * What NVIDIA's library, its runtime, and an engine's device requests say when a GPU is not to be had; not what they
     * say of an image or of its variables: "mount error", "requirement error", "unsupported capabilities".
     */
    private static final Pattern OF_THE_GPU = Pattern.compile(
            "(?:stderr: |\n)nvidia-container-cli(?:\\.real)?: (?:initialization error|device error|detection error|timed out)"
                    + "|nvidia-container-runtime[^:\n]{0,20}: unknown device"
                    + "|could not select device driver"
                    + "|cdi device injection failed"
                    + "|unresolvable cdi devices");

    /** What a registry says of an image that cannot be had, as against a registry that cannot be reached. */
    private static final List<String> OF_THE_IMAGE = List.of(
            "denied",
            "unauthorized",
            "authentication required",
            "not found",
            "manifest unknown",
            "no matching manifest",
            "does not exist",
            "invalid reference");

    private Failures() {}

    static Kind kindOf(DockerException failure) {
        String message = messageOf(failure).toLowerCase(Locale.ROOT);
        if (names(message, PASSING)) {
            return Kind.UNABLE;
        }
        if (failure instanceof NotFoundException) {
            return Kind.NOT_FOUND;
        }
        return failure.getHttpStatus() < SERVER_ERROR || names(message, OF_THE_CONTAINER) ? Kind.REFUSED : Kind.FAILING;
    }

    /** Whether a GPU, or the way to it, is at fault, and not the container. */
    static boolean isOfGpu(DockerException failure) {
        String message = messageOf(failure).toLowerCase(Locale.ROOT);
        return OF_THE_GPU.matcher(QUOTED.matcher(message).replaceAll("")).find();
    }

    /** Of an error in the course of a pull, which has no status. */
    static Kind kindOfPull(String message) {
        String words = message.toLowerCase(Locale.ROOT);
        if (names(words, PASSING)) {
            return Kind.UNABLE;
        }
        return names(words, OF_THE_IMAGE) ? Kind.REFUSED : Kind.FAILING;
    }

    /**
     * An engine that was killed in the middle of a start does not know what it left with containerd: {@code task
     * 3770...: already exists}, {@code id already in use}.
     */
    static boolean isBegun(DockerException failure) {
        String message = messageOf(failure);
        return (message.contains("task ") && message.contains("already exists"))
                || message.contains("id already in use");
    }

    /**
     * The network in which an engine that was killed in the middle of a start left something of the container, so that it
     * refuses each further start: {@code endpoint with name berth-... already exists in network bridge}.
     */
    static Optional<String> networkWithLeftover(DockerException failure) {
        Matcher leftover = LEFTOVER.matcher(messageOf(failure));
        return leftover.find() ? Optional.of(leftover.group(1)) : Optional.empty();
    }

    private static boolean names(String message, List<String> words) {
        return words.stream().anyMatch(message::contains);
    }

    /** The engine's own sentence, out of {@code Status 500: {"message":"..."}}. */
    static String messageOf(DockerException failure) {
        String text = failure.getMessage() == null ? "" : failure.getMessage();
        int brace = text.indexOf('{');
        if (brace < 0) {
            return text;
        }
        try {
            JsonNode message = JSON.readTree(text.substring(brace)).path("message");
            return message.isTextual() ? message.textValue().strip() : text;
        } catch (JsonProcessingException e) {
            return text;
        }
    }
}
