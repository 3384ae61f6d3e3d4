package dev.berth.server.target;

import dev.berth.core.command.ClosestWord;
import dev.berth.server.config.Lines;
import dev.berth.server.config.YamlNode;
import dev.berth.server.config.YamlNode.Entries;
import dev.berth.server.config.YamlNode.Entry;
import dev.berth.server.config.YamlNode.Items;
import dev.berth.server.config.YamlNode.Scalar;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one section of a target, by their names. Those that do not belong there are refused, and those whose value is of
 * another form than asked for; such a one is as if it were not there.
 */
final class Fields {
    private final Lines lines;
    private final Entry section;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final boolean isWhole;

    /**
     * The settings below a section.
     *
     * @param section with its whole name: {@code targets.cluster.slurm}
     * @param what the section is of, for people: "a Slurm target"
     */
    Fields(Lines lines, Entry section, String what, List<String> known) {
        this.lines = lines;
        this.section = section;
        boolean whole = !(section.value() instanceof Scalar scalar) || scalar.isNull();
        for (Entry entry : lines.section(section)) {
            Entry named = below(section, entry);
            if (known.contains(entry.name())) {
                entries.put(entry.name(), named);
            } else {
                whole = false;
                lines.refuse(
                        entry.line(),
                        named.name(),
                        "is not a setting of " + what + ClosestWord.question(entry.name(), known) + " there are "
                                + String.join(", ", known));
            }
        }
        isWhole = whole;
    }

    /** Whether nothing stands there that does not belong there; what is missing is missed then. */
    boolean isWhole() {
        return isWhole;
    }

    /** The entry under its whole name. */
    static Entry below(Entry section, Entry entry) {
        return new Entry(entry.line(), section.name() + "." + entry.name(), entry.value());
    }

    Lines lines() {
        return lines;
    }

    @Nullable
    Entry entry(String name) {
        return entries.get(name);
    }

    boolean has(String name) {
        return entries.containsKey(name);
    }

    void refuse(String sentence) {
        lines.refuse(section.line(), section.name(), sentence);
    }

    /** The text of this form; null where there is none. */
    @Nullable
    String text(String name, Rule rule) {
        return found(name)
                .flatMap(entry -> lines.text(entry).filter(text -> isGood(lines, entry, text, rule)))
                .orElse(null);
    }

    /** The texts of this form in a list. */
    List<String> texts(String name, Rule rule) {
        return found(name)
                .map(entry -> lines.texts(entry).stream()
                        .filter(text -> isGood(lines, entry, text, rule))
                        .toList())
                .orElse(List.of());
    }

    /** Names and values. */
    Map<String, String> map(String name, Rule key, Rule value) {
        return found(name).map(entry -> map(lines, entry, key, value)).orElse(Map.of());
    }

    /** Words, and the names and values of each, one at least. */
    Map<String, Map<String, String>> maps(String name, Rule word, Rule key, Rule value) {
        Map<String, Map<String, String>> maps = new LinkedHashMap<>();
        found(name)
                .ifPresent(entry -> lines.section(entry).forEach(each -> {
                    Entry whole = below(entry, each);
                    checkName(lines, each, whole, word);
                    if (isEmpty(each.value())) {
                        lines.refuse(each.line(), whole.name(), "needs a name and its value below it, indented");
                    }
                    maps.put(each.name(), map(lines, whole, key, value));
                }));
        return maps;
    }

    private static boolean isEmpty(YamlNode value) {
        return switch (value) {
            case Entries section -> section.entries().isEmpty();
            case Scalar scalar -> scalar.isNull();
            case Items _ -> false;
        };
    }

    /** The names and values of a section. */
    static Map<String, String> map(Lines lines, Entry section, Rule key, Rule value) {
        Map<String, String> map = new LinkedHashMap<>();
        for (Entry each : lines.section(section)) {
            Entry whole = below(section, each);
            checkName(lines, each, whole, key);
            lines.text(whole)
                    .filter(text -> isGood(lines, whole, text, value))
                    .ifPresent(text -> map.put(each.name(), text));
        }
        return map;
    }

    private static void checkName(Lines lines, Entry entry, Entry whole, Rule rule) {
        if (!rule.holds(entry.name())) {
            lines.refuse(entry.line(), whole.name(), "the name must be " + rule.words());
        }
    }

    @Nullable
    Duration duration(String name) {
        return found(name).flatMap(lines::duration).orElse(null);
    }

    @Nullable
    Path path(String name) {
        return found(name).flatMap(lines::path).orElse(null);
    }

    private Optional<Entry> found(String name) {
        return Optional.ofNullable(entries.get(name));
    }

    private static boolean isGood(Lines lines, Entry entry, String text, Rule rule) {
        if (!rule.holds(text)) {
            lines.broken(entry, text, "must be " + rule.words());
        }
        return rule.holds(text);
    }
}
