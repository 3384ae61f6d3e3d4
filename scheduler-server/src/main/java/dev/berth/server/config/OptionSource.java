package dev.berth.server.config;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settings that options of the command line give. For one reading. */
final class OptionSource {
    private static final String SET = "--set";
    private static final String CONFIG = "--config";

    private final Path directory;
    private final Values values;
    private final Problems problems;
    private final Map<String, Origin> said = new HashMap<>();

    private OptionSource(Path directory, Values values, Problems problems) {
        this.directory = directory;
        this.values = values;
        this.problems = problems;
    }

    /** The file that is named to be read in place of others, null where none is. */
    static @Nullable String config(List<String> options) {
        for (String option : options) {
            if (option.startsWith(CONFIG + "=")) {
                return option.substring(CONFIG.length() + 1);
            }
        }
        return null;
    }

    /** Puts in what {@code --option=value} words say. */
    static void read(List<String> options, Path directory, Values values, Problems problems) {
        OptionSource reading = new OptionSource(directory, values, problems);
        options.forEach(reading::option);
    }

    private void option(String word) {
        int equals = word.indexOf('=');
        String name = equals < 0 ? word : word.substring(0, equals);
        String value = word.substring(equals + 1);
        if (equals > 0 && name.equals(SET)) {
            assignment(value);
        } else if (equals < 0 || !name.equals(CONFIG)) {
            Key<?> key = equals < 0 ? null : withFlag(name);
            if (key == null) {
                problems.add("'" + Problems.shown(word) + "' is no option of the server");
            } else {
                put(key, value, new Origin.Flag(name));
            }
        }
    }

    private void assignment(String text) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            problems.add("--set: '" + Problems.shown(text) + "' must be a setting, = and its value, such as"
                    + " server.port=5555");
            return;
        }
        String name = text.substring(0, equals);
        for (Key<?> key : Keys.ALL) {
            if (key.name().equals(name)) {
                put(key, text.substring(equals + 1), new Origin.Assignment());
                return;
            }
        }
        problems.add("--set " + Problems.shown(name) + ": is not a setting"
                + NearestName.question(NearestName.key(name, Keys.NAMES)));
    }

    private void put(Key<?> key, String text, Origin origin) {
        Origin before = said.putIfAbsent(key.name(), origin);
        if (before == null) {
            values.put(key, text, directory, origin);
        } else {
            problems.add(origin.about(key.name()) + ": " + key.name() + " is given by " + before.label()
                    + " already; give it once");
        }
    }

    private static @Nullable Key<?> withFlag(String name) {
        for (Key<?> key : Keys.ALL) {
            if (name.equals(key.flag())) {
                return key;
            }
        }
        return null;
    }
}
