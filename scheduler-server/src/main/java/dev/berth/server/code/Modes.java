package dev.berth.server.code;

import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The permission bits of a mode, in both directions; set-id and sticky bits are left out (chmod(2)). */
final class Modes {
    /** From the lowest bit to the highest. */
    private static final List<PosixFilePermission> BITS = List.of(
            PosixFilePermission.OTHERS_EXECUTE,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.OWNER_EXECUTE,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.OWNER_READ);

    private Modes() {}

    static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        for (int bit = 0; bit < BITS.size(); bit++) {
            if ((mode & (1 << bit)) != 0) {
                set.add(BITS.get(bit));
            }
        }
        return set;
    }

    static int mode(Set<PosixFilePermission> permissions) {
        int mode = 0;
        for (PosixFilePermission permission : permissions) {
            mode |= 1 << BITS.indexOf(permission);
        }
        return mode;
    }
}
