package dev.berth.server.code;

import dev.berth.core.job.JobId;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.server.linux.AccessList;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The outputs of jobs, at {@code users/UID/output/ID}, and what they keep for their later attempts, at
 * {@code users/UID/checkpoint/ID}: the one place of the server's files that users go to by path. Through {@code users/UID} its
 * user alone can pass; to others not even the number, the times and the sizes of what is in it can be seen. Safe for any
 * thread.
 */
final class OutputPlaces {
    private static final Logger LOG = LoggerFactory.getLogger(OutputPlaces.class);
    private static final Set<PosixFilePermission> PASSABLE = PosixFilePermissions.fromString("rwx--x--x");
    private static final Set<PosixFilePermission> GROUP_PASSABLE = PosixFilePermissions.fromString("rwx--x---");
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");
    private static final String OUTPUT = "output";
    private static final String CHECKPOINT = "checkpoint";
    private static final String TRACK = "track";
    private static final Pattern TRACK_NAME = Pattern.compile("([1-9]\\d{0,17})\\.([1-9]\\d{0,8})");

    private final Set<Long> opened = ConcurrentHashMap.newKeySet();
    private final Path users;
    private final boolean mayGiveAway;

    /**
     * The outputs below a directory.
     *
     * @param mayGiveAway whether the users are others than the server's own
     */
    OutputPlaces(Path users, boolean mayGiveAway) {
        this.users = users;
        this.mayGiveAway = mayGiveAway;
    }

    Path of(Submitter owner, JobId job) {
        return ofUser(owner.uid()).resolve(job.toString());
    }

    /**
     * The directory of all outputs of a user. Between it and what others can look at is a directory that never changes.
     */
    Path ofUser(long uid) {
        return users.resolve(Long.toString(uid)).resolve(OUTPUT);
    }

    Path checkpoint(Submitter owner, JobId job) {
        return checkpointsOfUser(owner.uid()).resolve(job.toString());
    }

    /** The directory of all that a user's jobs keep for their later attempts. */
    Path checkpointsOfUser(long uid) {
        return users.resolve(Long.toString(uid)).resolve(CHECKPOINT);
    }

    /** The file in which an attempt's program tells of its job; nobody but the server makes or removes any there. */
    Path track(Submitter owner, Attempt attempt) {
        return tracksOfUser(owner.uid()).resolve(attempt.job() + "." + attempt.number());
    }

    private Path tracksOfUser(long uid) {
        return users.resolve(Long.toString(uid)).resolve(TRACK);
    }

    /** Those files that are there, of all users. */
    SortedMap<Attempt, Path> tracks() throws IOException {
        SortedMap<Attempt, Path> all = new TreeMap<>();
        try (DirectoryStream<Path> homes = Files.newDirectoryStream(users, "[0-9]*")) {
            for (Path home : homes) {
                addTracks(home.resolve(TRACK), all);
            }
        } catch (NoSuchFileException e) {
            // No job has run yet.
        }
        return all;
    }

    private static void addTracks(Path directory, SortedMap<Attempt, Path> all) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Matcher name = TRACK_NAME.matcher(String.valueOf(file.getFileName()));
                if (name.matches()) {
                    all.put(
                            new Attempt(new JobId(Long.parseLong(name.group(1))), Integer.parseInt(name.group(2))),
                            file);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // Of a user whose jobs all ran before there were such files.
        }
    }

    /** Makes the way to a user's outputs, and lets that user through. */
    void open(Submitter owner) throws IOException {
        open(owner.uid(), owner.gid());
    }

    /** Makes the way to a user's outputs, one call at a time: a user's first jobs may begin together. */
    private synchronized void open(long uid, long gid) throws IOException {
        Path output = ofUser(uid);
        Path checkpoints = checkpointsOfUser(uid);
        Path tracks = tracksOfUser(uid);
        // Once: what others may look at of their parent must not change with each job.
        if (opened.contains(uid)
                && Files.isDirectory(output)
                && Files.isDirectory(checkpoints)
                && Files.isDirectory(tracks)) {
            return;
        }
        if (!Files.isDirectory(users)) {
            Files.createDirectory(users);
            Files.setPosixFilePermissions(users, PASSABLE);
        }
        Path home = users.resolve(Long.toString(uid));
        if (!Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS)) {
            Workspaces.makeDirectory(home, PRIVATE);
        }
        if (mayGiveAway && !AccessList.letThrough(home, uid)) {
            // The next best: where each user has a group of their own, it comes to the same.
            LOG.warn("{} is on a file system without access lists: group {} can pass through it", home, gid);
            Files.setAttribute(home, "unix:gid", (int) gid, LinkOption.NOFOLLOW_LINKS);
            Files.setPosixFilePermissions(home, GROUP_PASSABLE);
        }
        Workspaces.makeDirectory(output, PASSABLE);
        Workspaces.makeDirectory(checkpoints, PASSABLE);
        Workspaces.makeDirectory(tracks, PASSABLE);
        opened.add(uid);
    }

    /**
     * Takes over what an older Berth left in {@code jobs/ID/output}, and then closes {@code jobs}, which is how it is
     * known that there is nothing left to move. A move that breaks off is gone on with at the next start. What was copied
     * back from a backup without its access lists gets them again.
     */
    void takeOver(Path jobs) throws IOException {
        opened.clear();
        if (!Files.getPosixFilePermissions(jobs).equals(PRIVATE)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(jobs)) {
                for (Path job : all) {
                    takeOverOne(job);
                }
            }
            Files.setPosixFilePermissions(jobs, PRIVATE);
        }
        if (Files.isDirectory(users)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(users, "[0-9]*")) {
                for (Path home : all) {
                    open(Long.parseLong(String.valueOf(home.getFileName())), number(home, "unix:gid"));
                }
            }
        }
    }

    private void takeOverOne(Path job) throws IOException {
        Path old = job.resolve(OUTPUT);
        if (!Files.isDirectory(old, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        // Its parent is the server's own, so that nobody else can have put it there.
        long uid = number(old, "unix:uid");
        open(uid, number(old, "unix:gid"));
        Path place = ofUser(uid).resolve(String.valueOf(job.getFileName()));
        try {
            Files.move(old, place, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException(
                    "outputs of jobs belong in " + users + " now, which is on another disk than " + job.getParent()
                            + "; make " + users + " a mount or a link on the disk of " + job.getParent()
                            + ", and start again",
                    e);
        }
    }

    private static long number(Path path, String attribute) throws IOException {
        return Integer.toUnsignedLong((Integer) Files.getAttribute(path, attribute, LinkOption.NOFOLLOW_LINKS));
    }
}
