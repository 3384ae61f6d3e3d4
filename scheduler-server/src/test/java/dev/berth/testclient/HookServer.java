package dev.berth.testclient;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.ToIntFunction;

/** A receiver on this machine, that answers what a test wants. */
public final class HookServer implements AutoCloseable {
    private final HttpServer server;
    private final List<Received> received = new CopyOnWriteArrayList<>();

    /** One request. */
    public record Received(String path, String id, boolean repeated, String type, String body) {}

    /** Answers each request with the status that a function gives; redirects lead to this server itself. */
    public HookServer(ToIntFunction<Received> status) {
        this(0, status);
    }

    public HookServer(int port, ToIntFunction<Received> status) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 128);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", exchange -> answer(exchange, status));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    private void answer(HttpExchange exchange, ToIntFunction<Received> status) throws IOException {
        Received request = new Received(
                exchange.getRequestURI().toString(),
                exchange.getRequestHeaders().getFirst("Berth-Notice-Id"),
                Boolean.parseBoolean(exchange.getRequestHeaders().getFirst("Berth-Notice-Repeated")),
                exchange.getRequestHeaders().getFirst("Content-Type"),
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        received.add(request);
        exchange.getResponseHeaders().add("Location", url() + "redirected");
        exchange.sendResponseHeaders(status.applyAsInt(request), -1);
        exchange.close();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public List<Received> received() {
        return List.copyOf(received);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
