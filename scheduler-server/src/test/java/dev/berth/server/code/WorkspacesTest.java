package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The directories of jobs on a real file system, given to other users. */
class WorkspacesTest {
    private static final int PERMISSION_BITS = 07777;
    private static final Submitter ADA = new Submitter(12_345, 23_456, List.of(27L), "ada");
    private static final JobId ID = new JobId(7);

    @TempDir
    private Path directory;

    private Path kept;
    private Path place;
    private Path output;
    private Path checkpoint;
    private SnapshotStore snapshots;
    private Workspaces workspaces;

    @BeforeAll
    static void requireRoot() {
        assertThat(new UnixSystem().getUid())
                .as("these tests give files to other users, which only root may do: run them as root")
                .isZero();
    }

    @BeforeEach
    void open() throws IOException {
        kept = directory.resolve("jobs/7");
        place = directory.resolve("runs/7.1");
        output = directory.resolve("users/12345/output/7");
        checkpoint = directory.resolve("users/12345/checkpoint/7");
        Files.createDirectories(directory.resolve("jobs"));
        snapshots = new SnapshotStore(
                Files.createDirectories(directory.resolve("snapshots")),
                UploadLimits.DEFAULT,
                InstantSource.fixed(Jobs.SUBMITTED));
        workspaces = new Workspaces(directory.resolve("jobs"), snapshots, true);
    }

    private Job job(Draft draft, Submitter owner) throws IOException, SnapshotException {
        return job(draft.uploadTo(snapshots, owner.uid()), owner);
    }

    private static Job job(String snapshot, Submitter owner) {
        JobSpec spec = Jobs.with(Jobs.spec(0), InContainer.of(snapshot, Jobs.IMAGE));
        return new Job(ID, spec, owner, Jobs.SUBMITTED, new Queued(1, new ImageState.Pending()));
    }

    private void prepare(Draft draft) throws IOException, SnapshotException {
        workspaces.prepare(job(draft, ADA));
    }

