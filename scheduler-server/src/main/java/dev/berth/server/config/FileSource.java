package dev.berth.server.config;

import dev.berth.server.config.YamlNode.Entries;
import dev.berth.server.config.YamlNode.Entry;
import dev.berth.server.config.YamlNode.Items;
import dev.berth.server.config.YamlNode.Scalar;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The settings that one file sets. For one reading. */
final class FileSource {
    private final Path file;
    private final Set<Key<?>> passedOver;
    private final Values values;
    private final NamedSection named;
    private final Problems problems;
    private final Map<String, Integer> lines = new HashMap<>();

    private FileSource(Path file, Set<Key<?>> passedOver, Values values, NamedSection named, Problems problems) {
        this.file = file;
        this.passedOver = passedOver;
        this.values = values;
        this.named = named;
        this.problems = problems;
    }

    /**
     * Puts in what a file's text says.
     *
     * @param passedOver the settings that do not count in this file
     */
    static void read(
            Path file, String text, Set<Key<?>> passedOver, Values values, NamedSection named, Problems problems) {
        FileSource source = new FileSource(file, passedOver, values, named, problems);
        YamlReader.read(file, text, problems).ifPresent(source::root);
    }

    private void root(YamlNode node) {
        switch (node) {
            case Entries entries -> entries.entries().forEach(this::section);
            case Scalar scalar when scalar.isNull() -> {}
            case Scalar _, Items _ ->
                refuse(node.line(), "holds no settings; it begins with a section, such as server:");
        }
    }

    private void section(Entry entry) {
        boolean known = Keys.SECTIONS.contains(entry.name());
        if (isAgain(entry, entry.name())) {
            return;
        }
        if (entry.name().equals(named.name())) {
            named.read(new Lines(file, problems), entry);
            return;
        }
        switch (entry.value()) {
            case Entries settings -> settings.entries().forEach(setting -> setting(entry.name(), setting));
            case Scalar scalar when known && scalar.isNull() -> {}
            case Scalar _, Items _ -> {
                if (known) {
                    refuse(entry.line(), entry.name() + ": is a section; its settings stand below it, indented");
                } else if (Keys.NAMES.contains(entry.name())) {
                    String name = entry.name().substring(entry.name().indexOf('.') + 1);
                    String section = entry.name().substring(0, entry.name().indexOf('.'));
                    refuse(
                            entry.line(),
                            entry.name() + ": is written as " + name + ": below " + section + ":, indented");
                } else {
                    unknown(entry.line(), entry.name());
                }
            }
        }
    }

    private void setting(String section, Entry entry) {
        String name = section + "." + entry.name();
        if (isAgain(entry, name)) {
            return;
        }
        for (Key<?> key : Keys.ALL) {
            if (key.name().equals(name)) {
                if (!passedOver.contains(key)) {
                    value(key, entry);
                }
                return;
            }
        }
        unknown(entry.line(), name);
    }

    private void value(Key<?> key, Entry entry) {
        Origin origin = new Origin.Line(file, entry.line());
        switch (entry.value()) {
            case Scalar scalar
            when key.type().isList() || (scalar.isNull() && !key.isOptional()) ->
                refuse(
                        entry.line(),
                        key.name() + ": must be "
                                + (key.type().isList()
                                        ? "a list, such as [a, b]; [] is the empty one"
                                        : key.type().rule())
                                + (scalar.isNull() ? "; nothing stands there" : ""));
            case Scalar scalar -> values.put(key, scalar.isNull() ? List.of() : List.of(scalar.text()), origin);
            case Items items when key.type().isList() -> items(key, items, origin);
            case Items _, Entries _ ->
                refuse(
                        entry.line(),
                        key.name() + ": must be "
                                + (key.type().isList()
                                        ? "a list, such as [a, b], and not a section"
                                        : "one value and not a list or a section: "
                                                + key.type().rule()));
        }
    }

    private void items(Key<?> key, Items items, Origin origin) {
        List<String> texts = new ArrayList<>();
        for (YamlNode item : items.nodes()) {
            if (item instanceof Scalar scalar) {
                texts.add(scalar.text());
            } else {
                refuse(
                        item.line(),
                        key.name() + ": an item must be " + key.type().rule());
                return;
            }
        }
        values.put(key, texts, origin);
    }

    private boolean isAgain(Entry entry, String name) {
        Integer before = lines.putIfAbsent(name, entry.line());
        if (before != null) {
            refuse(entry.line(), Problems.shown(name) + ": stands in line " + before + " already");
        }
        return before != null;
    }

    private void unknown(int line, String name) {
        refuse(
                line,
                Problems.shown(name) + ": is not a setting" + NearestName.question(NearestName.key(name, Keys.NAMES)));
    }

    private void refuse(int line, String sentence) {
        problems.add(file + ":" + line + ": " + sentence);
    }
}
