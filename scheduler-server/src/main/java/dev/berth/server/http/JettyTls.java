package dev.berth.server.http;

import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Tasks;
import dev.berth.server.upkeep.UpkeepException;
import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS with keys from files. When a connection comes and the files have changed, they are read again: a renewed
 * certificate needs no restart, and a broken one leaves the last good one in use.
 */
final class JettyTls {
    private static final Logger LOG = LoggerFactory.getLogger(JettyTls.class);

    private final SslContextFactory.Server context = new SslContextFactory.Server();
    private final TlsFiles files;
    private final Tasks tasks;
    private final AtomicBoolean isRefreshing = new AtomicBoolean();
    private List<FileTime> used;

    JettyTls(TlsFiles files, BackgroundWork background) throws IOException {
        this.files = files;
        this.tasks = background.tasks("reading of the certificate");
        this.used = TlsKeys.stamps(files);
        use(context, TlsKeys.read(files));
        context.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        context.setSniRequired(false);
    }

    /** The factory of connections that speak TLS, and this protocol within. */
    SslConnectionFactory connections(String protocol) {
        SslConnectionFactory connections = new SslConnectionFactory(context, protocol);
        connections.setEnsureSecureRequestCustomizer(false);
        connections.addBean(new Connection.Listener() {
            @Override
            public void onOpened(Connection connection) {
                refreshSoon();
            }
        });
        return connections;
    }

    private static void use(SslContextFactory context, TlsKeys keys) {
        context.setKeyStore(keys.store());
        context.setKeyStorePassword(keys.password());
        context.setKeyManagerPassword(keys.password());
    }

    private void refreshSoon() {
        if (isRefreshing.compareAndSet(false, true)) {
            tasks.run(() -> {
                refresh();
                isRefreshing.set(false);
            });
        }
    }

    /** Reads the files again where they have changed. */
    private void refresh() {
        try {
            List<FileTime> now = TlsKeys.stamps(files);
            if (!now.equals(used)) {
                TlsKeys keys = TlsKeys.read(files);
                context.reload(changed -> use(changed, keys));
                used = now;
                LOG.info("the server's certificate was read again from {}", files.secret());
            }
        } catch (Exception e) {
            throw new UpkeepException(
                    "the server's certificate could not be read again; the one before stays: " + e.getMessage(), e);
        }
    }
}
