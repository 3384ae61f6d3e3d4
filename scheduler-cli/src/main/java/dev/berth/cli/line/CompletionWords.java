package dev.berth.cli.line;

import dev.berth.core.option.Forms;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Words that a command's line may hold, for the shells.
 *
 * @param name the command's words
 * @param summary one sentence
 * @param takesIds whether its words are jobs
 */
public record CompletionWords(String name, String summary, List<Option> options, boolean takesIds) {
    static final String SUBMIT = "submit";
    static final String COMPLETION = "completion";

    /** The newest jobs' ids: one quick question, and silence where there is no server. */
    private static final String IDS = "ps -a -q -n 50 2>/dev/null";

    /** The options of the line so far that say which server's job ids are meant. */
    static final List<String> ADDRESS = List.of(Shape.SOCKET, Shape.DATA_DIRECTORY, Shape.URL);

    /** The kind of value that may follow an option. */
    enum Value {
        NONE,
        ANY,
        STATE,
        PULL,
        GPU_MODE,
        COLOR,
        FILE,
        JOB,
        PROFILE
    }

    /** An option with all its names. */
    record Option(List<String> names, String summary, Value value) {}

    /** The words that can be completed of commands of these shapes. */
    public static List<CompletionWords> of(List<Shape> shapes) {
        return shapes.stream().map(CompletionWords::of).toList();
    }

    private static CompletionWords of(Shape shape) {
        var spec = shape.spec();
        List<Option> options = new ArrayList<>();
        for (OptionSpec option : spec.options()) {
            Value value = option.arity().max() == 0 ? Value.NONE : value(option.longestName());
            options.add(new Option(List.of(option.names()), option.description()[0], value));
        }
        String summary = spec.usageMessage().description()[0];
        return new CompletionWords(
                shape.name(),
                summary,
                options,
                shape.words().contains("<id>") || shape.words().contains("<array>"));
    }

    private static Value value(String option) {
        return switch (option) {
            case JobFilters.STATE -> Value.STATE;
            case "--after" -> Value.JOB;
            case "--profile" -> Value.PROFILE;
            case "--pull" -> Value.PULL;
            case "--gpu-mode" -> Value.GPU_MODE;
            case Shape.COLOR -> Value.COLOR;
            case Shape.SOCKET,
                    Shape.DATA_DIRECTORY,
                    "--env-file",
                    "--file",
                    "--output",
                    "--volume",
                    "--config",
                    "--ca" -> Value.FILE;
            default -> Value.ANY;
        };
    }

    /** The words that may follow such an option, joined by blanks; empty where they are not known. */
    static String choices(Value value) {
        return switch (value) {
            case STATE -> String.join(" ", JobStates.ALL);
            case PULL -> String.join(" ", Forms.PULLS);
            case GPU_MODE -> "runtime device-request cdi auto";
            case COLOR -> "auto always never";
            case NONE, ANY, FILE, JOB, PROFILE -> "";
        };
    }

    /**
     * The command that asks for the ids.
     *
     * @param address how the script names the options of {@link #ADDRESS} that are in the line
     */
    static String ids(String address) {
        return "berth " + address + " " + IDS;
    }

    /** The command that asks for the names of profiles, with the line's address as for {@link #ids}. */
    static String profiles(String address) {
        return "berth " + address + " profiles -q 2>/dev/null";
    }

    /** The first words of all commands. */
    static Set<String> firstWords(List<CompletionWords> commands) {
        Set<String> words = new LinkedHashSet<>();
        for (CompletionWords command : commands) {
            words.add(command.name.split(" ")[0]);
        }
        words.add("help");
        return words;
    }

    /** The first words that need a second one. */
    static Set<String> groups(List<CompletionWords> commands) {
        Set<String> groups = new LinkedHashSet<>();
        for (CompletionWords command : commands) {
            if (command.name.indexOf(' ') > 0) {
                groups.add(command.name.split(" ")[0]);
            }
        }
        return groups;
    }

    static Set<String> secondWords(List<CompletionWords> commands, String group) {
        Set<String> words = new LinkedHashSet<>();
        for (CompletionWords command : commands) {
            if (command.name.startsWith(group + " ")) {
                words.add(command.name.substring(group.length() + 1));
            }
        }
        return words;
    }

    /** The names of all options of any command whose value is of this kind. */
    static Set<String> optionsWith(List<CompletionWords> commands, Value value) {
        Set<String> names = new LinkedHashSet<>();
        for (CompletionWords command : commands) {
            for (Option option : command.options) {
                if (option.value == value) {
                    names.addAll(option.names);
                }
            }
        }
        return names;
    }
}
