package dev.berth.server.http;

import java.nio.file.Path;

/** The places of the server's certificate and key. The files are read again when they change. */
public sealed interface TlsFiles {
    /** The file that holds the private key, which nobody else may read. */
    Path secret();

    /**
     * A PKCS#12 or JKS key store.
     *
     * @param passwordFile holds the store's password, its last line end does not count
     */
    record KeyStoreFile(Path store, Path passwordFile) implements TlsFiles {
        @Override
        public Path secret() {
            return store;
        }
    }

    /**
     * PEM files.
     *
     * @param certificate the server's certificate and behind it those that lead to its authority
     * @param key the private key in PKCS#8, without a password
     */
    record PemFiles(Path certificate, Path key) implements TlsFiles {
        @Override
        public Path secret() {
            return key;
        }
    }
}
