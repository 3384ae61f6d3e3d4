package dev.berth.testclient;

import io.fabric8.mockwebserver.http.Response;
import io.fabric8.mockwebserver.http.WebSocket;
import io.fabric8.mockwebserver.http.WebSocketListener;

/**
 * One that the mock server tells of changes. It hears of its end in a thread of its own: it waits then for what is being sent, which
 * the thread that tells it of that would have to do ({@code WatchEventsListener.onClosed} of kubernetes-server-mock 7.8.0).
 */
final class WatchListener extends WebSocketListener {
    private final WebSocketListener listener;

    WatchListener(WebSocketListener listener) {
        this.listener = listener;
    }

    @Override
    public void onOpen(WebSocket socket, Response response) {
        listener.onOpen(socket, response);
    }

    @Override
    public void onClosing(WebSocket socket, int code, String reason) {
        listener.onClosing(socket, code, reason);
    }

    @Override
    public void onClosed(WebSocket socket, int code, String reason) {
        var _ = Thread.ofVirtual().start(() -> listener.onClosed(socket, code, reason));
    }

    @Override
    public void onFailure(WebSocket socket, Throwable failure, Response response) {
        var _ = Thread.ofVirtual().start(() -> listener.onFailure(socket, failure, response));
    }
}
