package dev.berth.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;

/** One request and its answer, as resources see them; used by one thread. */
interface Exchange {
    String method();

    /** The path, decoded, without the query. */
    String path();

    /** The first query parameter of that name. */
    Optional<String> query(String name);

    Optional<String> header(String name);

    /** Who asks; empty where nobody knows. */
    Optional<Caller> caller();

    InputStream body();

    /** Begins the answer; nothing may have been answered before. */
    OutputStream answer(int status, String contentType) throws IOException;

    void answerHeader(String name, String value);

    /**
     * Whether whoever asked has closed the connection, for answers that are silent for long. What else came over the
     * connection is lost: only for an answer with {@code Connection: close}.
     */
    boolean isGone();
}
