package dev.berth.server.code;

import java.util.Optional;

/**
 * The state of a submitted directory as git said it.
 *
 * @param commit the commit that was checked out
 * @param branch the branch that was checked out, if there was one
 * @param dirty whether a tracked file differed from the commit
 * @param diffDigest the digest of that difference, which is kept as content, if there was one
 */
public record GitState(String commit, Optional<String> branch, boolean dirty, Optional<String> diffDigest) {
    /** The longest difference that is taken, in bytes: 1 MiB, and the line that says that it was cut. */
    static final long MAX_DIFF_BYTES = (1L << 20) + 1024;
}
