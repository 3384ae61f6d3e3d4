package dev.berth.server;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.server.linux.FileStatus;
import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The directories on the way to what a server of root's uses by its path: who can rename one of them puts something else
 * in its place. A server of a user's own has only that user to lose, and is not asked.
 */
final class TrustedPath {
    private static final Path ROOT = Path.of("/");

    /** More of them the kernel does not follow. */
    private static final int MAX_LINKS = 40;

    private TrustedPath() {}

    /**
     * Refuses a place that another user can exchange.
     *
     * @param what the place is, for the sentence
     * @param option the one that names another place
     * @throws StartException where a directory on the way is another user's, or lets others rename what is in it
     */
    static void require(Path place, String what, String option) throws IOException {
        long user = new UnixSystem().getUid();
        if (user != 0) {
            return;
        }
        Optional<Path> unsound = unsound(place.toAbsolutePath().normalize(), user);
        if (unsound.isPresent()) {
            throw StartException.failed(what + " " + place + " lies in " + unsound.get()
                    + ", where other users can put something else in its place, and this server is root's; take another"
                    + " place with " + option
                    + ", or close that directory to them (chown root, chmod go-w or chmod +t)");
        }
    }

    /** Goes there as the kernel does (path_resolution(7)): each directory on the way counts, those of each link's too. */
    private static Optional<Path> unsound(Path place, long user) throws IOException {
        Deque<Path> left = new ArrayDeque<>();
        place.forEach(left::addLast);
        Path reached = ROOT;
        int links = 0;
        while (!left.isEmpty()) {
            if (!FileStatus.of(reached).isSoundFor(user)) {
                return Optional.of(reached);
            }
            Path next = reached.resolve(left.removeFirst()).normalize();
            if (Files.isSymbolicLink(next)) {
                links++;
                if (links > MAX_LINKS) {
                    throw new FileSystemLoopException(place.toString());
                }
                Path target = Files.readSymbolicLink(next);
                List<Path> names = new ArrayList<>();
                target.forEach(names::add);
                names.reversed().forEach(left::addFirst);
                reached = target.isAbsolute() ? ROOT : reached;
            } else if (Files.exists(next, LinkOption.NOFOLLOW_LINKS)) {
                reached = next;
            } else {
                // All that is behind it will be made by this server.
                return Optional.empty();
            }
        }
        return Optional.empty();
    }
}
