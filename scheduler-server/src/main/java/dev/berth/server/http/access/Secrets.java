package dev.berth.server.http.access;

import dev.berth.server.code.Digests;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/** What the secrets of tokens, sessions and links are made of, and how they are kept. */
final class Secrets {
    private static final int ID_BYTES = 8;
    private static final int BYTES = 32;

    private Secrets() {}

    /** A name by which something is found: 16 hexadecimal digits. */
    static String id(SecureRandom random) {
        return HexFormat.of().formatHex(bytes(random, ID_BYTES));
    }

    /** 256 bits that nobody guesses, in base64url: 43 characters. */
    static String text(SecureRandom random) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(random, BYTES));
    }

    private static byte[] bytes(SecureRandom random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    /** What is kept of one. It has 256 bits of chance, so that a plain hash is enough: nobody tries them all. */
    static String hash(String secret) {
        return Digests.of(secret.getBytes(StandardCharsets.UTF_8));
    }

    /** Whether two hashes are the same. Takes the same time wherever they differ. */
    static boolean isSame(String hash, String other) {
        return MessageDigest.isEqual(
                hash.getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.US_ASCII));
    }
}
