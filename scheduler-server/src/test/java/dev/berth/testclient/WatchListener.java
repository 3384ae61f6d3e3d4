package dev.berth.testclient;

import io.fabric8.mockwebserver.http.Response;
import io.fabric8.mockwebserver.http.WebSocket;
import io.fabric8.mockwebserver.http.WebSocketListener;
import java.util.Set;

/**
 * One that the mock server tells of changes. It hears of its end in a thread of its own: it waits then for what is being sent, which
 * the thread that tells it of that would have to do ({@code WatchEventsListener.onClosed} of kubernetes-server-mock 7.8.0).
 */
final class WatchListener extends WebSocketListener {
    private final WebSocketListener listener;
    private final Set<WebSocket> open;

    /**
     * Passes all on.
     *
     * @param open those that are watching, to which this one is added while it is
     */
    WatchListener(WebSocketListener listener, Set<WebSocket> open) {
        this.listener = listener;
        this.open = open;
    }

    @Override
    public void onOpen(WebSocket socket, Response response) {
        open.add(socket);
        listener.onOpen(socket, response);
    }

    @Override
    public void onClosing(WebSocket socket, int code, String reason) {
        listener.onClosing(socket, code, reason);
    }

    @Override
    public void onClosed(WebSocket socket, int code, String reason) {
        open.remove(socket);
        var _ = Thread.ofVirtual().start(() -> listener.onClosed(socket, code, reason));
    }

    @Override
    public void onFailure(WebSocket socket, Throwable failure, Response response) {
        open.remove(socket);
        var _ = Thread.ofVirtual().start(() -> listener.onFailure(socket, failure, response));
    }
}
