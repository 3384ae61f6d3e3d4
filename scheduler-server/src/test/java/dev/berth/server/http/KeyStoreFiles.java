package dev.berth.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Files of keys and certificates that a test makes by the JDK's keytool. */
public record KeyStoreFiles(Path directory) {
    public static final String PASSWORD = "a long password";

    /** A key store with a fresh key for localhost; its password lies beside it in {@code password}. */
    public Path store(String name, String algorithm, String size) {
        return store(name, algorithm, size, "PKCS12");
    }

    /** The same in this kind of store. */
    Path store(String name, String algorithm, String size, String type) {
        try {
            Path store = directory.resolve(name);
            Files.deleteIfExists(store);
            secret("password", PASSWORD + "\n");
            Process keytool = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-J-XX:TieredStopAtLevel=1",
                            "-genkeypair",
                            "-alias",
                            "berth",
                            "-keyalg",
                            algorithm,
                            algorithm.equals("EC") ? "-groupname" : "-keysize",
                            size,
                            "-dname",
                            "CN=" + name,
                            "-ext",
                            "san=dns:localhost,ip:127.0.0.1",
                            "-validity",
                            "2",
                            "-storetype",
                            type,
                            "-keystore",
                            store.toString(),
                            "-storepass",
                            PASSWORD,
                            "-keypass",
                            PASSWORD))
                    .redirectInput(new java.io.File("/dev/null"))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (keytool.waitFor() != 0) {
                throw new AssertionError(said);
            }
            Files.setPosixFilePermissions(store, PosixFilePermissions.fromString("rw-------"));
            return store;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static KeyStore open(Path store) {
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore open = KeyStore.getInstance("PKCS12");
            open.load(in, PASSWORD.toCharArray());
            return open;
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    static Certificate certificate(Path store) {
        try {
            return open(store).getCertificate("berth");
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** The certificate as PEM. */
    Path certificatePem(Path store, String name) throws Exception {
        return secret(name, pem("CERTIFICATE", certificate(store).getEncoded()));
    }

    /** The key as PEM. */
    Path keyPem(Path store, String name) throws Exception {
        Key key = open(store).getKey("berth", PASSWORD.toCharArray());
        return secret(name, pem("PRIVATE KEY", key.getEncoded()));
    }

    private static String pem(String label, byte[] bytes) {
        String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN " + label + "-----\n" + lines + "\n-----END " + label + "-----\n";
    }

    /** A file that is its owner's alone. */
    Path secret(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    /** Trusts these and nothing else. */
    static SSLContext trusting(Certificate... trusted) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (int i = 0; i < trusted.length; i++) {
                store.setCertificateEntry("t" + i, trusted[i]);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** Has the key of a store, and trusts its certificate and nothing else. */
    public static SSLContext of(Path store) {
        try {
            KeyStore opened = open(store);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(opened, PASSWORD.toCharArray());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("own", certificate(store));
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
