package dev.berth.server.target;

import dev.berth.server.config.Configuration.Line;
import dev.berth.server.config.YamlNode;
import dev.berth.server.config.YamlNode.Entries;
import dev.berth.server.config.YamlNode.Entry;
import dev.berth.server.config.YamlNode.Items;
import dev.berth.server.config.YamlNode.Scalar;
import java.nio.file.Path;
import java.util.List;

/** What a target's section says, a line a setting, for {@code berth config show}. */
final class ShownLines {
    private ShownLines() {}

    /** Adds the lines of an entry. Of variables the names alone: a value may be a secret. */
    static void of(Path file, Entry entry, List<Line> lines) {
        String from = file + ":" + entry.line();
        switch (entry.value()) {
            case Scalar scalar ->
                lines.add(new Line(entry.name(), scalar.isNull() ? List.of() : List.of(scalar.text()), false, from));
            case Items items ->
                lines.add(new Line(
                        entry.name(),
                        items.nodes().stream().map(ShownLines::item).toList(),
                        true,
                        from));
            case Entries section
            when entry.name().endsWith(".environment") ->
                lines.add(new Line(
                        entry.name(),
                        section.entries().stream().map(Entry::name).toList(),
                        true,
                        from));
            case Entries section
            when section.entries().isEmpty() -> lines.add(new Line(entry.name(), List.of(), false, from));
            case Entries section -> section.entries().forEach(each -> of(file, Fields.below(entry, each), lines));
        }
    }

    private static String item(YamlNode node) {
        return switch (node) {
            case Scalar scalar -> scalar.text();
            case Items items ->
                items.nodes().stream().map(ShownLines::item).toList().toString();
            case Entries section ->
                section.entries().stream()
                        .map(each -> each.name() + ": " + item(each.value()))
                        .toList()
                        .toString();
        };
    }
}
