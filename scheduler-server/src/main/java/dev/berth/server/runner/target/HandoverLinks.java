package dev.berth.server.runner.target;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Links by which the directory of one attempt is fetched from this server, by anybody who has the link, until the attempt is over. A link is
 * the same each time, so that it outlives the server: it is signed with a key that never leaves the data directory.
 *
 * @param key a random secret
 */
public record HandoverLinks(SecretKeySpec key) {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;
    private static final Pattern TOKEN = Pattern.compile("([1-9]\\d{0,18})\\.([1-9]\\d{0,8})\\.([0-9a-f]{64})");

    /** Links signed with the key of a file, which is made where it is not there. */
    public static HandoverLinks of(Path file) throws IOException {
        if (!Files.exists(file)) {
            byte[] secret = random();
            Path unfinished = file.resolveSibling(file.getFileName() + ".new");
            Files.deleteIfExists(unfinished);
            Files.createFile(
                    unfinished, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(unfinished, secret);
            Files.move(unfinished, file);
        }
        byte[] secret = Files.readAllBytes(file);
        if (secret.length != KEY_BYTES) {
            throw new IOException(file + " is no key of " + KEY_BYTES + " bytes; remove it, and another is made");
        }
        return new HandoverLinks(new SecretKeySpec(secret, ALGORITHM));
    }

    /** Links signed with a key that nobody keeps. */
    public static HandoverLinks passing() {
        return new HandoverLinks(new SecretKeySpec(random(), ALGORITHM));
    }

    private static byte[] random() {
        byte[] secret = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(secret);
        return secret;
    }

    /** The link of an attempt, below the server's address. */
    public String link(Handed handed) {
        return "/api/v1/handovers/"
                + token(handed.attempt().job() + "." + handed.attempt().number()) + "/snapshot";
    }

    /** The attempt that a link's token is for; empty for what is none. */
    public Optional<Attempt> attempt(String token) {
        Matcher parts = TOKEN.matcher(token);
        if (!parts.matches()) {
            return Optional.empty();
        }
        boolean isOurs = MessageDigest.isEqual(bytes(token), bytes(token(parts.group(1) + "." + parts.group(2))));
        return isOurs
                ? Optional.of(new Attempt(new JobId(Long.parseLong(parts.group(1))), Integer.parseInt(parts.group(2))))
                : Optional.empty();
    }

    private String token(String name) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return name + "." + HexFormat.of().formatHex(mac.doFinal(bytes(name)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Names no secret. */
    @Override
    public String toString() {
        return "HandoverLinks";
    }
}
