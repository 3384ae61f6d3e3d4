package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * The state of a submitted directory in git's words, where it lies in a work tree.
 *
 * @param commit the commit that was checked out, 40 or 64 hexadecimal digits
 * @param branch the branch that was checked out; null where none was
 * @param dirty whether a tracked file below the directory differed from the commit
 * @param diff the SHA-256 of that difference as {@code git diff} writes it, which is kept as content; null for none
 */
public record GitView(
        String commit,
        @Nullable String branch,
        boolean dirty,
        @Nullable String diff) {}
