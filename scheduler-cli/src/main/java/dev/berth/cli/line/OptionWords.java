package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.ForeignOptions.Meaning;
import dev.berth.cli.output.text.ShellWords;
import dev.berth.core.command.ClosestWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Finds what looks like an option before {@code --} and is none, and says what was probably meant. For one line of one
 * command.
 */
final class OptionWords {
    private static final String END = "--";

    private static final String BEHIND = " (behind -- options are the program's)";

    private final String command;
    private final Map<String, OptionSpec> options;
    private final int ownWords;
    private final List<Meaning> foreign = new ArrayList<>();
    private final List<String> own = new ArrayList<>();
    private final List<String> words = new ArrayList<>();
    private final List<String> unknown = new ArrayList<>();
    private final List<String> rest = new ArrayList<>();

    /** Whether an option of another tool stands where a program may have its own. */
    private boolean isForeignBehind;

    private OptionWords(String command, Map<String, OptionSpec> options, int ownWords) {
        this.command = command;
        this.options = options;
        this.ownWords = ownWords;
    }

    /**
     * Refuses a line with an unknown option.
     *
     * @param command the command's words
     * @param line what stands behind them
     * @param ownWords how many words of the line are Berth's before a program begins; -1 where no program follows
     */
    static void check(String command, Map<String, OptionSpec> options, List<String> line, int ownWords) {
        OptionWords found = new OptionWords(command, options, ownWords);
        found.read(line);
        if (!found.foreign.isEmpty()) {
            throw found.foreign();
        }
        if (!found.unknown.isEmpty()) {
            throw found.unknown();
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
                at += addForeign(word, at + 1 < line.size() ? line.get(at + 1) : null);
            } else {
                own.add(word);
                if (takesNext(word) && at + 1 < line.size()) {
                    own.add(line.get(++at));
                }
            }
        }
    }

    /** The number of words behind it that belong to it. */
    private int addForeign(String word, @Nullable String next) {
        Meaning meaning = ForeignOptions.of(command, word, next, options::containsKey);
        if (meaning == null) {
            unknown.add(word);
            words.add(word);
            return 0;
        }
        foreign.add(meaning);
        isForeignBehind |= ownWords >= 0 && words.size() >= ownWords;
        return meaning.takesNext() ? 1 : 0;
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

    /** What it lacks is said first; the line that follows is for what Berth calls otherwise. */
    private Failure foreign() {
        List<String> lacking = new ArrayList<>();
        List<String> clauses = new ArrayList<>();
        List<String> translated = new ArrayList<>();
        for (Meaning meaning : foreign) {
            (meaning.own().isEmpty() ? lacking : clauses).add(meaning.clause());
            translated.addAll(meaning.own());
        }
        lacking.addAll(clauses);
        boolean isRight = words.size() >= ownWords && unknownAt() >= ownWords;
        String line = translated.isEmpty() || !isRight ? "" : ": " + ShellWords.join(corrected(translated));
        return Failure.usage(String.join("; ", lacking) + line + (isForeignBehind ? BEHIND : ""));
    }

    /** The place of the first unknown option among the words; behind them where there is none. */
    private int unknownAt() {
        return unknown.isEmpty() ? Integer.MAX_VALUE : words.indexOf(unknown.getFirst());
    }

    private Failure unknown() {
        String first = name(unknown.getFirst());
        String question = question(first);
        if (ownWords < 0 || unknownAt() < ownWords) {
            return Failure.usage(
                    "unknown option " + first + question + " berth " + command + " --help lists the options");
        }
        return Failure.usage("unknown option " + first
                + (question.equals(";") ? ": options" : question + " Options")
                + " before -- are Berth's. To give it to your program: "
                + ShellWords.join(corrected(List.of())));
    }

    private List<String> corrected(List<String> translated) {
        int before = Math.max(0, ownWords);
        List<String> line = new ArrayList<>(List.of("berth"));
        line.addAll(List.of(command.split(" ")));
        line.addAll(own);
        line.addAll(translated);
        line.addAll(words.subList(0, before));
        if (!unknown.isEmpty() || !rest.isEmpty()) {
            line.add(END);
        }
        line.addAll(words.subList(before, words.size()));
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
