package dev.berth.server.example;

import dev.berth.core.api.ManifestEntry;
import dev.berth.core.api.SnapshotView;
import dev.berth.server.code.SnapshotException;
import dev.berth.server.code.SnapshotStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A directory to upload: its manifest, honest or not, and its contents. */
public final class Draft {
    /** The manifest of an empty directory. */
    public static final String EMPTY = "{\"version\":1,\"entries\":[]}";

    private final Map<String, String> entries = new TreeMap<>(ManifestEntry::compare);
    private final Map<String, byte[]> contents = new LinkedHashMap<>();
    private String git = "";

    public Draft directory(String path) {
        return directory(path, 0755);
    }

    public Draft directory(String path, int mode) {
        return entry(path, "\"type\":\"directory\",\"mode\":\"%03o\"".formatted(mode));
    }

    public Draft file(String path, String text) {
        return file(path, text, 0644);
    }

    public Draft file(String path, String text, int mode) {
        byte[] content = text.getBytes(StandardCharsets.UTF_8);
        contents.put(digest(content), content);
        return entry(
                path,
                "\"type\":\"file\",\"mode\":\"%03o\",\"size\":%d,\"sha256\":\"%s\""
                        .formatted(mode, content.length, digest(content)));
    }

    public Draft link(String path, String target) {
        return entry(path, "\"type\":\"link\",\"target\":" + quoted(target));
    }

    /** An entry that says of itself what is said here. */
    public Draft entry(String path, String rest) {
        entries.put(path, "{\"path\":" + quoted(path) + "," + rest + "}");
        return this;
    }

    /** What git said; a difference is a content too. */
    public Draft git(String commit, String branch, String diff) {
        byte[] content = diff.getBytes(StandardCharsets.UTF_8);
        contents.put(digest(content), content);
        git = "\"git\":{\"commit\":\"%s\",\"branch\":\"%s\",\"dirty\":true,\"diff\":\"%s\"},"
                .formatted(commit, branch, digest(content));
        return this;
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            json.append(
                    c < ' ' || c == '"' || c == '\\' || Character.isSurrogate(c) ? "\\u%04x".formatted((int) c) : c);
        }
        return json.append('"').toString();
    }

    public String text() {
        return "{\"version\":1," + git + "\"entries\":[" + String.join(",", entries.values()) + "]}";
    }

    public byte[] bytes() {
        return text().getBytes(StandardCharsets.UTF_8);
    }

    public String id() {
        return digest(bytes());
    }

    public ByteArrayInputStream stream() {
        return new ByteArrayInputStream(bytes());
    }

    /** These contents, as they are uploaded. */
    public byte[] contents(List<String> digests) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (String digest : digests) {
            byte[] content = contents.getOrDefault(digest, new byte[0]);
            out.writeBytes(framed(digest, content));
        }
        return out.toByteArray();
    }

    /** One content, announced under a digest. */
    public static byte[] framed(String digest, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes((digest + " " + content.length + "\n").getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(content);
        return out.toByteArray();
    }

    /** Uploads all of it; answers the snapshot's name. */
    public String uploadTo(SnapshotStore store, long uid) throws IOException, SnapshotException {
        SnapshotView view = store.keep(uid, stream());
        while (!view.missing().isEmpty()) {
            view = store.fill(uid, view.snapshot(), new ByteArrayInputStream(contents(view.missing())));
        }
        return view.snapshot();
    }

    public static String digest(String text) {
        return digest(text.getBytes(StandardCharsets.UTF_8));
    }

    public static String digest(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
