package dev.berth.cli.client.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The first lines of a response, RFC 9112.
 *
 * @param headers by lower-case name; of a name that stands twice the last one counts
 */
public record HttpHead(int status, Map<String, String> headers) {
    private static final int MAX_LINE = 8 * 1024;
    private static final int MAX_HEADERS = 64;
    private static final int STATUS_AT = 9;

    static HttpHead read(InputStream in) throws IOException {
        HttpHead head = readOne(in);
        while (head.status < 200) {
            head = readOne(in);
        }
        return head;
    }

    private static HttpHead readOne(InputStream in) throws IOException {
        String line = line(in);
        int status = status(line);
        Map<String, String> headers = new HashMap<>();
        for (line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            if (colon < 1 || headers.size() == MAX_HEADERS) {
                throw new ProtocolException(colon < 1 ? "not a header: " + line : "too many headers");
            }
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return new HttpHead(status, headers);
    }

    private static int status(String line) throws ProtocolException {
        if (line.startsWith("HTTP/1.1 ") && line.length() >= STATUS_AT + 3) {
            int status = 0;
            for (int at = STATUS_AT; at < STATUS_AT + 3; at++) {
                int digit = Character.digit(line.charAt(at), 10);
                status = digit < 0 ? -1_000 : status * 10 + digit;
            }
            if (status >= 100) {
                return status;
            }
        }
        throw new ProtocolException("not an HTTP/1.1 answer: " + line);
    }

    /** A line without its end. */
    static String line(InputStream in) throws IOException {
        byte[] bytes = new byte[128];
        int length = 0;
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the connection ended in the middle of an answer");
            }
            if (length == MAX_LINE) {
                throw new ProtocolException("a line of more than " + MAX_LINE + " bytes");
            }
            if (length == bytes.length) {
                bytes = java.util.Arrays.copyOf(bytes, 2 * length);
            }
            bytes[length++] = (byte) next;
        }
        int end = length > 0 && bytes[length - 1] == '\r' ? length - 1 : length;
        return new String(bytes, 0, end, StandardCharsets.ISO_8859_1);
    }

    @Nullable
    public String header(String lowerCaseName) {
        return headers.get(lowerCaseName);
    }

    /** The body's bytes, by the framing that the headers state. An answer whose end cannot be seen is refused. */
    InputStream body(InputStream in) throws IOException {
        if (status == 204 || status == 304) {
            return InputStream.nullInputStream();
        }
        if ("chunked".equalsIgnoreCase(header("transfer-encoding"))) {
            return BodyInput.inChunks(in);
        }
        String length = header("content-length");
        if (length == null || header("transfer-encoding") != null) {
            throw new ProtocolException("an answer that does not say where it ends");
        }
        return BodyInput.ofLength(in, number(length, 10));
    }

    /** A number without a sign. */
    public static long number(String digits, int radix) throws ProtocolException {
        try {
            if (!digits.isEmpty() && Character.digit(digits.charAt(0), radix) >= 0) {
                return Long.parseLong(digits, radix);
            }
        } catch (NumberFormatException tooLong) {
            throw new ProtocolException("not a length: " + digits);
        }
        throw new ProtocolException("not a length: " + digits);
    }
}
