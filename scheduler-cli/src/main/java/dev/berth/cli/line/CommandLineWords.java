package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import java.util.ArrayList;
import java.util.List;

/**
 * A line split into the command and what belongs to it.
 *
 * @param name the command's words, {@code --help}, {@code --version}, or nothing
 * @param rest everything else; options that stood before the command stand first in it
 */
public record CommandLineWords(String name, List<String> rest) {
    private static final List<String> FLAGS = List.of("-q", Shape.QUIET, Shape.JSON, Shape.VERBOSE);
    private static final List<String> VALUES = List.of(Shape.SOCKET, Shape.DATA_DIRECTORY, Shape.URL, Shape.COLOR);

    public static CommandLineWords of(List<String> line) {
        int at = 0;
        while (at < line.size() && line.get(at).startsWith("-")) {
            String word = line.get(at);
            if (word.equals("-h") || word.equals(Shape.HELP)) {
                return new CommandLineWords(Shape.HELP, List.of());
            }
            if (word.equals("--version")) {
                return new CommandLineWords(word, List.of());
            }
            at += width(word);
        }
        if (at >= line.size()) {
            return new CommandLineWords("", List.of());
        }
        List<String> rest = new ArrayList<>(line.subList(0, at));
        rest.addAll(line.subList(at + 1, line.size()));
        return line.get(at).equals("help") ? help(line.subList(at + 1, line.size())) : command(line.get(at), rest, at);
    }

    /** The number of words that an option before the command takes. */
    private static int width(String word) {
        int equals = word.indexOf('=');
        if (FLAGS.contains(word) || (equals > 0 && VALUES.contains(word.substring(0, equals)))) {
            return 1;
        }
        if (VALUES.contains(word)) {
            return 2;
        }
        throw Failure.usage("unknown option " + word + " before the command; berth --help lists the commands, and the"
                + " options of each stand behind it");
    }

    private static CommandLineWords command(String first, List<String> rest, int before) {
        List<String> seconds = CommandNames.behind(first);
        if (seconds.isEmpty()) {
            return new CommandLineWords(first, rest);
        }
        String second = before < rest.size() ? rest.get(before) : "";
        if (CommandNames.ALL.contains(first) && !seconds.contains(second)) {
            return new CommandLineWords(first, rest);
        }
        if (second.equals("-h") || second.equals(Shape.HELP)) {
            return new CommandLineWords(Shape.HELP, List.of());
        }
        if (second.isEmpty() || second.startsWith("-")) {
            throw Failure.usage("berth " + first + " needs one of " + String.join(", ", seconds) + " behind it");
        }
        List<String> others = new ArrayList<>(rest);
        String removed = others.remove(before);
        return new CommandLineWords(first + " " + removed, others);
    }

    private static CommandLineWords help(List<String> words) {
        String name = String.join(" ", words);
        return words.isEmpty() || (!CommandNames.behind(name).isEmpty() && !CommandNames.ALL.contains(name))
                ? new CommandLineWords(Shape.HELP, List.of())
                : new CommandLineWords(name, List.of(Shape.HELP));
    }
}
