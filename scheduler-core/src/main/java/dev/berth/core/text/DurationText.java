package dev.berth.core.text;

/** Durations as people write them: 30s, 1d12h, HH:MM:SS, or plain seconds. */
public final class DurationText {
    private static final String UNITS = "dhms";
    private static final int MAX_DIGITS = 9;

    private DurationText() {}

    /** The seconds of a duration; 0 or less where it is none that can be meant. */
    public static long seconds(String text) {
        return text.indexOf(':') >= 0 ? clock(text) : units(text);
    }

    /** The text of a number of seconds, in units from days to seconds: 1h30m; 0s for none. */
    public static String of(long seconds) {
        long[] amounts = {seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60};
        StringBuilder text = new StringBuilder();
        for (int unit = 0; unit < amounts.length; unit++) {
            if (amounts[unit] > 0) {
                text.append(amounts[unit]).append(UNITS.charAt(unit));
            }
        }
        return text.isEmpty() ? "0s" : text.toString();
    }

    /** HH:MM:SS; -1 for anything else. Two parts are refused: MM:SS and HH:MM look the same. */
    private static long clock(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length != 3) {
            return -1;
        }
        long hours = number(parts[0]);
        long minutes = number(parts[1]);
        long seconds = number(parts[2]);
        boolean valid = hours >= 0 && minutes >= 0 && minutes < 60 && seconds >= 0 && seconds < 60;
        return valid ? hours * 3_600 + minutes * 60 + seconds : -1;
    }

    /** Numbers with units from large to small, each at most once; without a unit, seconds; -1 for anything else. */
    private static long units(String text) {
        if (number(text) >= 0) {
            return number(text);
        }
        int[] seconds = {86_400, 3_600, 60, 1};
        long total = 0;
        int last = -1;
        int from = 0;
        for (int at = 0; at < text.length(); at++) {
            int unit = UNITS.indexOf(text.charAt(at));
            if (unit < 0) {
                continue;
            }
            long amount = number(text.substring(from, at));
            if (amount < 0 || unit <= last) {
                return -1;
            }
            total += amount * seconds[unit];
            last = unit;
            from = at + 1;
        }
        return from == text.length() ? total : -1;
    }

    private static long number(String digits) {
        if (digits.isEmpty() || digits.length() > MAX_DIGITS) {
            return -1;
        }
        long number = 0;
        for (int at = 0; at < digits.length(); at++) {
            int digit = digits.charAt(at) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number * 10 + digit;
        }
        return number;
    }
}
