package dev.berth.server.code;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.server.code.CheckedEntry.Directory;
import dev.berth.server.code.CheckedEntry.RegularFile;
import dev.berth.server.code.CheckedEntry.SymbolicLink;
import dev.berth.server.linux.FileHandle;
import dev.berth.server.linux.UserThreads;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The directories of each job, which nobody but the server reaches by path: {@code jobs/ID} with what is kept of it, and
 * {@code runs/ID.ATTEMPT} with what a container of it needs as long as it is there: {@code workspace} (its snapshot, or
 * nothing), {@code home}, both the submitter's own, and the user database that it sees. Its output, and what it keeps for its
 * later attempts, lie apart, where the submitter gets to them. Safe for any thread, one job on one thread at a time.
 */
public final class Workspaces {
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> PASSABLE = PosixFilePermissions.fromString("rwxr-xr-x");
    private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> READABLE = PosixFilePermissions.fromString("rw-r--r--");

    private static final String PARAMETERS = "parameters";
    private static final String PACK = "pack";
    private static final List<String> PARTS = List.of("workspace", "home", "passwd", "group", PARAMETERS, PACK);
    private static final Pattern RUN = Pattern.compile("([1-9]\\d{0,17})\\.([1-9]\\d{0,8})");

    private final Path directory;
    private final Path runs;
    private final OutputPlaces outputs;
    private final SnapshotStore snapshots;
    private final boolean mayGiveAway;
    private final UserThreads threads;

    /**
     * The directories of jobs.
     *
     * @param directory where they are made; runs and outputs go to {@code runs} and {@code users} beside it
     * @param mayGiveAway whether files can be given to the submitter, which takes a server that runs as root
     */
    public Workspaces(Path directory, SnapshotStore snapshots, boolean mayGiveAway) {
        this.directory = directory;
        this.runs = directory.resolveSibling("runs");
        this.outputs = new OutputPlaces(directory.resolveSibling("users"), mayGiveAway);
        this.snapshots = snapshots;
        this.mayGiveAway = mayGiveAway;
        this.threads = mayGiveAway ? UserThreads.ofRoot() : UserThreads.own();
    }

    /** The directory that all of them are in, absolute. */
    public Path dataDirectory() {
        return Objects.requireNonNull(runs.toAbsolutePath().getParent());
    }

    /** The directory of a job's files. */
    public Path of(JobId job) {
        return directory.resolve(job.toString());
    }

    /** The directory of what the container of an attempt needs. */
    public Path of(Attempt attempt) {
        return runs.resolve(attempt.job() + "." + attempt.number());
    }

    /** The directory of a job's output, for its submitter as well. */
    public Path output(Job job) {
        return outputs.of(job.owner(), job.id());
    }

    /** The directory of what a job keeps for its later attempts, for its submitter as well. */
    public Path checkpoint(Job job) {
        return outputs.checkpoint(job.owner(), job.id());
    }

    /** The file in which an attempt's program tells of its job; for its submitter as well. */
    public Path track(Job job) {
        return outputs.track(job.owner(), Attempt.of(job));
    }

    /** Those files that are there, of all jobs. */
    public SortedMap<Attempt, Path> tracks() throws IOException {
        return outputs.tracks();
    }

    /** Makes that file, afresh: what is there is of a start that broke off, or of a time that the database does not know. */
    public void makeTrack(Job job) throws IOException {
        outputs.open(job.owner());
        Path track = track(job);
        Files.deleteIfExists(track);
        makeOwnFile(job.owner(), track);
    }

    private void makeOwnFile(Submitter owner, Path path) throws IOException {
        Path file = Files.createFile(path);
        Files.setPosixFilePermissions(file, OWN);
        give(file, owner);
    }

