package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.output.text.ShellWords;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Finds what looks like an option before {@code --} and is none, and says what was probably meant. For one line of one
 * command.
 */
final class OptionWords {
    private static final String END = "--";

    private final Map<String, OptionSpec> options;
    private final List<String> own = new ArrayList<>();
    private final List<String> words = new ArrayList<>();
    private final List<String> unknown = new ArrayList<>();
    private final List<String> rest = new ArrayList<>();

    private OptionWords(Map<String, OptionSpec> options) {
        this.options = options;
    }

    /**
     * Refuses a line with an unknown option.
     *
     * @param command the command's words
     * @param line what stands behind them
     * @param ownWords how many words of the line are Berth's before a program begins; -1 where no program follows
     */
    static void check(String command, Map<String, OptionSpec> options, List<String> line, int ownWords) {
        OptionWords found = new OptionWords(options);
        found.read(line);
        if (!found.unknown.isEmpty()) {
            throw found.failure(command, ownWords);
        }
    }

    private void read(List<String> line) {
        for (int at = 0; at < line.size(); at++) {
            String word = line.get(at);
            if (word.equals(END)) {
                rest.addAll(line.subList(at + 1, line.size()));
                return;
            }
            if (!isOption(word)) {
                words.add(word);
            } else if (!isKnown(word)) {
                unknown.add(word);
                words.add(word);
            } else {
                own.add(word);
                if (takesNext(word) && at + 1 < line.size()) {
                    own.add(line.get(++at));
                }
            }
        }
    }

    private static boolean isOption(String word) {
        return word.length() > 1 && word.charAt(0) == '-';
    }

    private boolean isKnown(String word) {
        if (options.containsKey(name(word))) {
            return true;
        }
        if (word.startsWith(END)) {
            return false;
        }
        for (int at = 1; at < word.length(); at++) {
            OptionSpec letter = options.get("-" + word.charAt(at));
            if (letter == null || takesValue(letter)) {
                return letter != null;
            }
        }
        return true;
    }

    private boolean takesNext(String word) {
        OptionSpec option = options.get(word);
        if (option != null) {
            return takesValue(option);
        }
        OptionSpec last = word.startsWith(END) ? null : options.get("-" + word.charAt(word.length() - 1));
        return last != null && takesValue(last) && firstValueLetter(word) == word.length() - 1;
    }

    private int firstValueLetter(String cluster) {
        for (int at = 1; at < cluster.length(); at++) {
            OptionSpec letter = options.get("-" + cluster.charAt(at));
            if (letter != null && takesValue(letter)) {
                return at;
            }
        }
        return -1;
    }

    private static boolean takesValue(OptionSpec option) {
        return option.arity().max() > 0;
    }

    private static String name(String word) {
        int equals = word.indexOf('=');
        return equals < 0 ? word : word.substring(0, equals);
    }

    private Failure failure(String command, int ownWords) {
        String first = name(unknown.getFirst());
        String refusal = RefusedOptions.of(command, first);
        String question = question(first);
        if (ownWords < 0 || words.indexOf(unknown.getFirst()) < ownWords) {
            return Failure.usage(
                    refusal != null
                            ? first + " is no option of Berth's: " + refusal
                            : "unknown option " + first + question + " berth " + command + " --help lists the options");
        }
        String why = refusal != null
                ? first + " is no option of Berth's: " + refusal + "."
                : "unknown option " + first + (question.equals(";") ? ": options" : question + " Options")
                        + " before -- are Berth's.";
        return Failure.usage(why + " To give it to your program: " + ShellWords.join(corrected(command, ownWords)));
    }

    private List<String> corrected(String command, int ownWords) {
        List<String> line = new ArrayList<>(List.of("berth"));
        line.addAll(List.of(command.split(" ")));
        line.addAll(own);
        line.addAll(words.subList(0, ownWords));
        line.add(END);
        line.addAll(words.subList(ownWords, words.size()));
        line.addAll(rest);
        return line;
    }

    private String question(String word) {
        List<String> names = new ArrayList<>();
        for (String name : options.keySet()) {
            if (name.startsWith(END) && word.startsWith(END)) {
                names.add(name);
            }
        }
        return ClosestWord.question(word, names);
    }
}
