package dev.berth.cli.line;

import dev.berth.core.option.JobOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The shape of a command's line: what it may hold. Built by calls and not by annotations, of which picocli reads each
 * by reflection: that is most of what a small command costs.
 */
public final class Shape {
    public static final String SOCKET = "--socket";
    public static final String URL = "--url";
    public static final String DATA_DIRECTORY = "--data-dir";
    public static final String QUIET = "--quiet";
    public static final String JSON = "--json";
    public static final String VERBOSE = "--verbose";
    public static final String COLOR = "--color";
    public static final String HELP = "--help";

    private static final int HELP_COLUMNS = 80;

    /** The first of the characters that Unicode leaves to private use, which are as letters where lines are broken. */
    private static final int UNBROKEN = 0xe000;

    private final CommandSpec spec = CommandSpec.create();
    private final String name;
    private final String words;

    private Shape(String name, String words) {
        this.name = name;
        this.words = words;
    }

    /**
     * A shape without options yet.
     *
     * @param name the command's words
     * @param words what stands behind them, as the help shows it
     * @param summary one sentence
     */
    public static Shape of(String name, String words, String... summary) {
        Shape shape = new Shape(name, words);
        shape.spec.name("berth " + name);
        shape.spec
                .usageMessage()
                .customSynopsis("berth " + name + " [OPTIONS]" + (words.isEmpty() ? "" : " " + words))
                .description(summary)
                .width(HELP_COLUMNS)
                .sortOptions(false)
                .footerHeading("%nExamples:%n");
        shape.spec.addPositional(PositionalParamSpec.builder()
                .arity("0..*")
                .type(List.class)
                .auxiliaryTypes(String.class)
                .hidden(true)
                .build());
        return shape;
    }

    public Shape flag(String description, String... names) {
        spec.addOption(OptionSpec.builder(names)
                .arity("0")
                .type(boolean.class)
                .description(plain(description))
                .build());
        return this;
    }

    public Shape value(String label, String description, String... names) {
        spec.addOption(OptionSpec.builder(names)
                .arity("1")
                .type(String.class)
                .paramLabel(label)
                .description(plain(description))
                .build());
        return this;
    }

    /** An option that may be given more than once. */
    public Shape values(String label, String description, String... names) {
        spec.addOption(OptionSpec.builder(names)
                .arity("1")
                .type(List.class)
                .auxiliaryTypes(String.class)
                .paramLabel(label)
                .description(plain(description))
                .build());
        return this;
    }

    /** For picocli, which takes a text for the format of one. */
    private static String plain(String description) {
        return description.replace("%", "%%");
    }

    /** An option of a job, as its table has it. */
    public Shape option(JobOption option) {
        String[] names = option.names().toArray(String[]::new);
        if (!option.kind().hasValue()) {
            return flag(option.help(), names);
        }
        return option.kind().isList()
                ? values(option.label(), option.help(), names)
                : value(option.label(), option.help(), names);
    }

    public Shape examples(String... lines) {
        String[] indented = new String[lines.length];
        for (int at = 0; at < lines.length; at++) {
            indented[at] = "  " + lines[at];
        }
        spec.usageMessage().footer(indented);
        return this;
    }

    /** With the options that every command has. */
    public CommandSpec spec() {
        flag("Print ids only.", "-q", QUIET);
        flag("Print JSON, one object a line.", JSON);
        flag("Say on standard error what is being done.", VERBOSE);
        value("PATH", "The server that answers at this socket. Default: BERTH_SOCKET, else the usual places.", SOCKET);
        value(
                "DIR",
                "The server that has its data in DIR; counts more than any variable. Default: BERTH_DATA_DIR, else the"
                        + " usual places.",
                DATA_DIRECTORY);
        value("URL", "The server on another machine, https://HOST:PORT. Default: BERTH_URL.", URL);
        value("WHEN", "Colour states: auto (on a terminal, unless NO_COLOR is set), always, never.", COLOR);
        flag("Show this help.", "-h", HELP);
        return spec;
    }

    /** The help of a command. Its sentences are broken at blanks alone: picocli breaks behind any stop, that of 0.1 too. */
    static String help(CommandSpec spec) {
        List<String> lines = new ArrayList<>();
        for (String paragraph : spec.usageMessage().description()) {
            lines.addAll(wrapped(paragraph));
        }
        spec.usageMessage().description(lines.toArray(String[]::new));
        for (OptionSpec option : List.copyOf(spec.options())) {
            spec.remove(option);
            spec.addOption(OptionSpec.builder(option)
                    .description(unbroken(String.join(" ", option.description())))
                    .build());
        }
        String help =
                spec.commandLine().getUsageMessage(CommandLine.Help.Ansi.OFF).stripTrailing();
        return mapped(help, letter -> letter >= UNBROKEN && letter < UNBROKEN + 0x80, -UNBROKEN);
    }

    /** The text with signs in place of stops and the like at which no line is broken, each as wide as what it stands for. */
    private static String unbroken(String text) {
        return mapped(text, letter -> letter > ' ' && letter < 0x80 && !Character.isLetterOrDigit(letter), UNBROKEN);
    }

    private static String mapped(String text, IntPredicate which, int by) {
        StringBuilder mapped = new StringBuilder(text.length());
        text.chars().forEach(letter -> mapped.append((char) (which.test(letter) ? letter + by : letter)));
        return mapped.toString();
    }

    private static List<String> wrapped(String paragraph) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : paragraph.split(" ", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() >= HELP_COLUMNS) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    public String name() {
        return name;
    }

    /** The sentences and examples of the help. */
    public CommandLine.Model.UsageMessageSpec usage() {
        return spec.usageMessage();
    }

    /** The words behind the command's own, as the help shows it. */
    public String words() {
        return words;
    }
}
