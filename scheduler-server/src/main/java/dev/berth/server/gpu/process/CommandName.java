package dev.berth.server.gpu.process;

import dev.berth.core.text.HarmlessText;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The name that people give a process: the program's name, and for an interpreter that of its script. No other argument
 * is told: people write passwords and tokens there, and who looks at a GPU is not always who may look at its processes.
 */
final class CommandName {
    private static final Pattern INTERPRETER =
            Pattern.compile("(python|pypy|perl|ruby|node|bash|dash|sh|Rscript|julia)[0-9.]*");

    /** Options of interpreters after which no script comes, but a text of the program or the name of a module. */
    private static final String TEXT = "-c";

    private static final String MODULE = "-m";

    private CommandName() {}

    /**
     * The name, made harmless.
     *
     * @param words the process's words as it has them; empty for one that has none
     * @param otherwise the kernel's name for it
     */
    static String of(List<String> words, String otherwise) {
        String program = words.isEmpty() ? "" : base(words.getFirst());
        if (program.isBlank()) {
            return HarmlessText.of(otherwise);
        }
        return HarmlessText.of(INTERPRETER.matcher(program).matches() ? program + script(words) : program);
    }

    private static String script(List<String> words) {
        for (int place = 1; place < words.size(); place++) {
            String word = words.get(place);
            if (word.equals(MODULE) && place + 1 < words.size()) {
                return " " + MODULE + " " + base(words.get(place + 1));
            }
            if (word.equals(TEXT) || word.equals("-")) {
                return " " + word;
            }
            if (!word.startsWith("-")) {
                return " " + base(word);
            }
        }
        return "";
    }

    private static String base(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
