package dev.berth.server.code;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The names under which everything is kept: SHA-256 in 64 hexadecimal digits, lower case. */
public final class Digests {
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

    private Digests() {}

    static boolean isDigest(@Nullable String text) {
        return text != null && DIGEST.matcher(text).matches();
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    static String inHex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The digest of these bytes. */
    public static String of(byte[] bytes) {
        MessageDigest digest = sha256();
        digest.update(bytes);
        return inHex(digest);
    }
}
