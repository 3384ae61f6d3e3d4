package dev.berth.server.notify;

import dev.berth.server.notify.Receiver.Webhook;
import dev.berth.server.notify.Sent.Arrived;
import dev.berth.server.notify.Sent.Failed;
import dev.berth.server.upkeep.Tasks;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocketFactory;

/**
 * One POST to a web address, over a connection of its own. Not by Java's own client: that looks the name up again by itself, so
 * that another address may be connected to than the one that was looked at. No redirect is followed. Of the answer only the head
 * is read, and only its number told: some servers repeat the address, with its secret, in what they say. Blocks; safe for any
 * thread.
 *
 * @param tls of Java's own authorities; they are read when they are first needed
 * @param within which an attempt has to succeed, but for the look-up of the name, which the C library bounds
 */
record WebhookSender(Destinations destinations, Supplier<SSLSocketFactory> tls, Duration within, Tasks watch) {
    private static final int MAX_HEAD_BYTES = 16 << 10;
    private static final int MAX_INTERIM = 4;
    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);
    private static final int MAX_PAUSE_DIGITS = 5;

    /** The content is refused, and would be so each time. */
    private static final Set<Integer> REFUSES_CONTENT = Set.of(400, 413, 414, 415, 422);

    private static final int GONE = 410;

    private record Head(int status, Duration pause) {}

    Sent send(Webhook hook, Message message) {
        try (Connection connection = new Connection(within, watch)) {
            return send(hook, message, connection);
        }
    }

    private Sent send(Webhook hook, Message message, Connection connection) {
        try {
            Socket socket = connected(hook, connection);
            socket.getOutputStream().write(request(hook, message));
            InputStream in = new BufferedInputStream(socket.getInputStream());
            Head head = head(in);
            for (int interim = 0; head.status < 200 && interim < MAX_INTERIM; interim++) {
                head = head(in);
            }
            return sent(head);
        } catch (Destinations.RefusedException e) {
            return new Failed(String.valueOf(e.getMessage()), true, Duration.ZERO);
        } catch (UnknownHostException e) {
            return Failed.of("its name is not known");
        } catch (IOException e) {
            return connection.failed(e, late());
        }
    }

    private String late() {
        return "it has not answered within " + within.toSeconds() + " seconds";
    }

    private Socket connected(Webhook hook, Connection connection) throws IOException {
        List<InetAddress> addresses = destinations.of(hook.host(), hook.port(), hook.isEncrypted());
        IOException failure = new IOException("it has no address");
        // One that hangs leaves time for the next one.
        int patience =
                Math.toIntExact(within.dividedBy(Math.max(1, addresses.size())).toMillis());
        for (InetAddress address : addresses) {
            Socket socket = connection.add(new Socket());
            try {
                socket.connect(new InetSocketAddress(address, hook.port()), patience);
                return hook.isEncrypted() ? connection.encrypted(socket, hook.host(), tls.get()) : socket;
            } catch (IOException e) {
                failure = e;
            }
        }
        throw failure;
    }

    private static byte[] request(Webhook hook, Message message) {
        byte[] body = message.body().getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder("POST " + hook.target() + " HTTP/1.1\r\n");
        header(head, "Host", hook.address().getRawAuthority());
        header(head, "User-Agent", "berth");
        header(head, "Content-Type", message.contentType());
        header(head, "Content-Length", Integer.toString(body.length));
        header(head, "Connection", "close");
        message.headers().forEach((name, value) -> header(head, name, value));
        byte[] first = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[first.length + body.length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(body, 0, all, first.length, body.length);
        return all;
    }

    private static void header(StringBuilder head, String name, String value) {
        if (value.chars().anyMatch(it -> it < ' ' || it > '~')) {
            throw new IllegalArgumentException("a value for " + name + " that no header may have");
        }
        head.append(name).append(": ").append(value).append("\r\n");
    }

    private static Head head(InputStream in) throws IOException {
        int read = 0;
        String status = line(in, MAX_HEAD_BYTES);
        Duration pause = Duration.ZERO;
        for (String line = line(in, MAX_HEAD_BYTES); !line.isEmpty(); line = line(in, MAX_HEAD_BYTES - read)) {
            read += line.length() + 2;
            int colon = line.indexOf(':');
            String name = colon < 0 ? "" : line.substring(0, colon).strip();
            String value = line.substring(colon + 1).strip();
            if (name.equalsIgnoreCase("Retry-After")) {
                pause = Duration.ofSeconds(Math.max(0, number(value)));
            }
        }
        return new Head(status(status), pause);
    }

    /** Of a number that nobody expects nothing is believed. */
    private static int number(String text) {
        boolean isNumber = !text.isEmpty()
                && text.length() <= MAX_PAUSE_DIGITS
                && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber ? Integer.parseInt(text) : -1;
    }

    private static int status(String line) throws IOException {
        boolean isHttp = line.startsWith("HTTP/1.") && line.length() >= 12;
        int status = isHttp ? number(line.substring(9, 12)) : -1;
        if (status < 100) {
            throw new IOException("what it answers is not HTTP");
        }
        return status;
    }

    private static String line(InputStream in, int max) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int read = in.read(); read != '\n'; read = in.read()) {
            if (read < 0) {
                throw new IOException("it has closed the connection without an answer");
            }
            if (line.length() >= max) {
                throw new IOException("its answer is too long");
            }
            line.append((char) read);
        }
        return line.toString().stripTrailing();
    }

    private static Sent sent(Head head) {
        String answer = "it answered " + head.status;
        return switch (head.status / 100) {
            case 2 -> new Arrived(answer);
            // Tried again, as 401, 403 and 404 are: somebody may mend it within the day.
            case 3 -> Failed.of(answer + ", a redirect, and none is followed: name the address that it leads to");
            default ->
                new Failed(
                        answer,
                        REFUSES_CONTENT.contains(head.status) || head.status == GONE,
                        head.pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : head.pause);
        };
    }
}
