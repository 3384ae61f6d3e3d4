package dev.berth.cli.snapshot;

import dev.berth.cli.exit.Failure;
import dev.berth.core.api.ManifestEntry;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads what is in a directory, but for what is left out, and checks that it can be sent: kinds of files, links, limits.
 * It writes nothing. For one thread. */
public final class DirectoryScan {
    private static final int OWNER_RWX = 0700;
    private static final int PERMISSIONS = 0777;
    private static final String REPLACEMENT = "\ufffd";
    private static final int NAMED = 5;

    private final Path root;
    private final DirectoryLimits limits;
    private final List<DirectoryEntry> entries = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();

    private DirectoryScan(Path root, DirectoryLimits limits) {
        this.root = root;
        this.limits = limits;
    }

    /** Everything below the directory, sorted; a {@link Failure} names what cannot be sent. */
    public static SnapshotPlan of(Path directory, DirectoryLimits limits) {
        try {
            Path root = directory.toRealPath();
            DirectoryScan scan = new DirectoryScan(root, limits);
            scan.directory(root, "", IgnoreRules.own());
            return scan.plan();
        } catch (AccessDeniedException denied) {
            throw Failure.usage(denied.getFile()
                    + " cannot be read (permission denied); make it readable, or take it out" + " of the directory");
        } catch (IOException | DirectoryIteratorException broken) {
            throw Failure.usage("the directory " + directory + " cannot be read: " + broken);
        }
    }

    private void directory(Path directory, String prefix, IgnoreRules above) throws IOException {
        IgnoreRules rules = above.in(directory, prefix);
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            stream.forEach(children::add);
        }
        Collections.sort(children);
        for (Path child : children) {
            entry(child, prefix + text(directory.relativize(child), child, "name"), rules);
        }
    }

    /** Java shows bytes that are no UTF-8 as something else, which has other bytes. */
    private static String text(Path path, Path at, String what) {
        String text = path.toString();
        boolean isText = !text.contains(REPLACEMENT) || isSame(path, text);
        if (!isText) {
            throw Failure.usage(
                    "the " + what + " of " + at + " is not UTF-8; rename it, or take it out of the" + " directory");
        }
        return text;
    }

    private static boolean isSame(Path path, String text) {
        try {
            return Path.of(text).equals(path);
        } catch (InvalidPathException impossible) {
            return false;
        }
    }

    private void entry(Path path, String name, IgnoreRules rules) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (rules.leavesOut(path, name, attributes.isDirectory())) {
            skipped.add(name);
            return;
        }
        if (entries.size() == limits.maxEntries()) {
            throw tooMany();
        }
        int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & PERMISSIONS;
        if (attributes.isDirectory()) {
            entries.add(new DirectoryEntry.Directory(name, mode | OWNER_RWX));
            directory(path, name + "/", rules);
        } else if (attributes.isRegularFile()) {
            entries.add(new DirectoryEntry.RegularFile(name, mode, path, FileStamp.of(attributes)));
        } else if (attributes.isSymbolicLink()) {
            entries.add(link(path, name));
        } else {
            throw Failure.usage(path + " is a socket, a pipe or a device, which cannot be sent to a job; take it out of"
                    + " the directory, or leave it out by a line in .berthignore");
        }
    }

    private DirectoryEntry link(Path path, String name) throws IOException {
        Path target = Files.readSymbolicLink(path);
        Path parent = path.getParent();
        if (parent == null || !LinkRule.staysWithin(root, parent, target)) {
            throw Failure.usage(path + " is a symbolic link to " + target + ", which "
                    + (target.isAbsolute() ? "is an absolute path" : "leads out of the directory")
                    + "; a job sees the submitted directory only: link within it by a relative path, or take the link"
                    + " out");
        }
        return new DirectoryEntry.SymbolicLink(name, text(target, path, "target"));
    }

    private SnapshotPlan plan() {
        List<DirectoryEntry.RegularFile> files = new ArrayList<>();
        long bytes = 0;
        for (DirectoryEntry entry : entries) {
            if (entry instanceof DirectoryEntry.RegularFile file) {
                files.add(file);
                bytes += file.size();
            }
        }
        if (bytes > limits.maxBytes()) {
            throw tooBig(bytes, files);
        }
        entries.sort((one, other) -> ManifestEntry.compare(one.name(), other.name()));
        return new SnapshotPlan(root, List.copyOf(entries), files.size(), bytes, List.copyOf(skipped));
    }

    private Failure tooMany() {
        Map<String, Integer> counts = new HashMap<>();
        for (DirectoryEntry entry : entries) {
            int slash = entry.name().indexOf('/');
            counts.merge(slash < 0 ? "." : entry.name().substring(0, slash), 1, Integer::sum);
        }
        List<String> most = new ArrayList<>(counts.keySet());
        most.sort(Comparator.comparing(counts::get, Comparator.reverseOrder()));
        return Failure.usage("the directory " + root + " holds more than " + limits.maxEntries()
                + " files, which is the most that can be submitted; most of them are in "
                + String.join(", ", most.subList(0, Math.min(NAMED, most.size())))
                + "; leave out what the job does not need by lines in .berthignore");
    }

    private Failure tooBig(long bytes, List<DirectoryEntry.RegularFile> files) {
        files.sort(Comparator.comparingLong(DirectoryEntry.RegularFile::size).reversed());
        StringBuilder biggest = new StringBuilder();
        for (DirectoryEntry.RegularFile file : files.subList(0, Math.min(NAMED, files.size()))) {
            biggest.append(biggest.isEmpty() ? "" : ", ")
                    .append(file.name())
                    .append(" (")
                    .append(DirectoryLimits.inWords(file.size()))
                    .append(')');
        }
        return Failure.usage("the directory " + root + " has " + DirectoryLimits.inWords(bytes) + ", but at most "
                + DirectoryLimits.inWords(limits.maxBytes()) + " can be submitted; the biggest files are " + biggest
                + "; leave out what the job does not need by lines in .berthignore");
    }
}
