package dev.berth.cli.snapshot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Whether a symbolic link stays within a directory, followed step by step as the kernel does (path_resolution(7)).
 * The text alone does not tell: {@code a/..} is not here where {@code a} is a link. For one thread and one link.
 */
final class LinkRule {
    /** The number of links that Linux follows before it says ELOOP. */
    private static final int MAX_LINKS = 40;

    private final Path root;
    private final Deque<Path> rest = new ArrayDeque<>();
    private Path here;

    private LinkRule(Path root, Path here) {
        this.root = root;
        this.here = here;
    }

    /**
     * @param root the directory, without symbolic links in its path
     * @param parent the directory at or below it that holds the link
     * @param target what the link says
     */
    static boolean staysWithin(Path root, Path parent, Path target) throws IOException {
        return new LinkRule(root, parent).follow(target);
    }

    private boolean follow(Path first) throws IOException {
        if (!enter(first)) {
            return false;
        }
        int links = 1;
        while (!rest.isEmpty()) {
            String step = rest.removeFirst().toString();
            Path next =
                    step.equals("..") ? here.getParent() : here.resolve(step).normalize();
            if (next == null || !next.startsWith(root)) {
                return false;
            }
            if (!Files.isSymbolicLink(next)) {
                here = next;
            } else if (++links > MAX_LINKS || !enter(Files.readSymbolicLink(next))) {
                // A loop leads nowhere, so it does not lead out.
                return links > MAX_LINKS;
            }
        }
        return true;
    }

    private boolean enter(Path target) {
        for (int at = target.getNameCount() - 1; at >= 0; at--) {
            rest.addFirst(target.getName(at));
        }
        return !target.isAbsolute();
    }
}
