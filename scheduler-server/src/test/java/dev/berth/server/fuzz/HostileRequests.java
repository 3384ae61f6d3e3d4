package dev.berth.server.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.server.fuzz.ApiDescription.Operation;
import dev.berth.server.fuzz.ApiDescription.Parameter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

/** Requests that HTTP knows, with something wrong in most of them. A seed makes the same ones each time. */
public final class HostileRequests {
    private static final List<String> METHODS = List.of(
            "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "BREW", "get", "PRI", "M-SEARCH");
    private static final List<String> TYPES = List.of(
            "application/json",
            "application/json; charset=utf-16",
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/octet-stream",
            ";;;",
            "*/*",
            "\u00ff\u00fe");
    private static final List<String> HEADERS = List.of(
            "Accept: text/plain",
            "Accept: ;q=2",
            "Accept-Encoding: gzip",
            "Content-Encoding: gzip",
            "Cookie: a=b; ; =",
            "Origin: http://evil.example",
            "Origin: null",
            "Sec-Fetch-Site: cross-site",
            "Range: bytes=0-",
            "If-None-Match: *",
            "Expect: 100-continue",
            "Upgrade: h2c",
            "X-Forwarded-For: 127.0.0.1",
            "X-HTTP-Method-Override: DELETE",
            "Authorization: Basic Og==",
            "Authorization: Bearer",
            "Host: other.example");

    /** What these ask for would end the test or fill its disk; where somebody may, their body is none that is read. */
    private static final Set<String> DRASTIC = Set.of("stopServer", "backUpDatabase");

    /** A lease ends processes of this machine: those of no number that there is. */
    private static final Pattern PROCESS = Pattern.compile("(?i)(pid\"?\\s*[:=]\\s*\"?)[0-9]{1,8}(?![0-9])");

    private final SplittableRandom random;
    private final HostileText texts;
    private final HostileJson bodies;
    private final List<Operation> operations;
    private final Map<String, List<String>> known;

    /**
     * Of a seed.
     *
     * @param known what a field or parameter of that name may well hold
     */
    public HostileRequests(ApiDescription api, SplittableRandom random, Map<String, List<String>> known) {
        this.random = random;
        this.texts = new HostileText(random);
        this.bodies = new HostileJson(api, random, known);
        this.operations = api.operations();
        this.known = known;
    }

    public HostileRequest next(Sender sender) {
        Operation operation = texts.pick(operations);
        if (isStream(operation) && texts.chance(0.7)) {
            operation = texts.pick(operations);
        }
        String method = texts.chance(0.04) ? texts.pick(METHODS) : operation.method();
        String plain = path(operation);
        String path = texts.chance(0.04) ? wandered(plain) : plain;
        boolean ends = texts.chance(0.01);
        StringBuilder head = new StringBuilder(method).append(' ').append(path).append(query(operation));
        head.append(" HTTP/1.1\r\nHost: ").append(sender.host()).append("\r\n");
        if (!sender.token().isEmpty()) {
            head.append("Authorization: Bearer ").append(sender.token()).append("\r\n");
        }
        headers(head, operation);
        head.append(ends ? "Connection: close\r\n" : "");
        byte[] bytes = framed(head.toString(), body(operation, sender));
        return new HostileRequest(
                operation,
                bytes,
                method.equals(operation.method()) && path.equals(plain),
                method.equals("HEAD"),
                ends || isStream(operation));
    }

    /** An answer to these may go on for ever. */
    public static boolean isStream(Operation operation) {
        return operation.method().equals("GET") && operation.path().matches(".*/(events|log|lease)");
    }

    private String path(Operation operation) {
        String path = operation.path();
        for (Parameter parameter : operation.parameters()) {
            if (parameter.in().equals("path")) {
                path = path.replace("{" + parameter.name() + "}", word(operation, parameter));
            }
        }
        return path;
    }

    /** Another path, or another way to write it. */
    private String wandered(String path) {
        int slash = path.indexOf('/', 1 + random.nextInt(path.length() - 1));
        int at = slash < 0 ? path.length() : slash;
        return path.substring(0, at)
                + texts.pick(List.of("/", "//", "/.", "/..", ";a=b", "%2f", "%2e%2e/", "/%00", "\\", "~", "%ff"))
                + path.substring(at);
    }

    private String query(Operation operation) {
        StringBuilder query = new StringBuilder();
        for (Parameter parameter : operation.parameters()) {
            for (int i = texts.chance(0.02) ? 2 : texts.chance(0.4) ? 1 : 0; i > 0; i--) {
                if (parameter.in().equals("query")) {
                    query.append(query.isEmpty() ? '?' : '&').append(parameter.name());
                    query.append('=').append(word(operation, parameter));
                }
            }
        }
        if (texts.chance(0.03)) {
            query.append(query.isEmpty() ? '?' : '&').append(texts.encoded(texts.text()));
        }
        return PROCESS.matcher(query).replaceAll("$199999999");
    }

    private String word(Operation operation, Parameter parameter) {
        if (texts.chance(0.2)) {
            String text = texts.encoded(texts.text());
            return parameter.in().equals("path") && text.isEmpty() ? "-" : text;
        }
        List<String> good = known.get(parameter.name().equals("id") ? name(operation) : parameter.name());
        if (good != null) {
            return texts.pick(good);
        }
        if (parameter.schema().path("enum").isArray()) {
            JsonNode words = parameter.schema().path("enum");
            return words.get(random.nextInt(words.size())).asText();
        }
        return switch (parameter.schema().path("type").asText()) {
            case "integer" -> texts.chance(0.5) ? "" + random.nextInt(200) : texts.pick(HostileText.NUMBERS);
            case "boolean" -> Boolean.toString(random.nextBoolean());
            default -> "word" + random.nextInt(9);
        };
    }

    /** Jobs and tokens have ids of different kinds. */
    private static String name(Operation operation) {
        return operation.path().contains("/tokens/") ? "token" : "job";
    }

    private void headers(StringBuilder head, Operation operation) {
        if (texts.chance(0.9)) {
            String type = operation.contentType();
            head.append("Content-Type: ")
                    .append(texts.chance(0.1) || type.isEmpty() ? texts.pick(TYPES) : type)
                    .append("\r\n");
        }
        for (Parameter parameter : operation.parameters()) {
            if (parameter.in().equals("header") && texts.chance(0.4)) {
                String value = texts.chance(0.7) ? "" + random.nextInt(50) : line(texts.text());
                head.append(parameter.name()).append(": ").append(value).append("\r\n");
            }
        }
        if (texts.chance(0.05)) {
            head.append(texts.pick(HEADERS)).append("\r\n");
        }
        if (texts.chance(0.01)) {
            head.append("X-Word: ").append(line(texts.text())).append("\r\n");
        }
    }

    /** What the line of a header may hold; what it may not is for broken bytes. */
    private static String line(String text) {
        return text.replaceAll("[\\x00-\\x1f\\x7f]", "");
    }

    private byte[] body(Operation operation, Sender sender) {
        if (operation.contentType().isEmpty()) {
            return texts.chance(0.03) ? texts.text().getBytes(StandardCharsets.UTF_8) : new byte[0];
        }
        String text = operation.contentType().equals("application/json")
                ? bodies.of(operation.body())
                : texts.pick(known.getOrDefault("sha256", List.of(""))) + " " + texts.pick(HostileText.NUMBERS) + "\n"
                        + texts.text();
        String safe = PROCESS.matcher(text).replaceAll("$199999999");
        boolean drastic = DRASTIC.contains(operation.id()) && !sender.isPowerless();
        byte[] bytes = (drastic ? "[" + safe : safe).getBytes(StandardCharsets.UTF_8);
        int kept = drastic ? 1 : 0;
        if (bytes.length > kept && texts.chance(0.03)) {
            bytes[random.nextInt(kept, bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }

    private byte[] framed(String head, byte[] body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        boolean chunked = body.length > 0 && texts.chance(0.1);
        String frame = chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "Content-Length: " + body.length + "\r\n\r\n";
        bytes.writeBytes((head + frame).getBytes(StandardCharsets.ISO_8859_1));
        if (chunked) {
            int first = random.nextInt(body.length) + 1;
            chunk(bytes, body, 0, first);
            if (first < body.length) {
                chunk(bytes, body, first, body.length);
            }
            bytes.writeBytes("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        } else {
            bytes.writeBytes(body);
        }
        return bytes.toByteArray();
    }

    private static void chunk(ByteArrayOutputStream bytes, byte[] body, int from, int to) {
        bytes.writeBytes((Integer.toHexString(to - from) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        bytes.write(body, from, to - from);
        bytes.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
    }
}
