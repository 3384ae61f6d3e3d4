package dev.berth.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The rights of root's that this process has (capabilities(7), {@code /proc/self/status}), and what a server makes of
 * them. They are taken away before its virtual machine begins; here is only said what is missing, and what is too much.
 *
 * @param effective what it may do, a bit each
 * @param bounding what it could ever get
 */
record Rights(long effective, long bounding) {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String EFFECTIVE = "CapEff:";
    private static final String BOUNDING = "CapBnd:";

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
            return data.ownerUid() == 0 ? ofThisProcess().warnings() : List.of();
        } catch (IOException unknown) {
            return List.of("what the server may do cannot be read: " + unknown.getMessage());
        }
    }

    static Rights ofThisProcess() throws IOException {
        List<String> status = Files.readAllLines(STATUS);
        return new Rights(bits(status, EFFECTIVE), bits(status, BOUNDING));
    }

    private static long bits(List<String> status, String name) throws IOException {
        for (String line : status) {
            if (line.startsWith(name)) {
                return Long.parseUnsignedLong(line.substring(name.length()).strip(), 16);
            }
        }
        throw new IOException(STATUS + " has no " + name);
    }

    /** The warnings that an operator is to know of a server that root started. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        long surplus = bounding;
        for (Needed right : Needed.values()) {
            surplus &= ~right.bit();
            if ((effective & right.bit()) == 0) {
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
