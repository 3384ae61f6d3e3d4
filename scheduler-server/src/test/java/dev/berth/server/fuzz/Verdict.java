package dev.berth.server.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.server.fuzz.FuzzConnection.Answer;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** What every answer must be, whatever was asked. */
final class Verdict {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_MESSAGE = 2_000;

    /** A server may say that it is full; of a version of HTTP that nobody knows it says so. */
    private static final Map<Integer, Set<String>> STATED = Map.of(
            503, Set.of("TOO_MANY_CONNECTIONS", "STOPPING"), 507, Set.of("NO_SPACE"), 505, Set.of("BAD_REQUEST"));

    /** Refused before a route has a say. */
    private static final Set<Integer> BEFORE = Set.of(400, 401, 403, 405, 413, 414, 421, 429, 431, 503);

    private Verdict() {}

    /** Fails where the answer to a request is none that may be. */
    static void check(HostileRequest request, Answer answer) {
        int status = answer.status();
        String code = "";
        if (status >= 400 && !request.isHead()) {
            JsonNode error = error(answer);
            code = error.path("code").asText();
            String message = error.path("message").asText();
            require(
                    !code.isEmpty()
                            && !message.isEmpty()
                            && error.path("details").isObject(),
                    "an error is code, message and details",
                    answer);
            require(
                    message.length() < MAX_MESSAGE && message.codePoints().noneMatch(Character::isISOControl),
                    "a message is short, and without control characters",
                    answer);
            require(!message.contains("java.") && !message.contains("dev.berth"), "a message is for people", answer);
        }
        if (status >= 500) {
            require(
                    (request.isHead() && STATED.containsKey(status))
                            || STATED.getOrDefault(status, Set.of()).contains(code),
                    "no failure but those that are stated",
                    answer);
        }
        if (request.isWhole() && status < 500 && !BEFORE.contains(status)) {
            require(
                    request.operation().statuses().contains(status),
                    "a status that docs/api/openapi.yaml has for "
                            + request.operation().name(),
                    answer);
        }
    }

    private static JsonNode error(Answer answer) {
        require(answer.header("content-type").equals("application/json"), "an error is JSON", answer);
        try {
            return JSON.readTree(answer.body());
        } catch (IOException e) {
            throw new AssertionError("not JSON: " + answer.body(), e);
        }
    }

    private static void require(boolean holds, String rule, Answer answer) {
        if (!holds) {
            throw new AssertionError("not held: " + rule + "; answered " + answer.status() + " " + answer.headers()
                    + " "
                    + answer.body().substring(0, Math.min(2_000, answer.body().length())));
        }
    }
}
