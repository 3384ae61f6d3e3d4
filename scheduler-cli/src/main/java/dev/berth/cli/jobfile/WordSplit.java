package dev.berth.cli.jobfile;

import java.util.ArrayList;
import java.util.List;

/**
 * Words of a text, parted by blanks, with the quotation marks and backslashes of a shell, and nothing else of it. A text
 * that cannot be parted is an {@link IllegalArgumentException}, whose message goes on from the text's name.
 */
final class WordSplit {
    private static final String OF_A_SHELL = "|&;<>$`()*?";

    /** Those that a shell replaces also between double quotation marks. */
    private static final String REPLACED_IN_QUOTES = "$`";

    private final String text;
    private final boolean isCommand;
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean isBegun;
    private boolean isNextLine;
    private int at;

    private WordSplit(String text, boolean isCommand) {
        this.text = text;
        this.isCommand = isCommand;
    }

    /** The words of a command. What only a shell understands is refused where it is not quoted. */
    static List<String> command(String text) {
        List<String> words = new WordSplit(text, true).split();
        if (words.isEmpty()) {
            throw new IllegalArgumentException("is empty; write the program and its arguments");
        }
        return words;
    }

    /** The words of a line of options, up to a {@code #} that begins a word. */
    static List<String> options(String text) {
        return new WordSplit(text, false).split();
    }

    private List<String> split() {
        for (at = 0; at < text.length(); at++) {
            char letter = text.charAt(at);
            if (Character.isWhitespace(letter)) {
                end();
                isNextLine |= letter == '\n' && !words.isEmpty();
            } else if (isLineGoingOn()) {
                end();
                at++;
            } else if (letter == '#' && !isBegun && !isCommand) {
                break;
            } else {
                begin();
                add(letter);
            }
        }
        end();
        return words;
    }

    /** Whether a backslash stands here at the end of a line. */
    private boolean isLineGoingOn() {
        return isCommand && text.startsWith("\\\n", at);
    }

    private void begin() {
        if (isCommand && isNextLine && !isBegun) {
            throw new IllegalArgumentException(
                    "has several lines, and is one; end a line that goes on with a backslash,"
                            + " or write [sh, -c, '...']");
        }
        isBegun = true;
    }

    private void end() {
        if (isBegun) {
            words.add(word.toString());
        }
        word.setLength(0);
        isBegun = false;
    }

    private void add(char letter) {
        switch (letter) {
            case '\'', '"' -> quoted(letter);
            case '\\' -> {
                at++;
                word.append(at < text.length() ? text.charAt(at) : letter);
            }
            default -> {
                require(letter, OF_A_SHELL);
                word.append(letter);
            }
        }
    }

    private void require(char letter, String ofAShell) {
        if (isCommand && ofAShell.indexOf(letter) >= 0) {
            throw new IllegalArgumentException("has a " + letter
                    + ", which only a shell understands; write it between ' and ', or write [sh, -c, '...']");
        }
    }

    private void quoted(char mark) {
        for (at++; at < text.length() && text.charAt(at) != mark; at++) {
            if (mark == '"' && isLineGoingOn()) {
                at++;
                continue;
            }
            boolean isEscape = mark == '"' && text.charAt(at) == '\\' && at + 1 < text.length();
            if (isEscape && "\"\\$`".indexOf(text.charAt(at + 1)) >= 0) {
                at++;
            } else if (mark == '"') {
                require(text.charAt(at), REPLACED_IN_QUOTES);
            }
            word.append(text.charAt(at));
        }
        if (at == text.length()) {
            throw new IllegalArgumentException("has a " + mark + " that is not closed");
        }
    }
}
