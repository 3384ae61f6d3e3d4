package dev.berth.cli.snapshot;

import dev.berth.cli.snapshot.GitCommand.NoAnswer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks git what a directory is, where it lies in a work tree: which commit, which branch, what differs. What does not
 * work out is told to {@code trace} and left out of the snapshot; it never fails a submit.
 */
public final class GitTree {
    /** More of a difference is cut, and its last line says so. */
    static final int MAX_DIFF_BYTES = 1 << 20;

    private static final int MAX_BRANCH = 255;
    private static final String GIT = "git";

    private final GitCommand git;
    private final Consumer<String> trace;

    private GitTree(GitCommand git, Consumer<String> trace) {
        this.git = git;
        this.trace = trace;
    }

    /** Asks git about a directory that is named without symbolic links; starts nothing where there is no work tree. */
    public static Optional<GitCapture> ask(Path directory, Consumer<String> trace) {
        return ask(GIT, directory, trace);
    }

    static Optional<GitCapture> ask(String program, Path directory, Consumer<String> trace) {
        for (Path here = directory; here != null; here = here.getParent()) {
            if (Files.exists(here.resolve(".git"))) {
                return new GitTree(new GitCommand(program, directory), trace).capture();
            }
        }
        return Optional.empty();
    }

    private Optional<GitCapture> capture() {
        try {
            String commit = git.text("rev-parse", "--verify", "--quiet", "HEAD");
            if (!isDigest(commit)) {
                throw new NoAnswer("git names no commit but '" + commit + "'");
            }
            leaveFiltersOut();
            return Optional.of(new GitCapture(commit, branch(), diff()));
        } catch (NoAnswer | IOException failed) {
            trace.accept("git's state is not recorded: " + failed.getMessage());
            return Optional.empty();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private @Nullable String branch() throws IOException, InterruptedException {
        try {
            String name = git.text("symbolic-ref", "--quiet", "--short", "HEAD");
            return isShown(name) ? name : null;
        } catch (NoAnswer detached) {
            return null;
        }
    }

    /** The work tree's own configuration may name programs that rewrite files before they are compared. */
    private void leaveFiltersOut() throws IOException, InterruptedException {
        String[] scopesAndNames;
        try {
            scopesAndNames = git.text("config", "--show-scope", "--null", "--name-only", "--get-regexp", "^filter\\.")
                    .split("\0", -1);
        } catch (NoAnswer none) {
            return;
        }
        for (int at = 0; at + 1 < scopesAndNames.length; at += 2) {
            String scope = scopesAndNames[at];
            String name = scopesAndNames[at + 1];
            if (scope.equals("local") || scope.equals("worktree")) {
                git.set(name, name.endsWith(".required") ? "false" : "");
            }
        }
    }

    private byte[] diff() throws NoAnswer, IOException, InterruptedException {
        byte[] diff = git.bytes(
                MAX_DIFF_BYTES,
                "diff",
                "--no-ext-diff",
                "--no-textconv",
                "--no-color",
                "--ignore-submodules=dirty",
                "HEAD",
                "--",
                ".");
        if (diff.length <= MAX_DIFF_BYTES) {
            return diff;
        }
        trace.accept("git's difference is longer than " + MAX_DIFF_BYTES + " bytes; it is cut");
        ByteArrayOutputStream cut = new ByteArrayOutputStream();
        cut.write(diff, 0, MAX_DIFF_BYTES);
        cut.writeBytes(("\nberth: the difference is cut here, at " + MAX_DIFF_BYTES + " bytes\n")
                .getBytes(StandardCharsets.UTF_8));
        return cut.toByteArray();
    }

    private static boolean isDigest(String text) {
        return (text.length() == 40 || text.length() == 64)
                && text.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    }

    /** The server takes no name that a terminal would not show as it is. */
    private static boolean isShown(String name) {
        return !name.isEmpty()
                && name.length() <= MAX_BRANCH
                && name.codePoints()
                        .allMatch(c -> !Character.isISOControl(c)
                                && Character.getType(c) != Character.FORMAT
                                && Character.getType(c) != Character.SURROGATE
                                && Character.getType(c) != Character.LINE_SEPARATOR
                                && Character.getType(c) != Character.PARAGRAPH_SEPARATOR);
    }
}
