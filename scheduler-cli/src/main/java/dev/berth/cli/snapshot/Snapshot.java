package dev.berth.cli.snapshot;

import dev.berth.cli.json.JsonText;
import dev.berth.cli.snapshot.DirectoryEntry.Directory;
import dev.berth.cli.snapshot.DirectoryEntry.RegularFile;
import dev.berth.cli.snapshot.DirectoryEntry.SymbolicLink;
import dev.berth.core.api.GitView;
import dev.berth.core.api.Manifest;
import dev.berth.core.api.ManifestEntry;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A directory whose every file was read: its manifest, and its contents by digest. The same directory gives the same
 * manifest, byte for byte: it says nothing about owners and times. For one thread.
 */
public final class Snapshot {
    private static final int OCTAL = 8;
    private static final int PERMISSIONS = 01000;

    private final SnapshotPlan plan;
    private final @Nullable GitView git;
    private final byte[] diff;
    private final Map<String, String> digests = new HashMap<>();
    private final Map<String, RegularFile> contents = new HashMap<>();
    private final CheckedFile reader = new CheckedFile();

    private Snapshot(SnapshotPlan plan, @Nullable GitView git, byte[] diff) {
        this.plan = plan;
        this.git = git;
        this.diff = diff;
    }

    /** Reads all files of a planned snapshot; one that is no longer as it was is a {@link dev.berth.cli.exit.Failure}. */
    public static Snapshot of(SnapshotPlan plan, Optional<GitCapture> git, Progress progress) throws IOException {
        Snapshot snapshot = new Snapshot(
                plan,
                git.map(GitCapture::view).orElse(null),
                git.map(GitCapture::diff).orElse(new byte[0]));
        snapshot.readAll(progress);
        return snapshot;
    }

    private void readAll(Progress progress) throws IOException {
        MessageDigest digest = sha256();
        long done = 0;
        for (DirectoryEntry entry : plan.entries()) {
            if (entry instanceof RegularFile file) {
                long before = done;
                long[] read = {0};
                reader.read(file, (bytes, count) -> {
                    digest.update(bytes, 0, count);
                    read[0] += count;
                    progress.at(Progress.Step.READING, before + read[0], plan.bytes());
                });
                done += file.size();
                String hex = HexFormat.of().formatHex(digest.digest());
                digests.put(file.name(), hex);
                contents.putIfAbsent(hex, file);
            }
        }
    }

    /** Writes the manifest as the server keeps it. */
    public void writeManifest(OutputStream out) throws IOException {
        write(out, "{\"version\":" + Manifest.VERSION + (git == null ? "" : ",\"git\":" + JsonText.of(git)));
        write(out, ",\"entries\":[");
        String separator = "\n";
        for (DirectoryEntry entry : plan.entries()) {
            write(out, separator + json(entry));
            separator = ",\n";
        }
        write(out, "\n]}\n");
    }

    private String json(DirectoryEntry entry) {
        String path = "{\"path\":" + JsonText.quoted(entry.name()) + ",\"type\":\"";
        return switch (entry) {
            case Directory directory ->
                path + ManifestEntry.DIRECTORY + "\",\"mode\":\"" + octal(directory.mode()) + "\"}";
            case RegularFile file ->
                path + ManifestEntry.FILE + "\",\"mode\":\"" + octal(file.mode()) + "\",\"size\":" + file.size()
                        + ",\"sha256\":\"" + digests.get(file.name()) + "\"}";
            case SymbolicLink link ->
                path + ManifestEntry.LINK + "\",\"target\":" + JsonText.quoted(link.target()) + "}";
        };
    }

    private static String octal(int mode) {
        return Integer.toString(PERMISSIONS | mode, OCTAL).substring(1);
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The number of bytes that these contents have. */
    public long size(List<String> wanted) {
        long sum = 0;
        for (String digest : wanted) {
            sum += size(digest);
        }
        return sum;
    }

    private long size(String digest) {
        RegularFile file = contents.get(digest);
        return file == null ? diff.length : file.size();
    }

    /** Whether there is a content of that digest. */
    public boolean has(String digest) {
        return contents.containsKey(digest) || isDiff(digest);
    }

    private boolean isDiff(String digest) {
        return git != null && digest.equals(git.diff());
    }

    /** The name of what a content belongs to, for people. */
    public String name(String digest) {
        RegularFile file = contents.get(digest);
        return file == null ? "git's difference" : file.path().toString();
    }

    /** Writes contents, each behind a line with its digest and its size. */
    public void writeContents(List<String> wanted, OutputStream out, Progress progress) throws IOException {
        long all = size(wanted);
        long[] done = {0};
        for (String digest : wanted) {
            write(out, digest + " " + size(digest) + "\n");
            RegularFile file = contents.get(digest);
            if (file == null) {
                out.write(diff);
                done[0] += diff.length;
            } else {
                reader.read(file, (bytes, count) -> {
                    out.write(bytes, 0, count);
                    done[0] += count;
                    progress.at(Progress.Step.SENDING, done[0], all);
                });
            }
        }
    }

    static String digest(byte[] bytes) {
        MessageDigest digest = sha256();
        digest.update(bytes);
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }
}
