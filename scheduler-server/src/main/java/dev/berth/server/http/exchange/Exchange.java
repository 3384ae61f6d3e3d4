package dev.berth.server.http.exchange;

import dev.berth.server.log.Signal;
import dev.berth.server.store.Token;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;

/** A request and its answer, as resources see them; used by one thread. */
public interface Exchange {
    String method();

    /** The path, decoded, without the query. */
    String path();

    /** The first query parameter of that name. */
    Optional<String> query(String name);

    Optional<String> header(String name);

    /** The caller who asks; empty where nobody knows. */
    Optional<Caller> caller();

    /** The token that they showed where it is not the kernel who knows them. */
    Optional<Token> token();

    /** Why what they showed of themselves counts for nothing; empty where they showed nothing, or are known. */
    Optional<ApiException> refusal();

    /** The address that they come from over TCP; empty at the Unix socket. */
    Optional<InetAddress> from();

    /** A short body; it must come within seconds. */
    InputStream body();

    /** A body that may take hours, as long as it moves. */
    InputStream upload();

    /**
     * Waits for more to answer.
     *
     * @param news raised when there may be some
     * @param seen how often it was raised when the last look began
     * @return false where nothing came for so long
     * @throws AnswerBrokenOff where nobody is left who could read the answer, or the server stops
     */
    boolean awaitNews(Signal news, long seen, Duration patience) throws AnswerBrokenOff, InterruptedException;

    /** The same for what is known to come soon, so that a server which stops waits for it. */
    boolean awaitRest(Signal rest, long seen, Duration patience) throws AnswerBrokenOff, InterruptedException;

    /** Says which of the server's routes it took, for who counts. */
    void took(String route);

    /** Begins the answer; nothing may have been answered before. */
    OutputStream answer(int status, String contentType) throws IOException;

    void answerHeader(String name, String value);

    /** From now on the answer goes on; after some hours it breaks off, so that who follows shows again who they are. */
    void goOn();
}