    /** Brings what an older Berth has left into its place; to be called before anything of a job is touched. */
    public void takeOver() throws IOException {
        outputs.takeOver(directory);
        if (!Files.isDirectory(runs)) {
            Path unfinished = runs.resolveSibling("runs.new");
            makeDirectory(unfinished, PRIVATE);
            try (DirectoryStream<Path> jobs = Files.newDirectoryStream(directory)) {
                for (Path job : jobs) {
                    takeOver(job, unfinished.resolve(job.getFileName() + ".1"));
                }
            }
            Files.move(unfinished, runs, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** What was laid out in a job's directory may be mounted into its container, which a rename does not touch. */
    private static void takeOver(Path job, Path run) throws IOException {
        for (String part : PARTS) {
            if (Files.exists(job.resolve(part), LinkOption.NOFOLLOW_LINKS)) {
                makeDirectory(run, PRIVATE);
                Files.move(job.resolve(part), run.resolve(part), StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    /** Gives the stream to write to, once it is known that there is something to write. */
    @FunctionalInterface
    public interface Opening {
        OutputStream open() throws IOException;
    }

    /**
     * Packs what a job wrote, as {@link OutputTar} does and with its owner's rights: there may be anything in that
     * directory, also what its owner may not read. What was opened is closed at the true end alone, as an archive that
     * breaks off must not look complete.
     *
     * @param path relative and clean; empty for all
     * @return whether there is something at that path; where not, nothing was opened
     */
    public boolean pack(Job job, Path path, Opening opening) throws IOException {
        // With the server's rights: the owner's may not reach its files.
        OutputTar.load();
        Optional<FileHandle> found = findOutput(job);
        if (found.isEmpty()) {
            return false;
        }
        try (FileHandle output = found.get()) {
            boolean isThere =
                    output.status().isDirectory() && threads.call(job.owner(), () -> OutputTar.exists(output, path));
            if (isThere) {
                OutputStream out = opening.open();
                threads.write(job.owner(), out, stream -> new OutputTar(stream).write(output, path));
                out.close();
            }
            return isThere;
        }
    }

    /**
     * Lists a directory of what a job wrote, with its owner's rights.
     *
     * @param path relative and clean; empty for all of it
     * @return empty where there is no such directory
     */
    public Optional<OutputList> list(Job job, Path path) throws IOException {
        OutputTar.load();
        OutputList.load();
        return look(job, output -> OutputList.of(output, path)).flatMap(found -> found);
    }

    /**
     * Work on a job's output that is done with the rights of the job's owner. It must neither log nor wake other threads, and
     * what it takes of the server's classes is to be loaded before.
     */
    @FunctionalInterface
    public interface OutputWork<T> {
        T at(FileHandle output) throws IOException;
    }

    /** Does something at the directory of a job's output, with its owner's rights; empty where there is none. */
    public <T> Optional<T> look(Job job, OutputWork<T> work) throws IOException {
        Optional<FileHandle> found = findOutput(job);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        try (FileHandle output = found.get()) {
            return output.status().isDirectory()
                    ? Optional.of(threads.call(job.owner(), () -> work.at(output)))
                    : Optional.empty();
        }
    }

    private Optional<FileHandle> findOutput(Job job) throws IOException {
        try {
            return Optional.of(FileHandle.of(output(job)));
        } catch (NoSuchFileException e) {
            // Of a job that has not started, or was deleted.
            return Optional.empty();
        }
    }

    /** Makes the directory that the log is written to, before anything else of a job is there. */
    public void open(JobId job) throws IOException {
        makeDirectory(of(job), PRIVATE);
    }

    /** Lays everything out for the start of a job's attempt, afresh: what a start that broke off left is removed first. */
    public void prepare(Job job) throws IOException {
        Attempt attempt = Attempt.of(job);
        Path place = of(attempt);
        Submitter owner = job.owner();
        open(job.id());
        discard(attempt);
        makeDirectory(runs, PRIVATE);
        makeDirectory(place, PRIVATE);
        Path workspace = place.resolve("workspace");
        makeDirectory(workspace, PRIVATE);
        layOut(job, workspace);
        give(workspace, owner);
        outputs.open(owner);
        if (!job.isPack()) {
            makeTrack(job);
        }
        if (attempt.number() == 1) {
            // Of another job of that number, which a database that was brought back does not know of.
            deleteCheckpoint(job);
        }
        makeOwn(
                owner,
                job.isPack()
                        ? List.of(place.resolve("home"))
                        : List.of(place.resolve("home"), output(job), checkpoint(job)));
        write(place.resolve("passwd"), UserDatabase.passwd(owner));
        write(place.resolve("group"), UserDatabase.group(owner));
    }

    /** Lays out what is kept here of an attempt that runs elsewhere: its log, its output, the file of its metrics. */
    public void prepareElsewhere(Job job) throws IOException {
        open(job.id());
        outputs.open(job.owner());
        makeTrack(job);
        makeOwn(job.owner(), List.of(output(job)));
    }

    /** The bytes of the file of metrics of a job's last attempt; 0 where there is none. */
    public long trackSize(Job job) throws IOException {
        Path track = track(job);
        return Files.isRegularFile(track, LinkOption.NOFOLLOW_LINKS) ? Files.size(track) : 0;
    }

    /**
     * Adds to that file what the program wrote elsewhere; one that was read to its end is made again. Its directory is nobody's but
     * the server's.
     */
    public void appendTrack(Job job, byte[] bytes) throws IOException {
        Files.write(track(job), bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * What a pack's container needs to run a task.
     *
     * @param task the task
     * @param start the script that becomes its program
     * @param parameters those of a sweep as JSON, or null
     */
    public record PackedTask(
            Job task, String start, @Nullable String parameters) {}

    /** The files of the tasks of a pack. */
    public PackFiles pack(Attempt attempt) {
        return new PackFiles(of(attempt).resolve(PACK));
    }

    /** Lays out the tasks of a pack that is laid out, each with an output and checkpoints of its own. */
    public void preparePack(Attempt attempt, String script, List<PackedTask> tasks) throws IOException {
        PackFiles pack = pack(attempt);
        makeDirectory(pack.directory(), PASSABLE);
        write(pack.directory().resolve(PackFiles.SCRIPT), script);
        for (PackedTask packed : tasks) {
            Job task = packed.task();
            Path place = pack.of(task.id());
            makeDirectory(place, PASSABLE);
            write(place.resolve(PackFiles.START), packed.start());
            if (packed.parameters() != null) {
                write(place.resolve(PARAMETERS), packed.parameters());
            }
            for (String written : PackFiles.WRITTEN) {
                makeOwnFile(task.owner(), place.resolve(written));
            }
            open(task.id());
            makeTrack(task);
            deleteCheckpoint(task);
            makeOwn(task.owner(), List.of(output(task), checkpoint(task)));
        }
        if (!tasks.isEmpty()) {
            makeOwn(tasks.getFirst().task().owner(), List.of(pack.directory().resolve(PackFiles.TURNS)));
        }
    }

    private void makeOwn(Submitter owner, List<Path> directories) throws IOException {
        for (Path own : directories) {
            makeDirectory(own, PRIVATE);
            give(own, owner);
        }
    }

    /** The file with the parameters of a sweep's task, where it has any. */
    public Path parameters(Attempt attempt) {
        return of(attempt).resolve(PARAMETERS);
    }

    /** Writes that file, for an attempt that is laid out. */
    public void writeParameters(Attempt attempt, String json) throws IOException {
        write(parameters(attempt), json);
    }

    /** Removes all files of a job; no matter if there are none. */
    public void delete(Job job) throws IOException {
        for (int attempt = 1; attempt <= job.state().attempt(); attempt++) {
            discard(new Attempt(job.id(), attempt));
            Files.deleteIfExists(outputs.track(job.owner(), new Attempt(job.id(), attempt)));
        }
        deleteCheckpoint(job);
        // Last goes what tells that there is something.
        Tree.delete(outputs.ofUser(job.owner().uid()), job.id().toString());
        Tree.delete(directory, job.id().toString());
    }

    private void deleteCheckpoint(Job job) throws IOException {
        Tree.delete(outputs.checkpointsOfUser(job.owner().uid()), job.id().toString());
    }

    /** The number of bytes that the files of a job take; links are not followed. */
    public long size(Job job) throws IOException {
        return Tree.size(of(job.id())) + Tree.size(output(job)) + Tree.size(checkpoint(job));
    }

    /** Removes what the container of an attempt needed; log, output and checkpoints stay. */
    public void discard(Attempt attempt) throws IOException {
        Path place = of(attempt);
        for (String part : PARTS) {
            Tree.delete(place, part);
        }
        Files.deleteIfExists(place);
    }

    /** The attempts for which something is laid out that was not discarded since, in order. */
    public SortedSet<Attempt> laidOut() throws IOException {
        SortedSet<Attempt> attempts = new TreeSet<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(runs)) {
            for (Path run : all) {
                Matcher name = RUN.matcher(run.getFileName().toString());
                if (name.matches()) {
                    attempts.add(
                            new Attempt(new JobId(Long.parseLong(name.group(1))), Integer.parseInt(name.group(2))));
                }
            }
        } catch (NoSuchFileException e) {
            // No job has run yet.
        }
        return attempts;
    }

    private void layOut(Job job, Path workspace) throws IOException {
        String snapshot = job.spec().snapshot();
        if (snapshot.isEmpty()) {
            return;
        }
        Submitter owner = job.owner();
        try {
            snapshots.read(owner.uid(), snapshot, entry -> {
                Path target = workspace.resolve(entry.path());
                layOut(entry, target, owner);
                give(target, owner);
            });
        } catch (InvalidPathException e) {
            throw new IOException("the server's locale has no such file name, start it with LC_ALL=C.UTF-8", e);
        }
    }

    /** A copy, never a second name: the job may write to it. Linux shares the blocks where the file system can. */
    private void layOut(CheckedEntry entry, Path target, Submitter owner) throws IOException {
        switch (entry) {
            case Directory(String _, int mode) -> makeDirectory(target, permissions(mode, true));
            case SymbolicLink(String _, String to) -> Files.createSymbolicLink(target, Path.of(to));
            case RegularFile(String path, int mode, long size, String digest) -> {
                Files.copy(snapshots.content(owner.uid(), digest), target);
                if (Files.size(target) != size) {
                    throw new IOException("the stored content " + digest + " of " + Names.shown(path) + " has "
                            + Files.size(target) + " bytes and not " + size);
                }
                Files.setPosixFilePermissions(target, permissions(mode, false));
            }
        }
    }

    /** The owner's bits as they were, always readable and for directories passable; set-id bits never. */
    private static Set<PosixFilePermission> permissions(int mode, boolean isDirectory) {
        Set<PosixFilePermission> set = Modes.permissions(mode);
        set.add(PosixFilePermission.OWNER_READ);
        set.add(PosixFilePermission.OWNER_WRITE);
        if (isDirectory) {
            set.add(PosixFilePermission.OWNER_EXECUTE);
        }
        return set;
    }

    static void makeDirectory(Path path, Set<PosixFilePermission> permissions) throws IOException {
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(path);
        }
        Files.setPosixFilePermissions(path, permissions);
    }

    /** The kernel's ids are unsigned and have 32 bits; Java hands the bits on as they are. */
    private void give(Path path, Submitter owner) throws IOException {
        if (mayGiveAway) {
            Files.setAttribute(path, "unix:uid", (int) owner.uid(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", (int) owner.gid(), LinkOption.NOFOLLOW_LINKS);
        }
    }

    static void write(Path file, String text) throws IOException {
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
        Files.setPosixFilePermissions(file, READABLE);
    }
}
