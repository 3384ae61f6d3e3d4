package dev.berth.cli.client;

import java.io.IOException;
import java.nio.file.Path;

/** Nobody accepts a connection at the socket. */
public final class ServerUnreachable extends IOException {
    private static final long serialVersionUID = 1L;

    ServerUnreachable(Path socket, IOException cause) {
        super(sentence(socket, String.valueOf(cause.getMessage())), cause);
    }

    private static String sentence(Path socket, String why) {
        return why.contains("Permission denied")
                ? "the socket " + socket + " may not be used by you (permission denied)"
                : "no Berth server answers at " + socket + "; start one with: berth server start -g";
    }
}
