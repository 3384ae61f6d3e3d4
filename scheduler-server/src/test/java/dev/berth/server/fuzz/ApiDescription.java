package dev.berth.server.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** {@code docs/api/openapi.yaml}, as far as requests are made from it. */
public final class ApiDescription {
    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");

    private final JsonNode root;

    private ApiDescription(JsonNode root) {
        this.root = root;
    }

    public static ApiDescription read() {
        try {
            return new ApiDescription(new YAMLMapper()
                    .readTree(Path.of("..", "docs", "api", "openapi.yaml").toFile()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A method at a path.
     *
     * @param parameters what may stand in its path, its query and its header
     * @param contentType of its body, empty for none
     * @param body what the body is described as
     * @param statuses those of its answers
     */
    public record Operation(
            String method,
            String path,
            String id,
            List<Parameter> parameters,
            String contentType,
            JsonNode body,
            Set<Integer> statuses) {
        /** As tables of routes name it. */
        public String name() {
            return method + " " + path;
        }

        /** Whether a request with this method and path asks for it. */
        public boolean isAsked(String asked, String at) {
            return asked.equals(method) && at.matches(path.replaceAll("\\{[^}]*}", "[^/]+"));
        }

        public boolean changes() {
            return !method.equals("GET");
        }
    }

    /** Something with a name that a request may hold. */
    public record Parameter(String name, String in, JsonNode schema) {}

    public List<Operation> operations() {
        List<Operation> all = new ArrayList<>();
        for (Map.Entry<String, JsonNode> path : root.path("paths").properties()) {
            for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
                if (METHODS.contains(method.getKey())) {
                    all.add(operation(path.getKey(), method.getKey(), path.getValue(), method.getValue()));
                }
            }
        }
        return all;
    }

    private Operation operation(String path, String method, JsonNode shared, JsonNode own) {
        List<Parameter> parameters = new ArrayList<>();
        for (JsonNode from : List.of(shared, own)) {
            for (JsonNode each : from.path("parameters")) {
                JsonNode parameter = resolved(each);
                parameters.add(new Parameter(
                        parameter.path("name").asText(), parameter.path("in").asText(), parameter.path("schema")));
            }
        }
        Set<Integer> statuses = new TreeSet<>();
        own.path("responses").fieldNames().forEachRemaining(status -> statuses.add(Integer.valueOf(status)));
        JsonNode content = own.path("requestBody").path("content");
        String type = content.isObject() ? content.fieldNames().next() : "";
        return new Operation(
                method.toUpperCase(Locale.ROOT),
                path,
                own.path("operationId").asText(),
                parameters,
                type,
                content.path(type).path("schema"),
                statuses);
    }

    /** What a schema says, references followed. */
    JsonNode resolved(JsonNode node) {
        JsonNode at = node;
        while (at.has("$ref")) {
            at = root.at(at.path("$ref").asText().substring(1));
        }
        return at;
    }
}
