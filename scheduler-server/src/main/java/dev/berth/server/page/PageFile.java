package dev.berth.server.page;

import dev.berth.server.code.Digests;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** A file of the page, and the same compressed, once somebody asks. Safe for any thread; its bytes must not be changed. */
public final class PageFile {
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "json", "application/json",
            "txt", "text/plain; charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png",
            "ico", "image/x-icon",
            "woff2", "font/woff2",
            "webmanifest", "application/manifest+json");

    private final String type;
    private final byte[] plain;
    private byte @Nullable [] zipped;
    private final String digest;

    /**
     * A file of that content.
     *
     * @throws IllegalStateException where a file of that name has no type, so that a build with one fails
     */
    PageFile(String name, byte[] content) {
        String ending = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        String known = TYPES.get(ending);
        if (known == null) {
            throw new IllegalStateException("the page has a file of a type that is not known: " + name);
        }
        type = known;
        plain = content;
        digest = Digests.of(content);
    }

    private synchronized byte[] zipped() {
        byte[] known = zipped;
        if (known == null) {
            known = zipped(plain);
            zipped = known;
        }
        return known;
    }

    private static byte[] zipped(byte[] content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream zip = new GZIPOutputStream(bytes)) {
            zip.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    public String type() {
        return type;
    }

    /** Whether there is less to send of it compressed. */
    public boolean gainsByZip() {
        return zipped().length < plain.length;
    }

    /** Its bytes, compressed by gzip or as they are. */
    public byte[] bytes(boolean zip) {
        return zip ? zipped() : plain;
    }

    /** The strong entity tag of what {@link #bytes} gives. */
    public String tag(boolean zip) {
        return "\"" + digest + (zip ? "-gzip" : "") + "\"";
    }
}
