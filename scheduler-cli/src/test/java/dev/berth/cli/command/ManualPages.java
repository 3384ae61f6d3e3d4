package dev.berth.cli.command;

import dev.berth.cli.line.CommandNames;
import dev.berth.cli.line.Help;
import dev.berth.cli.line.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Writes the manual pages out of the commands' shapes, a page for each and one for all: roff with the macros of man(7).
 * Part of the build.
 */
public final class ManualPages {
    private ManualPages() {}

    /** Takes the folder to write to. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        for (Map.Entry<String, String> page : all().entrySet()) {
            Files.writeString(folder.resolve(page.getKey() + ".1"), page.getValue());
        }
    }

    /** The pages by name. */
    static Map<String, String> all() {
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("berth", overview());
        for (String name : CommandNames.ALL) {
            pages.put("berth-" + name.replace(' ', '-'), page(Verbs.of(name).shape()));
        }
        return pages;
    }

    private static String overview() {
        StringBuilder page = head("berth", "queue GPU jobs on this machine");
        page.append(".SH SYNOPSIS\n.B berth\n.I COMMAND\n.RI [ OPTIONS ]\n.SH DESCRIPTION\n.nf\n");
        Help.PAGE.lines().forEach(line -> text(page, line));
        page.append(".fi\n.SH SEE ALSO\n");
        String comma = "";
        for (String name : CommandNames.ALL) {
            page.append(comma)
                    .append(".BR berth\\-")
                    .append(escaped(name.replace(' ', '-')))
                    .append(" (1)");
            comma = ",\n";
        }
        return page.append('\n').toString();
    }

    private static String page(Shape shape) {
        CommandSpec spec = shape.spec();
        var usage = spec.usageMessage();
        StringBuilder page = head("berth-" + shape.name().replace(' ', '-'), withoutStop(usage.description()[0]));
        page.append(".SH SYNOPSIS\n.B berth ").append(escaped(shape.name()));
        page.append("\n[OPTIONS] ").append(escaped(shape.words())).append("\n.SH DESCRIPTION\n");
        String between = "";
        for (String paragraph : usage.description()) {
            if (!paragraph.isEmpty()) {
                page.append(between);
                text(page, paragraph);
                between = ".PP\n";
            }
        }
        page.append(".SH OPTIONS\n");
        for (OptionSpec option : spec.options()) {
            page.append(".TP\n\\fB")
                    .append(escaped(String.join(", ", option.names())))
                    .append("\\fR");
            page.append(option.arity().max() == 0 ? "" : " \\fI" + escaped(option.paramLabel()) + "\\fR")
                    .append('\n');
            text(page, String.join(" ", option.description()));
        }
        page.append(".SH EXAMPLES\n.nf\n");
        for (String line : usage.footer()) {
            text(page, line);
        }
        return page.append(".fi\n.SH SEE ALSO\n.BR berth (1)\n").toString();
    }

    private static StringBuilder head(String name, String summary) {
        StringBuilder page = new StringBuilder(".TH ");
        page.append(escaped(name.toUpperCase(java.util.Locale.ROOT))).append(" 1 \"\" Berth \"Berth Manual\"\n");
        return page.append(".SH NAME\n")
                .append(escaped(name))
                .append(" \\- ")
                .append(escaped(summary))
                .append('\n');
    }

    private static String withoutStop(String sentence) {
        int colon = sentence.indexOf('.');
        return colon < 0 ? sentence : sentence.substring(0, colon);
    }

    /** A line of text; one that would begin with a request's sign is kept from it. */
    private static void text(StringBuilder page, String line) {
        boolean request = line.startsWith(".") || line.startsWith("'");
        page.append(request ? "\\&" : "").append(escaped(line)).append('\n');
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-");
    }
}
