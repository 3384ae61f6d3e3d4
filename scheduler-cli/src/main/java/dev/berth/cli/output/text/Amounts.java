package dev.berth.cli.output.text;

/** Numbers with a unit for people. */
public final class Amounts {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
    private static final int STEP = 1024;

    private Amounts() {}

    /** "16 GiB", "1.5 MiB", "12 B": to a tenth of the largest unit of which there is one. */
    public static String bytes(long bytes) {
        long tenths = bytes * 10;
        int unit = 0;
        while (tenths >= STEP * 10L && unit < UNITS.length - 1) {
            tenths = (tenths + STEP / 2) / STEP;
            unit++;
        }
        return tenths / 10 + (tenths % 10 == 0 || unit == 0 ? "" : "." + tenths % 10) + " " + UNITS[unit];
    }

    /** Thousandths as a decimal number: "1.5". */
    public static String thousandths(int milli) {
        String rest = Integer.toString(1000 + milli % 1000).substring(1);
        int end = rest.length();
        while (end > 0 && rest.charAt(end - 1) == '0') {
            end--;
        }
        return milli / 1000 + (end == 0 ? "" : "." + rest.substring(0, end));
    }
}
