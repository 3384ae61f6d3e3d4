package dev.berth.core.command;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The known word that the user probably meant. */
public final class ClosestWord {
    private static final int MIN_PART = 3;

    /** Nobody means a word that is longer: comparing takes time. */
    private static final int MAX_WORD = 200;

    /** More letters than these are nobody's slip. */
    private static final int MAX_SLIPS = 2;

    private ClosestWord() {}

    /** The candidate nearest to the word, or null where none is near. */
    public static @Nullable String of(String word, Collection<String> candidates) {
        String nearest = null;
        int least = Integer.MAX_VALUE;
        for (String candidate : candidates) {
            int distance = distance(letters(word), letters(candidate));
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /**
     * The candidate that the word is a misspelling of, or null. Stricter than {@link #of}: a word that holds another one
     * is a word of its own.
     */
    public static @Nullable String misspelling(String word, Collection<String> candidates) {
        String nearest = of(word, candidates);
        if (nearest == null) {
            return null;
        }
        int longer = Math.max(word.length(), nearest.length());
        return edits(letters(word), letters(nearest)) <= Math.min(MAX_SLIPS, longer / 3) ? nearest : null;
    }

    /**
     * The text behind "unknown so-and-so" in a sentence that goes on: "; did you mean this?", or ";" where nothing is
     * near.
     */
    public static String question(String word, Collection<String> candidates) {
        String nearest = of(word, candidates);
        return nearest == null ? ";" : "; did you mean " + nearest + "?";
    }

    private static String letters(String word) {
        int from = 0;
        while (from < word.length() && word.charAt(from) == '-') {
            from++;
        }
        return word.substring(from).toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The distance between two words; {@link Integer#MAX_VALUE} for too far to be meant. */
    private static int distance(String word, String candidate) {
        int longer = Math.max(word.length(), candidate.length());
        int difference = Math.abs(word.length() - candidate.length());
        boolean part = longer - difference >= MIN_PART && (candidate.contains(word) || word.contains(candidate));
        if (longer > MAX_WORD || (difference > longer / 3 && !part)) {
            return Integer.MAX_VALUE;
        }
        int edits = edits(word, candidate);
        return edits <= longer / 3 ? edits : part ? edits + MIN_PART : Integer.MAX_VALUE;
    }

    /** Letters put in, left out, changed, or swapped with a neighbour (optimal string alignment). */
    private static int edits(String from, String to) {
        int[][] cost = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int change = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                cost[i][j] = Math.min(cost[i - 1][j - 1] + change, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
                boolean swapped = i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
                if (swapped) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[from.length()][to.length()];
    }
}
