package dev.berth.cli.client.http;

import dev.berth.cli.client.RemoteServer;
import java.io.IOException;
import java.nio.file.Path;

/** Nobody accepts a connection at the socket, or at the URL. */
public final class ServerUnreachable extends IOException {
    private static final long serialVersionUID = 1L;

    public ServerUnreachable(Path socket, IOException cause) {
        super(sentence(socket, String.valueOf(cause.getMessage())), cause);
    }

    public ServerUnreachable(RemoteServer server, Exception cause) {
        super(
                "no Berth server answers at " + server.url() + " (" + why(cause)
                        + "); is it the right address, and does"
                        + " the server listen there? Its own start says where: url",
                cause);
    }

    private static String why(Exception cause) {
        return cause instanceof java.nio.channels.UnresolvedAddressException
                        || cause instanceof java.net.UnknownHostException
                ? "no machine of that name is known"
                : String.valueOf(cause.getMessage());
    }

    private static String sentence(Path socket, String why) {
        return why.contains("Permission denied")
                ? "the socket " + socket + " may not be used by you (permission denied)"
                : "no Berth server answers at " + socket + "; start one with: berth server start -g";
    }
}
