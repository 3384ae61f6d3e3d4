package dev.berth.server.config;

import dev.berth.server.config.ValueType.One;
import dev.berth.server.config.YamlNode.Entries;
import dev.berth.server.config.YamlNode.Entry;
import dev.berth.server.config.YamlNode.Items;
import dev.berth.server.config.YamlNode.Scalar;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The values of a file's lines, each refused with its line where it is of another form than asked for. */
public record Lines(Path file, Problems problems) {

    /**
     * Refuses a line.
     *
     * @param about what is wrong; the sentence goes on from it
     */
    public void refuse(int line, String about, String sentence) {
        problems.add(file + ":" + line + ": " + Problems.shown(about) + ": " + sentence);
    }

    /** A value that breaks a rule. */
    public void broken(Entry entry, String value, String rule) {
        refuse(entry.line(), entry.name(), "'" + Problems.shown(value) + "' " + rule);
    }

    /** The text; empty where there is none, or something else. */
    public Optional<String> text(Entry entry) {
        return switch (entry.value()) {
            case Scalar scalar -> scalar.isNull() ? Optional.empty() : Optional.of(scalar.text());
            case Items _, Entries _ -> {
                refuse(entry.line(), entry.name(), "must be one value and not a list or a section");
                yield Optional.empty();
            }
        };
    }

    /** A duration; empty where there is none, or something else. */
    public Optional<Duration> duration(Entry entry) {
        return value(entry, Types.DURATION);
    }

    /** A whole number of a range; empty where there is none, or something else. */
    public Optional<Integer> number(Entry entry, int min, int max) {
        return value(entry, Types.number(min, max));
    }

    /** An absolute path; empty where there is none, or something else. */
    public Optional<Path> path(Entry entry) {
        return value(entry, Types.PATH);
    }

    /** Users and groups of a list of them. */
    public List<Member> members(Entry entry) {
        List<Member> members = new ArrayList<>();
        for (String name : texts(entry)) {
            Optional<Member> member = Member.parse(name);
            member.ifPresentOrElse(members::add, () -> broken(entry, name, "must be " + Types.MEMBER.rule()));
        }
        return members;
    }

    private <T> Optional<T> value(Entry entry, One<T> type) {
        return text(entry).flatMap(text -> {
            Optional<T> value = type.parser().apply(text);
            if (value.isEmpty()) {
                broken(entry, text, "must be " + type.rule());
            }
            return value;
        });
    }

    /** The entries of a section, without those whose name stands there already; none where it is no section. */
    public List<Entry> section(Entry entry) {
        return switch (entry.value()) {
            case Entries section -> unique(section);
            case Scalar scalar when scalar.isNull() -> List.of();
            case Scalar _, Items _ -> {
                refuse(entry.line(), entry.name(), "is a section; what belongs to it stands below it, indented");
                yield List.of();
            }
        };
    }

    /** The items of a list; none where it is none. */
    public List<YamlNode> items(Entry entry) {
        return switch (entry.value()) {
            case Items items -> items.nodes();
            case Scalar scalar when scalar.isNull() -> List.of();
            case Scalar _, Entries _ -> {
                refuse(entry.line(), entry.name(), "must be a list");
                yield List.of();
            }
        };
    }

    /** The texts of a list of them. */
    public List<String> texts(Entry entry) {
        List<String> texts = new ArrayList<>();
        for (YamlNode item : items(entry)) {
            if (item instanceof Scalar scalar && !scalar.isNull()) {
                texts.add(scalar.text());
            } else {
                refuse(item.line(), entry.name(), "an item must be a name");
            }
        }
        return texts;
    }

    /** The first of each name; the others are refused. */
    public List<Entry> unique(Entries section) {
        Map<String, Integer> before = new HashMap<>();
        List<Entry> unique = new ArrayList<>();
        for (Entry entry : section.entries()) {
            Integer line = before.putIfAbsent(entry.name(), entry.line());
            if (line == null) {
                unique.add(entry);
            } else {
                refuse(entry.line(), entry.name(), "stands in line " + line + " already");
            }
        }
        return unique;
    }
}