    /** Owner, group and mode, as ls(1) would show them for the path itself. */
    private static String owned(Path path) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(path, "unix:uid,gid,mode", LinkOption.NOFOLLOW_LINKS);
        int mode = (int) attributes.getOrDefault("mode", 0) & PERMISSION_BITS;
        return "%s:%s %04o".formatted(attributes.get("uid"), attributes.get("gid"), mode);
    }

    private static List<String> in(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aJobHasWorkspaceOutputAndHomeOfItsOwn() throws Exception {
        prepare(new Draft().directory("src").file("src/main.py", "print()").link("latest", "src/main.py"));
        assertThat(in(place)).containsExactly("group", "home", "passwd", "workspace");
        assertThat(owned(place)).isEqualTo("0:0 0700");
        assertThat(owned(place.resolve("workspace"))).isEqualTo("12345:23456 0700");
        assertThat(owned(output)).isEqualTo("12345:23456 0700");
        assertThat(owned(place.resolve("home"))).isEqualTo("12345:23456 0700");
        assertThat(owned(directory.resolve("runs"))).isEqualTo("0:0 0700");
        assertThat(workspaces.of(ID)).isEqualTo(kept);
        assertThat(workspaces.of(new Attempt(ID, 1))).isEqualTo(place);
        assertThat(workspaces.output(job("", ADA))).isEqualTo(output);
        assertThat(workspaces.checkpoint(job("", ADA))).isEqualTo(checkpoint);
        assertThat(owned(checkpoint)).isEqualTo("12345:23456 0700");
    }

    @Test
    void theWorkspaceIsTheSnapshotAndTheSubmittersOwn() throws Exception {
        prepare(new Draft().directory("src").file("src/main.py", "print()").link("latest", "src/main.py"));
        Path workspace = place.resolve("workspace");
        assertThat(in(workspace)).containsExactly("latest", "src");
        assertThat(workspace.resolve("src/main.py")).hasContent("print()");
        assertThat(Files.readSymbolicLink(workspace.resolve("latest"))).isEqualTo(Path.of("src/main.py"));
        assertThat(owned(workspace.resolve("src"))).isEqualTo("12345:23456 0755");
        assertThat(owned(workspace.resolve("src/main.py"))).isEqualTo("12345:23456 0644");
        assertThat(owned(workspace.resolve("latest"))).startsWith("12345:23456 ");
    }

    @Test
    void theContainersUserDatabaseIsReadableAndNotTheSubmitters() throws Exception {
        prepare(new Draft());
        assertThat(place.resolve("passwd")).hasContent(UserDatabase.passwd(ADA).stripTrailing());
        assertThat(place.resolve("group")).hasContent(UserDatabase.group(ADA).stripTrailing());
        assertThat(owned(place.resolve("passwd"))).isEqualTo("0:0 0644");
        assertThat(owned(place.resolve("group"))).isEqualTo("0:0 0644");
    }

    @ParameterizedTest
    @CsvSource({"644,0644", "755,0755", "0,0600", "777,0777", "444,0644", "100,0700"})
    void aFileKeepsItsModeAndIsAlwaysItsOwners(String mode, String kept) throws Exception {
        prepare(new Draft().file("f", "x", Integer.parseInt(mode, 8)));
        assertThat(owned(place.resolve("workspace/f"))).isEqualTo("12345:23456 " + kept);
    }

    @ParameterizedTest
    @CsvSource({"755,0755", "0,0700", "555,0755", "777,0777"})
    void aDirectoryKeepsItsModeButStaysUsable(String mode, String kept) throws Exception {
        prepare(new Draft().directory("d", Integer.parseInt(mode, 8)).file("d/f", "x"));
        assertThat(owned(place.resolve("workspace/d"))).isEqualTo("12345:23456 " + kept);
        assertThat(place.resolve("workspace/d/f")).hasContent("x");
    }

    @Test
    void namesOutsideAsciiAndLongOnesAreLaidOut() throws Exception {
        String ship = "\u4e16/\u00fc\ud83d\udea2";
        prepare(new Draft().directory("\u4e16").file(ship, "x").file("n".repeat(255), "y"));
        assertThat(place.resolve("workspace").resolve(ship)).hasContent("x");
        assertThat(place.resolve("workspace").resolve("n".repeat(255))).hasContent("y");
    }

    @Test
    void aLaterAttemptStartsAfreshButItsOutputStays() throws Exception {
        Job job = job(new Draft().file("main.py", "print()"), ADA);
        workspaces.prepare(job);
        Files.writeString(place.resolve("workspace/main.py"), "changed");
        Files.writeString(place.resolve("workspace/scratch"), "left");
        Files.writeString(place.resolve("home/.cache"), "left");
        Files.writeString(output.resolve("model"), "result");
        Files.writeString(place.resolve("passwd"), "changed");
        workspaces.prepare(job);
        assertThat(in(place.resolve("workspace"))).containsExactly("main.py");
        assertThat(place.resolve("workspace/main.py")).hasContent("print()");
        assertThat(in(place.resolve("home"))).isEmpty();
        assertThat(output.resolve("model")).hasContent("result");
        assertThat(place.resolve("passwd")).hasContent(UserDatabase.passwd(ADA).stripTrailing());
    }

    private static Job attempt(Job job, int number) {
        return job.with(new Queued(number, new ImageState.Pending()));
    }

    @Test
    void whatAJobKeepsForItsLaterAttemptsIsThereInThemAndEmptyInTheFirst() throws Exception {
        Job job = job("", ADA);
        Files.createDirectories(checkpoint);
        Files.writeString(checkpoint.resolve("epoch"), "of a job of that number in a database that was replaced");
        workspaces.prepare(job);
        assertThat(in(checkpoint)).isEmpty();
        Files.writeString(checkpoint.resolve("epoch"), "3");
        for (int number = 2; number <= 3; number++) {
            workspaces.discard(new Attempt(ID, number - 1));
            workspaces.prepare(attempt(job, number));
            assertThat(checkpoint.resolve("epoch")).hasContent("3");
            assertThat(owned(checkpoint)).isEqualTo("12345:23456 0700");
        }
    }

    @Test
    void linksInWhatAJobKeepsAreNeverFollowedOutside() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("precious"), "mine");
        Job job = job("", ADA);
        workspaces.prepare(job);
        Files.createSymbolicLink(checkpoint.resolve("out"), outside);
        workspaces.prepare(attempt(job, 2));
        workspaces.prepare(job);
        assertThat(in(checkpoint)).isEmpty();
        Files.createSymbolicLink(checkpoint.resolve("out"), outside);
        workspaces.delete(job);
        assertThat(in(outside)).containsExactly("precious");
        assertThat(owned(outside)).startsWith("0:0 ");
    }

    @Test
    void anAttemptHasAFileToTellInWhichOnlyItsSubmitterReachesAndNobodyReplaces() throws Exception {
        Path track = directory.resolve("users/12345/track/7.1");
        Job job = job("", ADA);
        workspaces.prepare(job);
        assertThat(workspaces.track(job)).isEqualTo(track);
        assertThat(owned(track)).isEqualTo("12345:23456 0600");
        assertThat(owned(track.resolveSibling("."))).isEqualTo("0:0 0711");
        Files.writeString(track, "of a start that broke off");
        workspaces.prepare(job);
        assertThat(track).isEmptyFile();
        workspaces.prepare(attempt(job, 2));
        assertThat(workspaces.tracks()).containsOnlyKeys(new Attempt(ID, 1), new Attempt(ID, 2));
        workspaces.delete(attempt(job, 2));
        assertThat(workspaces.tracks()).isEmpty();
    }

    @Test
    void whatAnEarlierAttemptLeftIsNeverFollowedOutside() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("precious"), "mine");
        Job job = job(new Draft().file("main.py", "print()"), ADA);
        workspaces.prepare(job);
        Tree.delete(place, "workspace");
        Files.createSymbolicLink(place.resolve("workspace"), outside);
        Files.createSymbolicLink(place.resolve("home/out"), outside);
        workspaces.prepare(job);
        assertThat(in(outside)).containsExactly("precious");
        assertThat(owned(outside)).startsWith("0:0 ");
        assertThat(place.resolve("workspace/main.py")).hasContent("print()");
    }

    @Test
    void discardLeavesLogAndOutput() throws Exception {
        workspaces.open(ID);
        Files.writeString(kept.resolve("log"), "said");
        prepare(new Draft().file("main.py", "print()"));
        Files.writeString(output.resolve("model"), "result");
        workspaces.discard(new Attempt(ID, 1));
        assertThat(place).doesNotExist();
        assertThat(output.resolve("model")).hasContent("result");
        workspaces.discard(new Attempt(ID, 1));
        workspaces.discard(new Attempt(new JobId(99), 1));
        assertThat(in(kept)).containsExactly("log");
    }

    @Test
    void whatIsLaidOutIsKnownUntilItIsDiscarded() throws Exception {
        assertThat(workspaces.laidOut()).isEmpty();
        prepare(new Draft().file("main.py", "print()"));
        Files.createDirectory(directory.resolve("runs/lost+found"));
        Files.createDirectory(directory.resolve("runs/99999999999999999999.1"));
        assertThat(workspaces.laidOut()).containsExactly(new Attempt(ID, 1));
        Tree.delete(place, "home");
        assertThat(workspaces.laidOut()).as("a part of it").containsExactly(new Attempt(ID, 1));
        workspaces.discard(new Attempt(ID, 1));
        assertThat(workspaces.laidOut()).isEmpty();
    }

    @Test
    void whatAnOlderBerthLaidOutBesideTheLogIsTakenOver() throws Exception {
        Files.createDirectories(kept.resolve("workspace/src"));
        Files.writeString(kept.resolve("passwd"), "ada");
        Files.writeString(kept.resolve("log.0"), "said");
        Files.createDirectories(directory.resolve("jobs/8"));
        workspaces.takeOver();
        assertThat(in(kept)).containsExactly("log.0");
        assertThat(in(place)).containsExactly("passwd", "workspace");
        assertThat(workspaces.laidOut()).containsExactly(new Attempt(ID, 1));
        Files.createDirectories(kept.resolve("home"));
        workspaces.takeOver();
        assertThat(in(kept)).as("once").containsExactly("home", "log.0");
    }

    @Test
    void anAttemptLeavesTheFilesOfAnotherAlone() throws Exception {
        prepare(new Draft().file("main.py", "print()"));
        workspaces.discard(new Attempt(ID, 2));
        assertThat(in(place)).containsExactly("group", "home", "passwd", "workspace");
    }

    @Test
    void theServerAloneReachesAJobsDirectory() throws Exception {
        workspaces.open(ID);
        assertThat(owned(kept)).isEqualTo("0:0 0700");
    }

    @Test
    void itsUserReachesAnOutputAndOthersDoNotSeeThatItIsThere() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        prepare(new Draft());
        assertThat(owned(directory.resolve("users"))).isEqualTo("0:0 0711");
        assertThat(owned(directory.resolve("users/12345"))).isEqualTo("0:0 0710");
        assertThat(owned(directory.resolve("users/12345/output"))).isEqualTo("0:0 0711");
        assertThat(owned(directory.resolve("users/12345/checkpoint"))).isEqualTo("0:0 0711");
        assertThat(looks(ADA, checkpoint)).isTrue();
        assertThat(looks(new Submitter(54_321, ADA.gid(), List.of(), "bob"), checkpoint))
                .isFalse();

        assertThat(looks(ADA, output)).as("the submitter").isTrue();
        assertThat(looks(new Submitter(54_321, ADA.gid(), List.of(), "bob"), output))
                .as("somebody of the same group")
                .isFalse();
        assertThat(looks(new Submitter(54_321, 0, List.of(), "bob"), output.resolveSibling(".")))
                .as("somebody of root's group")
                .isFalse();
        assertThat(looks(new Submitter(54_321, 54_321, List.of(), "bob"), directory.resolve("users/12345")))
                .as("what is told: that this user has had a job here")
                .isTrue();
    }

    /** Everybody may look at the directory that leads to a user's outputs: when it changed is when that user's job started. */
    @Test
    void nothingThatOthersMayLookAtChangesWithAJob() throws Exception {
        prepare(new Draft());
        Object changed = Files.getAttribute(directory.resolve("users/12345"), "unix:ctime");
        Object changedAbove = Files.getAttribute(directory.resolve("users"), "unix:ctime");
        prepare(new Draft());
        assertThat(Files.getAttribute(directory.resolve("users/12345"), "unix:ctime"))
                .isEqualTo(changed);
        assertThat(Files.getAttribute(directory.resolve("users"), "unix:ctime")).isEqualTo(changedAbove);
    }

    /** Whether that user can ask the kernel about a path, whatever rights it has. */
    private static boolean looks(Submitter user, Path path) throws Exception {
        return new ProcessBuilder(
                                "setpriv",
                                "--reuid=" + user.uid(),
                                "--regid=" + user.gid(),
                                "--clear-groups",
                                "stat",
                                path.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    @Test
    void outputsOfAnOlderBerthAreBroughtIntoTheirPlaces() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        Path jobs = directory.resolve("jobs");
        Files.setPosixFilePermissions(jobs, PosixFilePermissions.fromString("rwx--x--x"));
        Path old = Files.createDirectories(kept.resolve("output"));
        Files.writeString(old.resolve("model"), "result");
        Files.setAttribute(old, "unix:uid", (int) ADA.uid());
        Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(kept.resolve("log.0"), "said");
        Files.createDirectories(jobs.resolve("8"));
        Files.createSymbolicLink(jobs.resolve("8/output"), directory);

        workspaces.takeOver();
        workspaces.takeOver();

        assertThat(output.resolve("model")).hasContent("result");
        assertThat(looks(ADA, output)).isTrue();
        assertThat(in(kept)).containsExactly("log.0");
        assertThat(in(jobs.resolve("8"))).as("no link is followed").containsExactly("output");
        assertThat(owned(jobs)).isEqualTo("0:0 0700");
    }

    @Test
    void aMoveThatBrokeOffIsGoneOnWith() throws Exception {
        prepare(new Draft());
        Path jobs = directory.resolve("jobs");
        Files.setPosixFilePermissions(jobs, PosixFilePermissions.fromString("rwx--x--x"));
        Files.createDirectories(jobs.resolve("9/output"));

        workspaces.takeOver();

        assertThat(output).isDirectory();
        assertThat(directory.resolve("users/0/output/9")).isDirectory();
        assertThat(owned(jobs)).isEqualTo("0:0 0700");
    }

    @Test
    void whatWasRestoredWithoutItsAccessListsGetsThemAgain() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        prepare(new Draft());
        Files.setPosixFilePermissions(directory.resolve("users/12345"), PosixFilePermissions.fromString("rwx------"));
        assertThat(looks(ADA, output)).isFalse();

        workspaces.takeOver();

        assertThat(looks(ADA, output)).isTrue();
    }

    @Test
    void nothingIsLeftOfAJobThatIsDeleted() throws Exception {
        Job job = job("", ADA);
        workspaces.prepare(job);
        Files.writeString(output.resolve("model"), "result");
        assertThat(workspaces.size(job)).isGreaterThan(5);
        long before = workspaces.size(job);
        Files.writeString(checkpoint.resolve("epoch"), "x".repeat(100_000));
        assertThat(workspaces.size(job)).isGreaterThanOrEqualTo(before + 100_000);
        workspaces.delete(job);
        assertThat(output).doesNotExist();
        assertThat(checkpoint).doesNotExist();
        assertThat(place).doesNotExist();
    }

    @Test
    void idsBeyondThoseOfJavaAreGivenToo() throws Exception {
        Submitter far = new Submitter(4_294_967_294L, 3_000_000_000L, List.of(), "far");
        workspaces.prepare(job(new Draft().file("f", "x"), far));
        assertThat(owned(place.resolve("workspace/f")))
                .isEqualTo((int) 4_294_967_294L + ":" + (int) 3_000_000_000L + " 0644");
    }

    @Test
    void aServerThatIsNotRootGivesNothingAway() throws Exception {
        workspaces = new Workspaces(directory.resolve("jobs"), snapshots, false);
        prepare(new Draft().file("f", "x", 0755));
        assertThat(owned(place.resolve("workspace/f"))).isEqualTo("0:0 0755");
        assertThat(owned(output)).isEqualTo("0:0 0700");
    }

    @Test
    void aSnapshotThatIsGoneIsSaid() {
        assertThatThrownBy(() -> workspaces.prepare(job("0".repeat(64), ADA))).isInstanceOf(IOException.class);
    }

    @Test
    void aJobWithoutASnapshotHasAnEmptyWorkspace() throws Exception {
        workspaces.prepare(job("", ADA));
        assertThat(in(place)).containsExactly("group", "home", "passwd", "workspace");
        assertThat(in(place.resolve("workspace"))).isEmpty();
        assertThat(owned(place.resolve("workspace"))).isEqualTo("12345:23456 0700");
    }

    @Test
    void aSnapshotIsThereForItsOwnerOnly() throws Exception {
        String id = new Draft().file("f", "x").uploadTo(snapshots, ADA.uid());
        Submitter bob = new Submitter(54_321, 54_321, List.of(), "bob");
        assertThatThrownBy(() -> workspaces.prepare(job(id, bob))).isInstanceOf(IOException.class);
    }

    @Test
    void whatAJobWritesDoesNotReachTheStore() throws Exception {
        Draft draft = new Draft().file("f", "x").file("g", "x");
        prepare(draft);
        Files.writeString(place.resolve("workspace/f"), "changed");
        assertThat(snapshots.content(ADA.uid(), Draft.digest("x"))).hasContent("x");
        assertThat(place.resolve("workspace/g")).hasContent("x");
        assertThat(owned(snapshots.content(ADA.uid(), Draft.digest("x")))).isEqualTo("0:0 0600");
    }

    /** Whatever got into the store is looked at again. */
    @Test
    void aStoredManifestIsNotTrusted() throws Exception {
        String id = new Draft().file("f", "x").uploadTo(snapshots, ADA.uid());
        Path manifest = snapshots.manifest(ADA.uid(), id);
        Files.write(manifest, new Draft().file("../../../evil", "x").bytes());
        assertThatThrownBy(() -> workspaces.prepare(job(id, ADA)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is broken: '../../../evil' is no plain path below the directory");
        Files.write(
                manifest, new Draft().link("l", "../../..").file("l/evil", "x").bytes());
        assertThatThrownBy(() -> workspaces.prepare(job(id, ADA)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'l/evil' lies below something that the manifest does not name as a directory");
        Files.write(manifest, new Draft().file("g", "x").bytes());
        assertThatThrownBy(() -> workspaces.prepare(job(id, ADA)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("its manifest is not what was uploaded");
        assertThat(in(place.resolve("workspace"))).isEmpty();
        assertThat(directory.resolve("evil")).doesNotExist();
    }

    @Test
    void aContentThatWasCutIsSaid() throws Exception {
        String id = new Draft().file("f", "x").uploadTo(snapshots, ADA.uid());
        Files.writeString(snapshots.content(ADA.uid(), Draft.digest("x")), "");
        assertThatThrownBy(() -> workspaces.prepare(job(id, ADA)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("of f has 0 bytes and not 1");
    }
}
