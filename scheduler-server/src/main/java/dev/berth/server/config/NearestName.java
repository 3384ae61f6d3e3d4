package dev.berth.server.config;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Known name that is nearest to an unknown one: the one that was probably meant. */
final class NearestName {
    private static final int MAX_WORD = 100;
    private static final int LEAST = 2;

    private NearestName() {}

    /** The setting nearest to a word, or null where none is near. The right name in the wrong section is very near. */
    static @Nullable String key(String word, Collection<String> keys) {
        String nearest = null;
        int least = Integer.MAX_VALUE;
        for (String key : keys) {
            boolean sameName = last(key).equals(last(word));
            int distance = sameName && !key.equals(word) ? 1 : distance(word, key);
            if (distance < least) {
                least = distance;
                nearest = key;
            }
        }
        return nearest;
    }

    /** The variable nearest to a word, or null where none is near. */
    static @Nullable String variable(String word, Collection<String> variables) {
        String nearest = null;
        int least = Integer.MAX_VALUE;
        for (String variable : variables) {
            int distance = edits(word, variable);
            if (distance <= LEAST && distance < least) {
                least = distance;
                nearest = variable;
            }
        }
        return nearest;
    }

    /** The words that follow a sentence about an unknown name. */
    static String question(@Nullable String nearest) {
        return nearest == null ? "; docs/configuration.md lists the settings" : "; did you mean " + nearest + "?";
    }

    private static String last(String key) {
        return key.substring(key.lastIndexOf('.') + 1);
    }

    private static int distance(String word, String key) {
        int edits = edits(word, key);
        return edits <= Math.max(LEAST, key.length() / 3) ? edits : Integer.MAX_VALUE;
    }

    /** Letters put in, left out or changed. */
    private static int edits(String from, String to) {
        if (from.length() > MAX_WORD) {
            return Integer.MAX_VALUE;
        }
        int[] above = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] row = new int[to.length() + 1];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int change = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[to.length()];
    }
}
