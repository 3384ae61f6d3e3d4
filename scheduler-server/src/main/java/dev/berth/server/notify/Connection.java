package dev.berth.server.notify;

import dev.berth.server.notify.Sent.Failed;
import dev.berth.server.upkeep.Tasks;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets of one attempt, which are closed under it once its time is over: a receiver that takes or gives a byte now and then
 * holds nobody longer than one that does nothing.
 */
final class Connection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    private static final int MAX_WORDS = 200;

    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private volatile boolean isLate;
    private volatile boolean isOver;

    Connection(Duration within, Tasks watch) {
        watch.runAfter(within, () -> {
            isLate = !isOver;
            closeAll();
        });
    }

    /** The socket, which belongs to the attempt from now on. */
    Socket add(Socket socket) throws IOException {
        sockets.add(socket);
        if (isLate) {
            closeAll();
            throw new IOException("the time is over");
        }
        return socket;
    }

    /** TLS over one of its sockets; the certificate must be of the host that was asked for. */
    SSLSocket encrypted(Socket socket, String host, SSLSocketFactory tls) throws IOException {
        SSLSocket encrypted = (SSLSocket) tls.createSocket(socket, host, socket.getPort(), true);
        SSLParameters parameters = encrypted.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        encrypted.setSSLParameters(parameters);
        encrypted.startHandshake();
        return encrypted;
    }

    /** Whether its time was over before it was. */
    boolean isLate() {
        return isLate;
    }

    /**
     * What an attempt has come to that broke off.
     *
     * @param late the sentence for one whose time was over
     */
    Failed failed(IOException why, String late) {
        if (isLate || why instanceof SocketTimeoutException) {
            return Failed.of(late);
        }
        String said = OneLine.of(String.valueOf(why.getMessage()), MAX_WORDS);
        return Failed.of(why instanceof SSLException ? "TLS failed: " + said : said);
    }

    @Override
    public void close() {
        isOver = true;
        closeAll();
    }

    private void closeAll() {
        for (Socket socket = sockets.poll(); socket != null; socket = sockets.poll()) {
            try {
                socket.close();
            } catch (IOException e) {
                LOG.debug("a connection of a notice did not close in order", e);
            }
        }
    }
}
