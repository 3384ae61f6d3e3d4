package dev.berth.cli.snapshot;

import dev.berth.core.api.GitView;
import org.jspecify.annotations.Nullable;

/** The state of a directory in git's words, with the bytes of the difference that it found. */
public final class GitCapture {
    private final GitView view;
    private final byte[] diff;

    /**
     * A capture.
     *
     * @param branch null where no branch is checked out
     * @param diff the difference of tracked files below the directory from the commit; empty for none
     */
    GitCapture(String commit, @Nullable String branch, byte[] diff) {
        boolean isDirty = diff.length > 0;
        this.view = new GitView(commit, branch, isDirty, isDirty ? Snapshot.digest(diff) : null);
        this.diff = diff;
    }

    GitView view() {
        return view;
    }

    byte[] diff() {
        return diff;
    }
}
