package dev.berth.server;

import dev.berth.server.linux.Capabilities;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The rights of root's that a server needs. All others are taken away before its virtual machine begins; here is only said what
 * is missing, and what is too much.
 */
final class Rights {
    private Rights() {}

    /** A right that a server of root's needs, by its number in linux/capability.h, and what is refused without it. */
    enum Needed {
        CAP_CHOWN(0, "no job starts, because its directories cannot be given to its submitter"),
        CAP_DAC_OVERRIDE(
                1, "the directories of jobs stay on the disk, when they are finished and when they are deleted"),
        CAP_FOWNER(3, "the directories of jobs stay on the disk, when they are finished and when they are deleted"),
        CAP_KILL(5, "programs of berth run are not ended at their time limit or when they are cancelled"),
        CAP_SETGID(6, "no path of the machine is looked at with a submitter's rights, so that mounts are refused"),
        CAP_SETUID(7, "no path of the machine is looked at with a submitter's rights, so that mounts are refused"),
        CAP_SYS_PTRACE(19, "programs of berth run that have left their process tree are not found, and live on"),
        CAP_SYS_ADMIN(21, "mounts are refused");

        private final int number;
        private final String refused;

        Needed(int number, String refused) {
            this.number = number;
            this.refused = refused;
        }

        private long bit() {
            return 1L << number;
        }
    }

    /** For the server of a data directory; a user's own has no rights but that user's. */
    static List<String> warnings(DataDirectory data) {
        try {
            return data.ownerUid() == 0 ? warnings(Capabilities.ofThisProcess()) : List.of();
        } catch (IOException unknown) {
            return List.of("what the server may do cannot be read: " + unknown.getMessage());
        }
    }

    /** The warnings that an operator is to know of a server that root started. */
    static List<String> warnings(Capabilities has) {
        List<String> warnings = new ArrayList<>();
        long surplus = has.bounding();
        for (Needed right : Needed.values()) {
            surplus &= ~right.bit();
            if ((has.effective() & right.bit()) == 0) {
                warnings.add("the server was started without " + right + ": " + right.refused);
            }
        }
        if (surplus != 0) {
            warnings.add("the server has all of root's rights, those that it does not need too: install setpriv and"
                    + " prlimit (util-linux 2.31 or later), and start it again");
        }
        return warnings;
    }
}
