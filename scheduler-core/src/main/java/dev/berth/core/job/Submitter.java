package dev.berth.core.job;

import java.util.List;

/**
 * The Unix user a job belongs to and runs as, as the kernel and the user database named them at submit.
 *
 * @param uid numeric user id
 * @param gid numeric primary group id
 * @param groups numeric supplementary group ids, without {@code gid}
 * @param name login name, or the number where the user database has none
 */
public record Submitter(long uid, long gid, List<Long> groups, String name) {
    /** The largest id Linux knows; 2^32-1 means "none". */
    private static final long MAX_ID = 4_294_967_294L;

    public Submitter {
        groups = List.copyOf(groups);
        if (!isId(uid) || !isId(gid) || !groups.stream().allMatch(Submitter::isId)) {
            throw new IllegalArgumentException("no such user or group id: " + uid + ":" + gid + " in " + groups);
        }
    }

    private static boolean isId(long id) {
        return id >= 0 && id <= MAX_ID;
    }

    public boolean isRoot() {
        return uid == 0;
    }
}
