package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import dev.berth.core.option.Bounds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** A command's line after reading: its options by name, and its words. */
public record Arguments(String command, ParseResult parsed) {
    public boolean has(String option) {
        return parsed.hasMatchedOption(option);
    }

    public String help() {
        return Shape.help(parsed.commandSpec());
    }

    @Nullable
    public String value(String option) {
        return parsed.matchedOptionValue(option, null);
    }

    public List<String> values(String option) {
        return parsed.matchedOptionValue(option, List.of());
    }

    /** The value of an option that is given. */
    public String required(String option) {
        return parsed.matchedOptionValue(option, "");
    }

    /** The name of an option that the line has; the first where it has none. */
    public String typed(List<String> names) {
        for (String word : parsed.originalArgs()) {
            for (String name : names) {
                boolean isShort = name.length() == 2 && word.startsWith(name);
                if (word.equals(name) || word.startsWith(name + "=") || isShort) {
                    return name;
                }
            }
        }
        return names.getFirst();
    }

    /** The word that stands behind each occurrence of an option and its value in the line; empty where none does. */
    public List<String> behind(String option) {
        List<String> line = parsed.originalArgs();
        List<String> behind = new ArrayList<>();
        for (int at = 0; at < line.size() && !line.get(at).equals("--"); at++) {
            int value = line.get(at).equals(option) ? at + 1 : line.get(at).startsWith(option + "=") ? at : -1;
            if (value >= 0) {
                behind.add(value + 1 < line.size() ? line.get(value + 1) : "");
                at = value;
            }
        }
        return behind;
    }

    public List<String> words() {
        return parsed.matchedPositionalValue(0, List.of());
    }

    /** The words that stand behind {@code --}, which are all the program's; they are among {@link #words()} too. */
    public List<String> behindDashes() {
        List<String> line = parsed.originalArgs();
        int dashes = line.indexOf("--");
        return dashes < 0 ? List.of() : List.copyOf(line.subList(dashes + 1, line.size()));
    }

    /** The option's number, or null where it is not given. */
    @Nullable
    public Integer number(String option, int min, int max) {
        String text = value(option);
        return text == null ? null : number(option, text, min, max);
    }

    /** The number that an option says. */
    public static int number(String option, String text, int min, int max) {
        return Math.toIntExact(number(option, text, new Bounds(min, max)));
    }

    /** The number that an option says. */
    public static long number(String option, String text, Bounds bounds) {
        try {
            long number = Long.parseLong(text);
            if (bounds.contains(number)) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            throw numberExpected(option, text, bounds);
        }
        throw numberExpected(option, text, bounds);
    }

    private static Failure numberExpected(String option, String text, Bounds bounds) {
        String range = bounds.max() == Integer.MAX_VALUE ? "of at least " + bounds.min() : bounds.inWords();
        return Failure.usage(option + ": '" + text + "' is not a whole number " + range + "; for example " + option
                + " " + Math.max(1, bounds.min()));
    }

    /** Refuses words where the command takes none. */
    public void noWords() {
        if (!words().isEmpty()) {
            throw Failure.usage(
                    "berth " + command + " takes no '" + words().getFirst() + "'; see berth " + command + " --help");
        }
    }
}
