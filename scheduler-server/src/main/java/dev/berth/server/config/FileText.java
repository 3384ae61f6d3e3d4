package dev.berth.server.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;

/** The text of a configuration file, or of one that it names, which may be trusted. */
public final class FileText {
    static final int MAX_BYTES = 1 << 20;

    private static final char BYTE_ORDER_MARK = '\ufeff';

    private FileText() {}

    /**
     * The text; nothing where there is no such file, and where something is wrong with it.
     *
     * @param required whether the file has to be there
     * @param uid whom the server runs as
     */
    public static Optional<String> read(Path file, boolean required, long uid, Problems problems) {
        try {
            Optional<String> problem = problem(file, uid);
            if (problem.isPresent()) {
                problems.add(file + ": " + problem.get());
                return Optional.empty();
            }
            return text(file, problems);
        } catch (NoSuchFileException | NotDirectoryException e) {
            if (required) {
                problems.add(file + ": there is no such file");
            }
        } catch (AccessDeniedException e) {
            problems.add(
                    file + ": may not be read by whom the server runs as; let them read it, or name another" + " file");
        } catch (IOException e) {
            problems.add(file + ": cannot be read: " + Problems.shown(e.toString()));
        }
        return Optional.empty();
    }

    private static Optional<String> problem(Path file, long uid) throws IOException {
        PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
        if (!attributes.isRegularFile()) {
            return Optional.of("is not a file");
        }
        long owner = Integer.toUnsignedLong((Integer) Files.getAttribute(file, "unix:uid"));
        return distrust(owner, attributes.permissions(), uid);
    }

    /** A user who may write the file decides what the server does, with the server's rights. */
    static Optional<String> distrust(long owner, Set<PosixFilePermission> permissions, long uid) {
        if (owner != 0 && owner != uid) {
            return Optional.of("belongs to user " + owner + "; it has to belong to root"
                    + (uid == 0 ? "" : " or to user " + uid + ", whom the server runs as")
                    + ", because who writes it rules the server: chown it");
        }
        if (permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            return Optional.of("can be written by everybody, who would rule the server by it; run chmod go-w on it");
        }
        if (uid == 0 && permissions.contains(PosixFilePermission.GROUP_WRITE)) {
            return Optional.of("can be written by its group, who would rule the server by it; run chmod g-w on it");
        }
        return Optional.empty();
    }

    private static Optional<String> text(Path file, Problems problems) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_BYTES + 1);
        }
        if (bytes.length > MAX_BYTES) {
            problems.add(file + ": is larger than " + MAX_BYTES + " bytes, the most that a configuration has");
            return Optional.empty();
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return Optional.of(!text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text);
        } catch (CharacterCodingException e) {
            problems.add(file + ": is not UTF-8 text");
            return Optional.empty();
        }
    }
}
