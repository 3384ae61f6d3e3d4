package dev.berth.cli.jobfile;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.CommandForm;
import dev.berth.cli.line.Given;
import dev.berth.cli.line.LineReader;
import dev.berth.cli.line.OptionLayer;
import dev.berth.core.command.ClosestWord;
import dev.berth.core.option.JobOption;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The {@code #BERTH} and {@code #SBATCH} lines of a script, which stand before the first line that is no comment. As with
 * {@code sbatch}, of an option that stands twice the later one counts. For one script.
 */
public final class ScriptHead {
    private static final String BERTH = "#BERTH";
    private static final String SBATCH = "#SBATCH";

    /** More comments than anybody writes before a program begins. */
    private static final int MAX_BYTES = 1 << 16;

    private static final Set<String> INTERPRETERS = Set.of("sh", "bash", "dash", "ksh", "zsh", "python", "python3");

    /** Options of theirs with which they run a text or a module: {@code -c}, {@code -m}, or one such as {@code -lc}. */
    private static final String RUNS_NO_FILE = "-[a-zA-Z&&[^WX]]*[cm].*";

    /** Options of theirs whose value is the next word: {@code -o} of a shell, {@code -W} and {@code -X} of Python. */
    private static final String HAS_VALUE = "-([a-z]*o|W|X)";

    private final String shown;
    private final CommandForm submit;
    private final Map<JobOption, Given> berth = new EnumMap<>(JobOption.class);
    private final Map<JobOption, Given> slurm = new EnumMap<>(JobOption.class);
    private final List<String> ignored = new ArrayList<>();

    /** By the option's long name, in the order in which they stand. */
    private final SequencedMap<String, Directive> directives = new LinkedHashMap<>();

    private @Nullable SbatchOptions sbatch;

    private ScriptHead(String shown, CommandForm submit) {
        this.shown = shown;
        this.submit = submit;
    }

    /**
     * The head of the script that a command runs; null where it runs none of the directory.
     *
     * @param submit the command whose options a {@code #BERTH} line may have
     */
    public static @Nullable ScriptHead of(Path directory, List<String> command, CommandForm submit) {
        String script = script(command);
        if (script.isEmpty()) {
            return null;
        }
        try {
            // Made absolute first: the normal form of "." is the empty path, with which no other begins.
            Path root = directory.toAbsolutePath().normalize();
            Path path = root.resolve(script).normalize();
            if (Path.of(script).isAbsolute() || !path.startsWith(root) || !Files.isRegularFile(path)) {
                return null;
            }
            ScriptHead head = new ScriptHead(script, submit);
            head.read(FileText.head(path, MAX_BYTES));
            return head;
        } catch (InvalidPathException noPath) {
            return null;
        }
    }

    /** The first word, or the first behind the options of what runs it; empty where no script is run. */
    private static String script(List<String> command) {
        String program = command.isEmpty() ? "" : command.getFirst();
        if (!INTERPRETERS.contains(program.substring(program.lastIndexOf('/') + 1))) {
            return program;
        }
        int at = 1;
        while (at < command.size() && command.get(at).startsWith("-")) {
            String option = command.get(at);
            if (option.matches(RUNS_NO_FILE)) {
                return "";
            }
            at += option.matches(HAS_VALUE) ? 2 : 1;
        }
        return at < command.size() ? command.get(at) : "";
    }

    /** What counts more first. */
    public List<OptionLayer> layers() {
        return List.of(new OptionLayer(berth), new OptionLayer(slurm));
    }

    /** What of it means nothing to Berth, a clause for people; empty for nothing. */
    public String ignored() {
        return ignored.isEmpty()
                ? ""
                : shown + ": of its " + SBATCH + " lines " + String.join(", ", ignored)
                        + (ignored.size() == 1 ? " means" : " mean") + " nothing here";
    }

    /** An option of sbatch as it stands last in the script. */
    private record Directive(
            String place, String name, @Nullable String value, String written) {}

    private void read(String head) {
        readLines(head);
        directives.values().forEach(this::apply);
    }

    private void readLines(String head) {
        String[] lines = head.split("\n", -1);
        for (int at = 0; at < lines.length; at++) {
            String line = lines[at].strip();
            if (!line.isEmpty() && line.charAt(0) != '#') {
                return;
            }
            String place = shown + ":" + (at + 1);
            if (isDirective(lines[at], BERTH)) {
                addBerth(place, words(place, lines[at].substring(BERTH.length())));
            } else if (isDirective(lines[at], SBATCH)) {
                addSlurm(place, words(place, lines[at].substring(SBATCH.length())));
            }
        }
    }

    private static boolean isDirective(String line, String word) {
        return line.startsWith(word)
                && line.length() > word.length()
                && Character.isWhitespace(line.charAt(word.length()));
    }

    private static List<String> words(String place, String text) {
        try {
            return WordSplit.options(text);
        } catch (IllegalArgumentException e) {
            throw Failure.usage(place + ": the line " + e.getMessage());
        }
    }

    private void addBerth(String place, List<String> words) {
        OptionLayer layer = layer(place, words);
        layer.given()
                .forEach((option, given) ->
                        put(berth, option, new Given(place, given.name(), given.texts(), List.of(), null)));
    }

    /** The options of a job that such words say; nothing else may stand among them. */
    private OptionLayer layer(String place, List<String> words) {
        Arguments line;
        try {
            line = LineReader.read(submit, words);
        } catch (Failure refused) {
            throw Failure.usage(place + ": " + refused.getMessage());
        }
        if (!line.words().isEmpty()) {
            throw Failure.usage(place + ": '" + line.words().getFirst() + "' is no option; " + BERTH
                    + " lines have options of a job alone, as in " + BERTH + " --num-gpus 2");
        }
        for (OptionSpec option : line.parsed().matchedOptions()) {
            boolean isOfJob = BerthFile.options().values().stream()
                    .anyMatch(known -> known.names().contains(option.longestName()));
            if (!isOfJob) {
                throw Failure.usage(place + ": " + option.longestName() + " is said on the command line alone");
            }
        }
        return OptionLayer.of(line);
    }

    private void addSlurm(String place, List<String> words) {
        if (sbatch == null) {
            sbatch = new SbatchOptions();
        }
        SbatchOptions known = sbatch;
        for (int at = 0; at < words.size(); at++) {
            String word = words.get(at);
            String name = name(word);
            if (!known.isKnown(name)) {
                throw Failure.usage(place + ": " + (word.startsWith("-") ? name : "'" + word + "'")
                        + " is no option of sbatch that Berth knows" + ClosestWord.question(name, known.names())
                        + " take it out, or give --no-file");
            }
            String value = word.length() > name.length()
                    ? word.substring(
                            name.length() + (name.startsWith("--") || word.charAt(name.length()) == '=' ? 1 : 0))
                    : null;
            String written = word;
            if (value == null && known.takesNext(name) && at + 1 < words.size()) {
                value = words.get(++at);
                written = name + " " + value;
            }
            add(new Directive(place, name, value, written), known);
        }
    }

    private static String name(String word) {
        if (!word.startsWith("--")) {
            return word.length() > 2 && word.startsWith("-") ? word.substring(0, 2) : word;
        }
        int equals = word.indexOf('=');
        return equals < 0 ? word : word.substring(0, equals);
    }

    private void add(Directive directive, SbatchOptions known) {
        if (known.meaning(directive.name(), directive.value()) == null) {
            throw Failure.usage(directive.place() + ": " + directive.written() + " has "
                    + (directive.value() == null
                            ? "no value"
                            : known.isFlag(directive.name()) ? "a value" : "a value that Berth does not know")
                    + "; berth submit --help has Berth's own options, which stand in " + BERTH + " lines");
        }
        String option = known.longName(directive.name());
        directives.remove(option);
        directives.put(option, directive);
    }

    private void apply(Directive directive) {
        SbatchOptions.Meaning meaning =
                Objects.requireNonNull(Objects.requireNonNull(sbatch).meaning(directive.name(), directive.value()));
        if (!meaning.refusal().isEmpty()) {
            throw Failure.usage(directive.place() + ": " + directive.written() + " cannot be had: " + meaning.refusal()
                    + "; change it, or give --no-file");
        }
        if (meaning.isNothing()) {
            ignored.add(directive.name());
            return;
        }
        // Words with a blank in them are one word here, so that no second parting is needed.
        layer(directive.place(), meaning.own()).given().forEach((option, given) -> {
            Given own = new Given(directive.place(), directive.name(), given.texts(), List.of(), directive.written());
            put(slurm, option, own);
        });
    }

    private static void put(Map<JobOption, Given> layer, JobOption option, Given given) {
        Given before = layer.get(option);
        List<String> texts = new ArrayList<>();
        if (before != null && option.kind().isList()) {
            texts.addAll(before.texts());
        }
        texts.addAll(given.texts());
        layer.put(option, new Given(given.place(), given.name(), texts, List.of(), given.written()));
    }
}
