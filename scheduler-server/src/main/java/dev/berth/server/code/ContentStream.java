package dev.berth.server.code;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An upload of contents: for each a line {@code DIGEST SIZE}, and then so many bytes. Every content is hashed while it
 * is written. Lives on one thread.
 */
final class ContentStream {
    /** A digest, a blank, a number of 64 bits. */
    private static final int MAX_LINE = 64 + 1 + 19;

    private static final int DIGEST_LENGTH = 64;
    private static final int BUFFER_BYTES = 1 << 16;

    private final InputStream in;
    private final Map<String, Long> wanted;
    private final Set<String> seen = new HashSet<>();
    private final byte[] buffer = new byte[BUFFER_BYTES];

    /** A content's announcement. */
    record Header(String digest, long size) {}

    /**
     * An upload.
     *
     * @param wanted the digests that may come, with their sizes
     */
    ContentStream(InputStream in, Map<String, Long> wanted) {
        this.in = in;
        this.wanted = wanted;
    }

    /** The kept contents of a user, as far as an upload is concerned. */
    interface Shelf {
        /** Whether this very content is there already, so that another upload was faster. */
        boolean has(String digest, long size) throws IOException;

        /** A fresh file to receive it in. */
        Path partial() throws IOException;

        /** Takes it in. */
        void take(Path partial, Header content) throws IOException, SnapshotException;
    }

    /** Reads the upload to its end. */
    void readTo(Shelf shelf) throws IOException, SnapshotException {
        for (String line = line(); !line.isEmpty(); line = line()) {
            Header header = header(line);
            if (!seen.add(header.digest())) {
                throw SnapshotException.invalidContent(header.digest(), "came twice in one upload");
            }
            Long size = wanted.get(header.digest());
            if (size == null && !shelf.has(header.digest(), header.size())) {
                throw SnapshotException.invalidContent(
                        header.digest(), "is not one that the snapshot names and the server lacks");
            }
            requireSize(header, size);
            receive(header, shelf);
        }
    }

    private static void requireSize(Header header, @Nullable Long size) throws SnapshotException {
        if (size != null && size == Missing.ANY_SIZE && header.size() > GitState.MAX_DIFF_BYTES) {
            throw SnapshotException.tooLarge("git's difference has " + header.size() + " bytes, but at most "
                    + GitState.MAX_DIFF_BYTES + " are taken");
        }
        if (size != null && size != Missing.ANY_SIZE && size != header.size()) {
            throw SnapshotException.invalidContent(
                    header.digest(), "has " + header.size() + " bytes, but the manifest says " + size);
        }
    }

    private void receive(Header header, Shelf shelf) throws IOException, SnapshotException {
        Path partial = shelf.partial();
        try {
            MessageDigest digest = Digests.sha256();
            try (OutputStream out = new DigestOutputStream(Files.newOutputStream(partial), digest)) {
                copy(header, out);
            }
            String found = Digests.inHex(digest);
            if (!found.equals(header.digest())) {
                throw SnapshotException.invalidContent(header.digest(), "has the digest " + found + " in truth");
            }
            shelf.take(partial, header);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    private void copy(Header header, OutputStream out) throws IOException, SnapshotException {
        long left = header.size();
        while (left > 0) {
            int count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (count < 0) {
                throw SnapshotException.invalidContent(
                        header.digest(), "is cut off: " + left + " of its " + header.size() + " bytes are missing");
            }
            out.write(buffer, 0, count);
            left -= count;
        }
    }

    private static Header header(String line) throws SnapshotException {
        String digest = line.length() > DIGEST_LENGTH + 1 ? line.substring(0, DIGEST_LENGTH) : "";
        String size = line.length() > DIGEST_LENGTH + 1 ? line.substring(DIGEST_LENGTH + 1) : "";
        try {
            if (Digests.isDigest(digest) && line.charAt(DIGEST_LENGTH) == ' ' && Character.isDigit(size.charAt(0))) {
                return new Header(digest, Long.parseLong(size));
            }
        } catch (NumberFormatException e) {
            // Said below, with the rule.
        }
        throw noHeader(line);
    }

    /** The next line without its end; empty at the upload's end. */
    private String line() throws IOException, SnapshotException {
        byte[] line = new byte[MAX_LINE];
        int length = 0;
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 && length == 0) {
                return "";
            }
            if (next < 0 || length == MAX_LINE) {
                throw noHeader(new String(line, 0, length, StandardCharsets.ISO_8859_1));
            }
            line[length++] = (byte) next;
        }
        if (length == 0) {
            throw noHeader("");
        }
        return new String(line, 0, length, StandardCharsets.ISO_8859_1);
    }

    private static SnapshotException noHeader(String line) {
        return SnapshotException.invalidContent("a content begins with the line '" + Names.shown(line)
                + "', but must begin with its SHA-256 in lower case, a blank, its size, and a line feed");
    }
}
