package dev.berth.cli.client.http;

import dev.berth.cli.client.RemoteServer;
import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** TLS over a connection: the server's certificate must be trusted, and be of the name that was asked for. */
public final class TlsChannel implements ByteChannel {
    private static final int HANDSHAKE_MILLIS = 10_000;

    private final SocketChannel below;
    private final SSLSocket socket;

    private TlsChannel(SocketChannel below, SSLSocket socket) {
        this.below = below;
        this.socket = socket;
    }

    public static TlsChannel over(SocketChannel below, RemoteServer server) throws IOException {
        try {
            Socket plain = below.socket();
            plain.setSoTimeout(HANDSHAKE_MILLIS);
            SSLSocket socket = (SSLSocket) context(server.authority())
                    .getSocketFactory()
                    .createSocket(plain, server.host(), server.port(), true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            socket.setSoTimeout(0);
            return new TlsChannel(below, socket);
        } catch (SSLHandshakeException | SSLPeerUnverifiedException untrusted) {
            below.close();
            throw untrusted(server, untrusted);
        } catch (IOException broken) {
            below.close();
            throw new IOException("TLS could not be agreed on (" + broken.getMessage() + ")", broken);
        } catch (Failure failure) {
            below.close();
            throw failure;
        }
    }

    private static Failure untrusted(RemoteServer server, IOException why) {
        return Failure.berth(
                "UNTRUSTED",
                "the server at " + server.url() + " is not trusted: " + why.getMessage() + "; where its certificate is"
                        + " its own, or of an authority of your own, name a PEM file of it by "
                        + RemoteServer.AUTHORITY_VARIABLE + ", and call the server by the name in it");
    }

    private static SSLContext context(@Nullable Path authority) throws IOException {
        try {
            if (authority == null) {
                return SSLContext.getDefault();
            }
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            int count = 0;
            try (InputStream in = Files.newInputStream(authority)) {
                for (Certificate certificate :
                        CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                    trusted.setCertificateEntry("authority" + count++, certificate);
                }
            }
            if (count == 0) {
                throw noAuthority(authority, "it holds no certificate");
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException unreadable) {
            throw noAuthority(String.valueOf(authority), String.valueOf(unreadable.getMessage()));
        }
    }

    private static Failure noAuthority(Object file, String why) {
        return Failure.usage(RemoteServer.AUTHORITY_VARIABLE + ": " + file + " cannot be used (" + why
                + "); it must hold certificates as PEM, -----BEGIN CERTIFICATE-----");
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        try {
            int count = socket.getInputStream()
                    .read(target.array(), target.arrayOffset() + target.position(), target.remaining());
            if (count > 0) {
                target.position(target.position() + count);
            }
            return count;
        } catch (IOException broken) {
            throw isOpen() ? broken : new AsynchronousCloseException();
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        try {
            int count = source.remaining();
            socket.getOutputStream().write(source.array(), source.arrayOffset() + source.position(), count);
            source.position(source.limit());
            return count;
        } catch (IOException broken) {
            throw isOpen() ? broken : new AsynchronousCloseException();
        }
    }

    @Override
    public boolean isOpen() {
        return below.isOpen();
    }

    /** From below: a farewell of TLS could wait for a peer that does not read, and HTTP says where an answer ends. */
    @Override
    public void close() throws IOException {
        below.close();
    }
}
