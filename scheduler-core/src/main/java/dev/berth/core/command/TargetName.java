package dev.berth.core.command;

/** The names that targets have: 1 to 30 lower-case letters, digits and hyphens, no hyphen at an end; no path and no option is one. */
public final class TargetName {
    private static final int MAX = 30;

    private TargetName() {}

    public static boolean isGood(String word) {
        boolean isGood = !word.isEmpty() && word.length() <= MAX;
        for (int at = 0; at < word.length(); at++) {
            char letter = word.charAt(at);
            boolean isInside = at > 0 && at < word.length() - 1;
            isGood &=
                    (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || (isInside && letter == '-');
        }
        return isGood;
    }
}
