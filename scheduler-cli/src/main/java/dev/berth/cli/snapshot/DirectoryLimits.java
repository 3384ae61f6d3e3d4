package dev.berth.cli.snapshot;

/**
 * Limits on what one directory may hold.
 *
 * @param maxEntries files, directories and links together
 * @param maxBytes of all its files
 */
public record DirectoryLimits(int maxEntries, long maxBytes) {
    private static final long UNIT = 1024;

    public static final DirectoryLimits DEFAULT = new DirectoryLimits(100_000, UNIT * UNIT * UNIT);

    /** Whether something fits here that does not fit there. */
    public boolean isWiderThan(DirectoryLimits other) {
        return maxEntries > other.maxEntries || maxBytes > other.maxBytes;
    }

    /** "17 B", "1.2 MiB". */
    public static String inWords(long bytes) {
        if (bytes < UNIT) {
            return bytes + " B";
        }
        String[] units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
        long amount = bytes;
        int unit = -1;
        long rest = 0;
        while (amount >= UNIT) {
            rest = amount % UNIT;
            amount /= UNIT;
            unit++;
        }
        long tenths = rest * 10 / UNIT;
        return amount + (tenths == 0 ? "" : "." + tenths) + " " + units[unit];
    }
}
