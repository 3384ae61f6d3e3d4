package dev.berth.testclient;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.eclipse.jetty.client.BufferingResponseListener;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.DuplexConnectionPool;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpTester;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.Transport;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Jetty's HTTP client over a Unix socket or TCP, with a connection for each request. What breaks off is a failure, never
 * a part of an answer.
 */
public final class TestClient {
    private static final int LIMIT_SECONDS = 30;
    private static final int MAX_ANSWER_BYTES = 64 << 20;
    private static final int MAX_HEAD_BYTES = 1 << 20;
    private static final int CONNECTIONS = 4096;
    private static final HttpClient JETTY = started();

    private TestClient() {}

    private static HttpClient started() {
        QueuedThreadPool threads = new QueuedThreadPool();
        threads.setDaemon(true);
        threads.setName("test-client");
        HttpClientTransportOverHTTP transport = new HttpClientTransportOverHTTP();
        // A connection that was kept may be one of a server that has been killed since.
        transport.setConnectionPoolFactory(destination -> {
            DuplexConnectionPool connections = new DuplexConnectionPool(destination, CONNECTIONS);
            connections.setMaxUsage(1);
            return connections;
        });
        HttpClient client = new HttpClient(transport);
        client.setExecutor(threads);
        client.setFollowRedirects(false);
        client.setMaxRequestHeadersSize(MAX_HEAD_BYTES);
        client.setIdleTimeout(0);
        // Tests say what they send: cookies that were set once, and who asks.
        client.setHttpCookieStore(new HttpCookieStore.Empty());
        client.setUserAgentField(null);
        try {
            client.start();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        // Answers as they are: not unpacked, and 401 without the field by which a browser asks for a password.
        client.getProtocolHandlers().clear();
        client.getContentDecoderFactories().clear();
        return client;
    }

    /**
     * One request, and its answer.
     *
     * @param body sent as JSON where no header says otherwise
     * @param headers each as {@code Name: value}; a Host among them takes the place of the right one
     * @throws UncheckedIOException where there is no whole answer within 30 s
     */
    public static Answer ask(SocketAddress server, String method, String target, byte[] body, String... headers) {
        Request request = request(server, method, target, headers);
        return within(answered(request.body(new BytesRequestContent("application/json", body)), Answer::of), request);
    }

    /** The body of an answer to a GET, byte for byte. */
    public static byte[] bytes(SocketAddress server, String target) {
        Request request = request(server, "GET", target);
        return within(answered(request, (_, content) -> content), request);
    }

    private static <T> CompletableFuture<T> answered(Request request, BiFunction<Response, byte[], T> reading) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        request.send(new BufferingResponseListener(MAX_ANSWER_BYTES) {
            @Override
            public void onComplete(Result result) {
                // A server that refuses a body has answered, though the body could not be sent to its end.
                if (result.getResponseFailure() == null) {
                    answer.complete(reading.apply(result.getResponse(), getContent()));
                } else {
                    answer.completeExceptionally(result.getFailure());
                }
            }
        });
        return answer;
    }

    /** Asks for what goes on until the server or this client ends it. */
    public static Following open(SocketAddress server, String target, String... headers) {
        CompletableFuture<Following> head = new CompletableFuture<>();
        Request request = request(server, "GET", target, headers);
        request.onResponseContentSource((response, source) ->
                        head.complete(new Following(request, response, Content.Source.asInputStream(source))))
                .send(result -> head.completeExceptionally(
                        result.isFailed() ? result.getFailure() : new IOException("no body of " + result)));
        return within(head, request);
    }

    /** One that is not answered in time is broken off, so that it does nothing more. */
    private static <T> T within(CompletableFuture<T> answer, Request request) {
        try {
            return within(answer);
        } catch (UncheckedIOException e) {
            var _ = request.abort(e);
            throw e;
        }
    }

    /** A request whose method or target no client would send. */
    public static Answer odd(SocketAddress server, String method, String target) {
        String head = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        return raw(server, head.getBytes(StandardCharsets.ISO_8859_1), false);
    }

    /**
     * Bytes as they are, which no client would send, and the first answer to them.
     *
     * @param ends whether nothing more is to come; else the server sees a client that has more to say
     * @throws UncheckedIOException where there is no whole answer within 30 s
     */
    public static Answer raw(SocketAddress server, byte[] bytes, boolean ends) {
        try (SocketChannel channel = SocketChannel.open(server)) {
            // On a thread of its own: one that waits for ever in the pool that everybody shares holds everybody up.
            return within(
                    CompletableFuture.supplyAsync(() -> exchange(channel, bytes, ends), Thread::startVirtualThread));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Answer exchange(SocketChannel channel, byte[] bytes, boolean ends) {
        try {
            send(channel, bytes, ends);
            InputStream in = Channels.newInputStream(channel);
            HttpTester.Response response = HttpTester.parseResponse(HttpTester.from(in));
            if (response == null || !response.isComplete()) {
                throw new IOException("not a whole answer: " + response);
            }
            return Answer.of(response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void send(SocketChannel channel, byte[] bytes, boolean ends) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(bytes);
        try {
            while (out.hasRemaining()) {
                channel.write(out);
            }
            if (ends) {
                channel.shutdownOutput();
            }
        } catch (IOException e) {
            // A server that has answered may have closed without reading all of a body that it refuses.
            if (out.position() == 0) {
                throw e;
            }
        }
    }

    private static <T> T within(CompletableFuture<T> answer) {
        try {
            return answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new UncheckedIOException(new IOException(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException(e));
        }
    }

    private static Request request(SocketAddress server, String method, String target, String... headers) {
        Request request = switch (server) {
            case UnixDomainSocketAddress unix ->
                JETTY.newRequest("localhost", 80).transport(new Transport.TCPUnix(unix.getPath()));
            case InetSocketAddress tcp -> JETTY.newRequest(tcp.getHostString(), tcp.getPort());
            default -> throw new IllegalArgumentException(server.toString());
        };
        return request.method(method).path(target).headers(fields -> {
            for (String header : headers) {
                int colon = header.indexOf(':');
                fields.add(
                        header.substring(0, colon), header.substring(colon + 1).strip());
            }
        });
    }
}
