package dev.berth.cli.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.GitView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is asked of a real git, in honest and in hostile work trees. */
class GitTreeTest {
    @TempDir
    private Path outside;

    private Project project;
    private final List<String> traces = new ArrayList<>();

    @BeforeEach
    void make() throws Exception {
        project = new Project(Project.in(outside).path().toRealPath());
        project.write("a.py", "one\n");
        project.write("sub/b.py", "two\n");
        run("git init -q -b main . && git add . && git commit -q -m first");
    }

    private String run(String script) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", script)
                .directory(project.path().toFile())
                .redirectErrorStream(true);
        builder.environment().put("GIT_AUTHOR_NAME", "a");
        builder.environment().put("GIT_AUTHOR_EMAIL", "a@b");
        builder.environment().put("GIT_COMMITTER_NAME", "a");
        builder.environment().put("GIT_COMMITTER_EMAIL", "a@b");
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return out.strip();
    }

    private Optional<GitCapture> ask(String below) {
        return GitTree.ask(project.path().resolve(below).normalize(), traces::add);
    }

    private GitView view(String below) {
        return ask(below).orElseThrow().view();
    }

    private String diff(String below) {
        return new String(ask(below).orElseThrow().diff(), StandardCharsets.UTF_8);
    }

    @Test
    void aCleanTreeHasACommitAndABranch() throws Exception {
        project.write("untracked", "x");
        assertThat(view("")).isEqualTo(new GitView(run("git rev-parse HEAD"), "main", false, null));
        assertThat(traces).isEmpty();
    }

    @Test
    void aChangedTreeHasADifference() throws Exception {
        project.write("a.py", "other\n");
        assertThat(view("").dirty()).isTrue();
        assertThat(diff("")).contains("-one\n+other\n");
        assertThat(view("").diff()).isEqualTo(Snapshot.digest(diff("").getBytes(StandardCharsets.UTF_8)));
        run("git add a.py");
        assertThat(diff("")).as("also what is staged").contains("-one\n+other\n");
    }

    @Test
    void theDifferenceIsThatOfTheSubmittedDirectory() throws Exception {
        project.write("a.py", "other\n");
        assertThat(view("sub").dirty()).isFalse();
        project.write("sub/b.py", "changed\n");
        assertThat(diff("sub")).contains("-two\n+changed\n").doesNotContain("other");
    }

    @Test
    void noBranchIsNoTrouble() throws Exception {
        run("git checkout -q --detach");
        assertThat(view("").branch()).isNull();
    }

    @Test
    void aLongDifferenceIsCutAndSaysSo() throws Exception {
        project.write("a.py", "line\n".repeat(400_000));
        assertThat(ask("").orElseThrow().diff()).hasSizeBetween(1 << 20, (1 << 20) + 1024);
        assertThat(diff("")).endsWith("\nberth: the difference is cut here, at 1048576 bytes\n");
        assertThat(traces).contains("git's difference is longer than 1048576 bytes; it is cut");
    }

    @Test
    void whereThereIsNoTreeNothingIsAsked() {
        assertThat(GitTree.ask("/no/such/git", outside, traces::add)).isEmpty();
        assertThat(traces).isEmpty();
    }

    @Test
    void aGitThatFailsIsATraceAndNothingMore() throws Exception {
        assertThat(GitTree.ask("/no/such/git", project.path(), traces::add)).isEmpty();
        Files.writeString(project.path().resolve(".git/HEAD"), "broken");
        assertThat(ask("")).isEmpty();
        assertThat(traces).hasSize(2).allMatch(line -> line.startsWith("git's state is not recorded: "));
    }

    @Test
    void aTreeWithoutACommitIsATraceAndNothingMore() throws Exception {
        run("rm -r .git && git init -q .");
        assertThat(ask("")).isEmpty();
        assertThat(traces).hasSize(1);
    }

    /** Each of these would leave a file behind, were it run. */
    @Test
    void nothingIsRunThatTheTreeNames() throws Exception {
        Path program = Files.writeString(outside.resolve("program"), "#!/bin/sh\ntouch " + outside + "/ran\ncat\n");
        run("chmod +x " + program);
        String set = "git config ";
        run(set + "core.fsmonitor " + program + " && " + set + "diff.external " + program + " && " + set + "core.pager "
                + program + " && " + set + "filter.evil.clean " + program + " && " + set + "filter.a=b.clean " + program
                + " && " + set + "filter.evil.required true && " + set + "diff.evil.textconv " + program + " && " + set
                + "diff.evil.command " + program);
        Files.writeString(
                project.path().resolve(".gitattributes"),
                "a.py filter=evil diff=evil\nsub/b.py filter=a=b diff=evil\n");
        project.write("a.py", "other\n");
        project.write("sub/b.py", "other\n");
        assertThat(diff("")).contains("-one\n+other\n", "-two\n+other\n");
        assertThat(outside.resolve("ran")).doesNotExist();
        run("git diff HEAD </dev/null >/dev/null 2>&1 || true");
        assertThat(outside.resolve("ran")).as("the trap works").exists();
    }

    @Test
    void variablesOfGitsOwnDoNotReachIt() throws Exception {
        Path wrapper = Files.writeString(
                outside.resolve("git"), "#!/bin/sh\nenv | grep ^GIT_ >> " + outside + "/variables\nexec git \"$@\"\n");
        run("chmod +x " + wrapper);
        assertThat(GitTree.ask(wrapper.toString(), project.path(), traces::add)).isPresent();
        assertThat(Files.readAllLines(outside.resolve("variables")))
                .contains("GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
                .noneMatch(line -> line.startsWith("GIT_DIR") || line.startsWith("GIT_INDEX_FILE"));
    }

    @Test
    void theStateIsPartOfTheManifest() throws Exception {
        project.write("a.py", "other\n");
        Snapshot snapshot = Snapshot.of(project.plan(), ask(""), Progress.NONE);
        GitView git = view("");
        String digest = String.valueOf(git.diff());
        assertThat(Project.manifest(snapshot))
                .startsWith("{\"version\":1,\"git\":{\"commit\":\"" + git.commit()
                        + "\",\"branch\":\"main\",\"dirty\":true,\"diff\":\"" + digest + "\"},\"entries\":[\n");
        assertThat(snapshot.has(digest)).isTrue();
        assertThat(Project.contents(snapshot, digest)).startsWith(digest + " ").contains("-one\n+other\n");
    }
}
