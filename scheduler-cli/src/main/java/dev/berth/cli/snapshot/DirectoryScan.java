package dev.berth.cli.snapshot;

import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Reads what is in a directory and checks that it can be sent: kinds of files, links, limits. For one thread. */
public final class DirectoryScan {
    private static final int OWNER_RWX = 0700;
    private static final int PERMISSIONS = 0777;
    private static final char REPLACEMENT = '\ufffd';
    private static final int NAMED = 5;

    private final Path root;
    private final SnapshotLimits limits;
    private final List<SnapshotEntry> entries = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();

    private DirectoryScan(Path root, SnapshotLimits limits) {
        this.root = root;
        this.limits = limits;
    }

    /** Everything below the directory, sorted; a {@link Failure} names what cannot be sent. */
    public static SnapshotPlan of(Path directory, SnapshotLimits limits) {
        try {
            Path root = directory.toRealPath();
            DirectoryScan scan = new DirectoryScan(root, limits);
            scan.directory(root, "");
            return scan.plan();
        } catch (AccessDeniedException denied) {
            throw Failure.usage(denied.getFile()
                    + " cannot be read (permission denied); make it readable, or take it out" + " of the directory");
        } catch (IOException | DirectoryIteratorException broken) {
            throw Failure.usage("the directory " + directory + " cannot be read: " + broken);
        }
    }

    private void directory(Path directory, String prefix) throws IOException {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            stream.forEach(children::add);
        }
        Collections.sort(children);
        for (Path child : children) {
            String name = prefix + directory.relativize(child);
            if (SkipRules.skips(child)) {
                skipped.add(name);
            } else {
                entry(child, name);
            }
        }
    }

    private void entry(Path path, String name) throws IOException {
        if (name.indexOf(REPLACEMENT) >= 0) {
            throw Failure.usage("the name of " + root.resolve(name) + " is not UTF-8; rename the file");
        }
        if (entries.size() == limits.maxEntries()) {
            throw tooMany();
        }
        BasicFileAttributes attributes =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & PERMISSIONS;
        if (attributes.isDirectory()) {
            entries.add(new SnapshotEntry.Directory(name, mode | OWNER_RWX));
            directory(path, name + "/");
        } else if (attributes.isRegularFile()) {
            long modified = attributes.lastModifiedTime().to(TimeUnit.SECONDS);
            entries.add(new SnapshotEntry.RegularFile(name, mode, path, attributes.size(), modified));
        } else if (attributes.isSymbolicLink()) {
            entries.add(link(path, name, mode));
        } else {
            throw Failure.usage(path + " is a socket, a pipe or a device, which cannot be sent to a job; take it out of"
                    + " the directory");
        }
    }

    private SnapshotEntry link(Path path, String name, int mode) throws IOException {
        Path target = Files.readSymbolicLink(path);
        Path parent = path.getParent();
        if (parent == null || !LinkRule.staysWithin(root, parent, target)) {
            throw Failure.usage(path + " is a symbolic link to " + target + ", which "
                    + (target.isAbsolute() ? "is an absolute path" : "leads out of the directory")
                    + "; a job sees the submitted directory only: link within it by a relative path, or take the link"
                    + " out");
        }
        return new SnapshotEntry.SymbolicLink(name, mode, target.toString());
    }

    private SnapshotPlan plan() {
        List<SnapshotEntry.RegularFile> files = new ArrayList<>();
        long bytes = 0;
        for (SnapshotEntry entry : entries) {
            if (entry instanceof SnapshotEntry.RegularFile file) {
                files.add(file);
                bytes += file.size();
            }
        }
        if (bytes > limits.maxBytes()) {
            throw tooBig(bytes, files);
        }
        return new SnapshotPlan(root, List.copyOf(entries), files.size(), bytes, List.copyOf(skipped));
    }

    private Failure tooMany() {
        Map<String, Integer> counts = new HashMap<>();
        for (SnapshotEntry entry : entries) {
            int slash = entry.name().indexOf('/');
            counts.merge(slash < 0 ? "." : entry.name().substring(0, slash), 1, Integer::sum);
        }
        List<String> most = new ArrayList<>(counts.keySet());
        most.sort(Comparator.comparing(counts::get, Comparator.reverseOrder()));
        return Failure.usage("the directory " + root + " holds more than " + limits.maxEntries()
                + " files, which is the most that can be submitted; most of them are in "
                + String.join(", ", most.subList(0, Math.min(NAMED, most.size()))));
    }

    private Failure tooBig(long bytes, List<SnapshotEntry.RegularFile> files) {
        files.sort(Comparator.comparingLong(SnapshotEntry.RegularFile::size).reversed());
        StringBuilder biggest = new StringBuilder();
        for (SnapshotEntry.RegularFile file : files.subList(0, Math.min(NAMED, files.size()))) {
            biggest.append(biggest.isEmpty() ? "" : ", ")
                    .append(file.name())
                    .append(" (")
                    .append(SnapshotLimits.inWords(file.size()))
                    .append(')');
        }
        return Failure.usage("the directory " + root + " has " + SnapshotLimits.inWords(bytes) + ", but at most "
                + SnapshotLimits.inWords(limits.maxBytes()) + " can be submitted; the biggest files are " + biggest);
    }
}
