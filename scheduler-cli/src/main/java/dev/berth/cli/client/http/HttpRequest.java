package dev.berth.cli.client.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request.
 *
 * @param target the path with its query, already escaped
 * @param headers beyond those that every request has
 * @param json the body where it is a short JSON text
 * @param body the body where it is streamed; at most one of the two is given
 */
public record HttpRequest(
        String method,
        String target,
        Map<String, String> headers,
        @Nullable String json,
        @Nullable RequestBody body) {

    public static HttpRequest get(String target) {
        return new HttpRequest("GET", target, Map.of(), null, null);
    }

    public static HttpRequest post(String target, String json) {
        return new HttpRequest("POST", target, Map.of(), json, null);
    }

    public static HttpRequest post(String target, RequestBody body) {
        return new HttpRequest("POST", target, Map.of(), null, body);
    }

    public static HttpRequest delete(String target) {
        return new HttpRequest("DELETE", target, Map.of(), null, null);
    }

    public HttpRequest with(String header, String value) {
        return new HttpRequest(method, target, Map.of(header, value), json, body);
    }

    /** The head as it is sent, and the short body behind it. */
    byte[] opening(String userAgent, String host, @Nullable String token) {
        StringBuilder head = new StringBuilder(256);
        head.append(method)
                .append(' ')
                .append(target)
                .append(" HTTP/1.1\r\nHost: ")
                .append(host)
                .append("\r\n");
        if (token != null) {
            head.append("Authorization: Bearer ").append(token).append("\r\n");
        }
        head.append("User-Agent: ").append(userAgent).append("\r\nAccept: */*\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        byte[] text = json == null ? new byte[0] : json.getBytes(StandardCharsets.UTF_8);
        if (json != null) {
            head.append("Content-Type: application/json\r\nContent-Length: ")
                    .append(text.length)
                    .append("\r\n");
        } else if (body != null) {
            head.append("Content-Type: ").append(body.type()).append("\r\nTransfer-Encoding: chunked\r\n");
        }
        ByteArrayOutputStream opening = new ByteArrayOutputStream();
        opening.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
        opening.writeBytes(text);
        return opening.toByteArray();
    }
}
