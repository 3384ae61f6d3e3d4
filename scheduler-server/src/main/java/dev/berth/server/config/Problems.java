package dev.berth.server.config;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The problems of a file or a configuration, a line each, in the order in which it was found. */
public final class Problems {
    private static final int MAX_SHOWN = 100;
    private static final int MAX_TEXT = 100;

    private final Set<String> lines = new LinkedHashSet<>();
    private int more;

    public void add(String line) {
        if (lines.size() < MAX_SHOWN || lines.contains(line)) {
            boolean _ = lines.add(line);
        } else {
            more++;
        }
    }

    /** A text that breaks a rule. */
    void broken(Origin origin, String key, String text, String rule) {
        add(origin.about(key) + ": '" + shown(text) + "' must be " + rule);
    }

    public int count() {
        return lines.size() + more;
    }

    /** All of them, or the first of them and how many more there are. */
    public List<String> lines() {
        List<String> all = new ArrayList<>(lines);
        if (more > 0) {
            all.add("and " + more + " more");
        }
        return all;
    }

    /** Text of others in a line of ours: cut, and without what would end the line or steer a terminal. */
    public static String shown(String text) {
        String cut = text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "...";
        return cut.replaceAll("[\\p{Cntrl}\\p{Cf}\\u0080-\\u009f\\u2028\\u2029]", "?");
    }
}
