package dev.berth.server.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The server's certificate: a key store with its password, or two PEM files, or nothing.
 *
 * @param key the certificate's private key
 */
public record TlsSettings(
        @Nullable Path keyStore,
        @Nullable Path keyStorePasswordFile,
        @Nullable Path certificate,
        @Nullable Path key) {
    static TlsSettings of(Values values) {
        return new TlsSettings(
                values.find(Keys.KEY_STORE),
                values.find(Keys.KEY_STORE_PASSWORD_FILE),
                values.find(Keys.CERTIFICATE),
                values.find(Keys.CERTIFICATE_KEY));
    }

    /** Whether TCP is to speak TLS. */
    public boolean isConfigured() {
        return keyStore != null || certificate != null;
    }
}
