package dev.berth.server.code;

/**
 * Limits on how much of everything a snapshot may have, and a user may keep.
 *
 * @param manifestBytes of one manifest
 * @param entries files, directories and links of one snapshot
 * @param bytes of all files of one snapshot
 * @param quotaBytes on the disk, of all snapshots of one user
 * @param missing how many digests one answer names
 */
public record UploadLimits(long manifestBytes, int entries, long bytes, long quotaBytes, int missing) {
    public static final UploadLimits DEFAULT = new UploadLimits(32L << 20, 100_000, 1L << 30, 20L << 30, 10_000);

    /** The default with other bounds of what people submit. */
    public static UploadLimits of(int entries, long bytes, long quotaBytes) {
        return new UploadLimits(DEFAULT.manifestBytes, entries, bytes, quotaBytes, DEFAULT.missing);
    }

    private static final long KIB = 1L << 10;

    /** "17 B", "1.2 MiB"; cut, not rounded. */
    public static String inWords(long bytes) {
        String[] units = {" KiB", " MiB", " GiB", " TiB", " PiB"};
        long unit = KIB;
        int at = 0;
        while (at + 1 < units.length && bytes / unit >= KIB) {
            unit *= KIB;
            at++;
        }
        long tenths = bytes % unit * 10 / unit;
        return bytes < KIB ? bytes + " B" : bytes / unit + (tenths == 0 ? "" : "." + tenths) + units[at];
    }
}
