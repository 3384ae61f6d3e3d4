package dev.berth.server.http;

import dev.berth.server.http.TlsFiles.KeyStoreFile;
import dev.berth.server.http.TlsFiles.PemFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * The server's key and certificates, read from files.
 *
 * @param password of the store and of the key in it
 */
record TlsKeys(KeyStore store, String password) {
    private static final long MAX_BYTES = 1 << 20;
    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String END = "-----END PRIVATE KEY-----";
    private static final Set<PosixFilePermission> OF_OTHERS =
            Set.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);

    /**
     * Reads them.
     *
     * @throws IOException naming the file, what is wrong with it, and the way out
     */
    static TlsKeys read(TlsFiles files) throws IOException {
        requirePrivate(files.secret());
        return switch (files) {
            case KeyStoreFile(Path store, Path passwordFile) -> {
                requirePrivate(passwordFile);
                yield ofStore(store, text(passwordFile).stripTrailing());
            }
            case PemFiles(Path certificate, Path key) -> ofPem(certificate, key);
        };
    }

    /** The times when the files were last changed. */
    static List<FileTime> stamps(TlsFiles files) throws IOException {
        return switch (files) {
            case KeyStoreFile(Path store, Path passwordFile) ->
                List.of(Files.getLastModifiedTime(store), Files.getLastModifiedTime(passwordFile));
            case PemFiles(Path certificate, Path key) ->
                List.of(Files.getLastModifiedTime(certificate), Files.getLastModifiedTime(key));
        };
    }

    private static void requirePrivate(Path file) throws IOException {
        try {
            if (!Collections.disjoint(Files.getPosixFilePermissions(file), OF_OTHERS)) {
                throw new IOException(
                        file + " can be read or changed by others; run: chmod 600 " + file + " (or 640, for a group)");
            }
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + file, e);
        }
    }

    private static TlsKeys ofStore(Path file, String password) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, password.toCharArray());
            for (String alias : Collections.list(store.aliases())) {
                if (store.isKeyEntry(alias)) {
                    return new TlsKeys(store, password);
                }
            }
            throw new IOException(file + " holds no private key");
        } catch (IOException | GeneralSecurityException e) {
            throw new IOException(file + " cannot be used as a key store (PKCS#12 or JKS): " + e.getMessage(), e);
        }
    }

    private static TlsKeys ofPem(Path certificateFile, Path keyFile) throws IOException {
        List<Certificate> chain = chain(certificateFile);
        PrivateKey key = key(keyFile, chain.getFirst());
        try {
            if (!isPair(key, chain.getFirst())) {
                throw new IOException(keyFile + " is not the key of the first certificate in " + certificateFile);
            }
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("berth", key, new char[0], chain.toArray(Certificate[]::new));
            return new TlsKeys(store, "");
        } catch (GeneralSecurityException e) {
            throw new IOException(keyFile + " cannot be used with " + certificateFile + ": " + e.getMessage(), e);
        }
    }

    private static List<Certificate> chain(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (found.isEmpty()) {
                throw new IOException(file + " holds no certificate (-----BEGIN CERTIFICATE-----)");
            }
            return List.copyOf(found);
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + file, e);
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " holds no certificate that can be read: " + e.getMessage(), e);
        }
    }

    private static PrivateKey key(Path file, Certificate certificate) throws IOException {
        String pem = text(file);
        int begin = pem.indexOf(BEGIN);
        int end = pem.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException(file + " holds no PKCS#8 key without a password (" + BEGIN
                    + "); convert it: openssl pkcs8 -topk8 -nodes -in OLD -out " + file);
        }
        try {
            byte[] encoded = Base64.getMimeDecoder().decode(pem.substring(begin + BEGIN.length(), end));
            return KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
                    .generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException(
                    file + " holds no key that fits a certificate of type "
                            + certificate.getPublicKey().getAlgorithm(),
                    e);
        }
    }

    private static boolean isPair(PrivateKey key, Certificate certificate) throws GeneralSecurityException {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        };
        byte[] probe = "berth".getBytes(StandardCharsets.UTF_8);
        Signature signing = Signature.getInstance(algorithm);
        signing.initSign(key);
        signing.update(probe);
        Signature checking = Signature.getInstance(algorithm);
        checking.initVerify(certificate.getPublicKey());
        checking.update(probe);
        return checking.verify(signing.sign());
    }

    private static String text(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes((int) MAX_BYTES), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + file, e);
        }
    }

    /** Does not tell the password. */
    @Override
    public String toString() {
        return "TlsKeys";
    }
}
