package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobOptions;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Submitter;
import dev.berth.server.example.Jobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
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

    private Path place;
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
        place = directory.resolve("jobs/7");
        Files.createDirectories(directory.resolve("jobs"));
        snapshots = new SnapshotStore(Files.createDirectories(directory.resolve("snapshots")));
        workspaces = new Workspaces(directory.resolve("jobs"), snapshots, true);
    }

    private Job job(Tar archive, Submitter owner) throws IOException, SnapshotException {
        return job(snapshots.keep(archive.stream()).snapshot(), owner);
    }

    private static Job job(String snapshot, Submitter owner) {
        JobSpec spec = new JobSpec(
                "train",
                "ships",
                List.of("true"),
                snapshot,
                Jobs.IMAGE,
                GpuRequest.NONE,
                Map.of(),
                null,
                JobOptions.NONE);
        return new Job(ID, spec, owner, Jobs.SUBMITTED, new Queued(1, new ImageState.Pending()));
    }

    private void prepare(Tar archive) throws IOException, SnapshotException {
        workspaces.prepare(job(archive, ADA));
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
        prepare(new Tar().directory("src/").file("src/main.py", "print()").link("latest", "src/main.py"));
        assertThat(in(place)).containsExactly("group", "home", "output", "passwd", "workspace");
        assertThat(owned(place)).isEqualTo("0:0 0711");
        assertThat(owned(place.resolve("workspace"))).isEqualTo("12345:23456 0700");
        assertThat(owned(place.resolve("output"))).isEqualTo("12345:23456 0700");
        assertThat(owned(place.resolve("home"))).isEqualTo("12345:23456 0700");
        assertThat(workspaces.of(ID)).isEqualTo(place);
        assertThat(workspaces.output(ID)).isEqualTo(place.resolve("output"));
    }

    @Test
    void theWorkspaceIsTheSnapshotAndTheSubmittersOwn() throws Exception {
        prepare(new Tar().directory("src/").file("src/main.py", "print()").link("latest", "src/main.py"));
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
        prepare(new Tar());
        assertThat(place.resolve("passwd")).hasContent(UserDatabase.passwd(ADA).stripTrailing());
        assertThat(place.resolve("group")).hasContent(UserDatabase.group(ADA).stripTrailing());
        assertThat(owned(place.resolve("passwd"))).isEqualTo("0:0 0644");
        assertThat(owned(place.resolve("group"))).isEqualTo("0:0 0644");
    }

    @ParameterizedTest
    @CsvSource({
        "644,0644",
        "755,0755",
        "0,0600",
        "777,0777",
        "444,0644",
        "100,0700",
        "4755,0755",
        "2755,0755",
        "7777,0777"
    })
    void aFileKeepsItsModeButNoSetIdBits(String mode, String kept) throws Exception {
        prepare(new Tar().file("f", "x", Integer.parseInt(mode, 8)));
        assertThat(owned(place.resolve("workspace/f"))).isEqualTo("12345:23456 " + kept);
    }

    @ParameterizedTest
    @CsvSource({"755,0755", "0,0700", "555,0755", "1777,0777", "2775,0775", "6700,0700"})
    void aDirectoryKeepsItsModeButStaysUsable(String mode, String kept) throws Exception {
        prepare(new Tar().directory("d/", Integer.parseInt(mode, 8)).file("d/f", "x"));
        assertThat(owned(place.resolve("workspace/d"))).isEqualTo("12345:23456 " + kept);
        assertThat(place.resolve("workspace/d/f")).hasContent("x");
    }

    @Test
    void directoriesThatTheArchiveDoesNotNameAreMade() throws Exception {
        prepare(new Tar().file("a/b/c", "x").directory("a/", 0750));
        assertThat(place.resolve("workspace/a/b/c")).hasContent("x");
        assertThat(owned(place.resolve("workspace/a"))).isEqualTo("12345:23456 0750");
        assertThat(owned(place.resolve("workspace/a/b"))).isEqualTo("12345:23456 0700");
    }

    @Test
    void namesOutsideAsciiAndLongOnesAreLaidOut() throws Exception {
        String ship = "\u4e16/\u00fc\ud83d\udea2";
        prepare(new Tar()
                .pax("path", ship)
                .file("n", "x")
                .pax("path", "n".repeat(255))
                .file("n", "y"));
        assertThat(place.resolve("workspace").resolve(ship)).hasContent("x");
        assertThat(place.resolve("workspace").resolve("n".repeat(255))).hasContent("y");
    }

    @Test
    void aLaterAttemptStartsAfreshButItsOutputStays() throws Exception {
        Job job = job(new Tar().file("main.py", "print()"), ADA);
        workspaces.prepare(job);
        Files.writeString(place.resolve("workspace/main.py"), "changed");
        Files.writeString(place.resolve("workspace/scratch"), "left");
        Files.writeString(place.resolve("home/.cache"), "left");
        Files.writeString(place.resolve("output/model"), "result");
        Files.writeString(place.resolve("passwd"), "changed");
        workspaces.prepare(job);
        assertThat(in(place.resolve("workspace"))).containsExactly("main.py");
        assertThat(place.resolve("workspace/main.py")).hasContent("print()");
        assertThat(in(place.resolve("home"))).isEmpty();
        assertThat(place.resolve("output/model")).hasContent("result");
        assertThat(place.resolve("passwd")).hasContent(UserDatabase.passwd(ADA).stripTrailing());
    }

    @Test
    void whatAnEarlierAttemptLeftIsNeverFollowedOutside() throws Exception {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.writeString(outside.resolve("precious"), "mine");
        Job job = job(new Tar().file("main.py", "print()"), ADA);
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
        Files.writeString(place.resolve("log"), "said");
        prepare(new Tar().file("main.py", "print()"));
        Files.writeString(place.resolve("output/model"), "result");
        workspaces.discard(ID);
        assertThat(in(place)).containsExactly("log", "output");
        assertThat(place.resolve("output/model")).hasContent("result");
        workspaces.discard(ID);
        workspaces.discard(new JobId(99));
        assertThat(in(place)).containsExactly("log", "output");
    }

    @Test
    void othersMayPassThroughAJobsDirectoryAndNotLookAround() throws Exception {
        workspaces.open(ID);
        assertThat(owned(place)).isEqualTo("0:0 0711");
    }

    @Test
    void idsBeyondThoseOfJavaAreGivenToo() throws Exception {
        Submitter far = new Submitter(4_294_967_294L, 3_000_000_000L, List.of(), "far");
        workspaces.prepare(job(new Tar().file("f", "x"), far));
        assertThat(owned(place.resolve("workspace/f")))
                .isEqualTo((int) 4_294_967_294L + ":" + (int) 3_000_000_000L + " 0644");
    }

    @Test
    void aServerThatIsNotRootGivesNothingAway() throws Exception {
        workspaces = new Workspaces(directory.resolve("jobs"), snapshots, false);
        prepare(new Tar().file("f", "x", 04755));
        assertThat(owned(place.resolve("workspace/f"))).isEqualTo("0:0 0755");
        assertThat(owned(place.resolve("output"))).isEqualTo("0:0 0700");
    }

    @Test
    void aSnapshotThatIsGoneIsSaid() {
        assertThatThrownBy(() -> workspaces.prepare(job("0".repeat(64), ADA))).isInstanceOf(IOException.class);
    }

    /** Whatever got into the store is looked at again. */
    @Test
    void aStoredArchiveIsNotTrusted() throws Exception {
        String digest = "0".repeat(64);
        Files.write(snapshots.file(digest), new Tar().file("../../../evil", "x").bytes());
        assertThatThrownBy(() -> workspaces.prepare(job(digest, ADA)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is broken: '../../../evil' leads out");
        assertThat(directory.resolve("evil")).doesNotExist();

        Files.write(
                snapshots.file(digest),
                new Tar().link("l", "../../..").file("l/evil", "x").bytes());
        assertThatThrownBy(() -> workspaces.prepare(job(digest, ADA)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("lies below");
        assertThat(directory.resolve("evil")).doesNotExist();
    }
}
