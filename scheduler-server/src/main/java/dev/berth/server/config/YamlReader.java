package dev.berth.server.config;

import dev.berth.server.config.YamlNode.Entries;
import dev.berth.server.config.YamlNode.Entry;
import dev.berth.server.config.YamlNode.Items;
import dev.berth.server.config.YamlNode.Scalar;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlVersionException;

/**
 * YAML 1.2 without what a configuration has no use for: tags, anchors, several documents. The parser's events are read
 * one after the other and never by recursion, so that no nesting can exhaust the stack; nothing is built before all of
 * them are checked.
 */
public final class YamlReader {
    static final int MAX_DEPTH = 8;
    static final int MAX_NODES = 20_000;

    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");

    private final Path file;
    private final int maxDepth;
    private final Problems problems;
    private boolean refused;

    private YamlReader(Path file, int maxDepth, Problems problems) {
        this.file = file;
        this.maxDepth = maxDepth;
        this.problems = problems;
    }

    /** The content of a configuration's text; nothing where the file is empty, and where it is refused. */
    static Optional<YamlNode> read(Path file, String text, Problems problems) {
        return read(file, text, MAX_DEPTH, problems);
    }

    /**
     * The content of the text; nothing where the file is empty, and where it is refused.
     *
     * @param maxDepth how many lists and sections may lie in each other
     */
    public static Optional<YamlNode> read(Path file, String text, int maxDepth, Problems problems) {
        YamlReader reader = new YamlReader(file, maxDepth, problems);
        List<Event> nodes = reader.events(text);
        return reader.refused || nodes.isEmpty() ? Optional.empty() : Optional.of(node(nodes.iterator()));
    }

    private List<Event> events(String text) {
        List<Event> nodes = new ArrayList<>();
        try {
            int documents = 0;
            int depth = 0;
            for (Event event : new Parse(LoadSettings.builder().build()).parseString(text)) {
                documents += event instanceof DocumentStartEvent ? 1 : 0;
                depth += event instanceof CollectionStartEvent ? 1 : event instanceof CollectionEndEvent ? -1 : 0;
                if (event instanceof NodeEvent || event instanceof CollectionEndEvent) {
                    nodes.add(event);
                }
                check(event);
                String tooMuch = tooMuch(documents, depth, nodes.size());
                if (tooMuch != null) {
                    refuse(line(event.getStartMark()), tooMuch);
                    break;
                }
            }
        } catch (ReaderException e) {
            refuse(
                    lineOf(text, e.getPosition()),
                    "holds a character that YAML does not allow (U+%04X)".formatted(e.getCodePoint()));
        } catch (MarkedYamlEngineException e) {
            refuse(line(e.getProblemMark()), "is not YAML: " + Problems.shown(String.valueOf(e.getProblem())));
        } catch (YamlVersionException e) {
            refuse(1, "says that it is of another version than YAML 1.2");
        } catch (YamlEngineException e) {
            refuse(1, "is not YAML: " + Problems.shown(String.valueOf(e.getMessage())));
        }
        return nodes;
    }

    private @Nullable String tooMuch(int documents, int depth, int nodes) {
        return documents > 1
                ? "a second document begins; a configuration is one"
                : depth > maxDepth
                        ? "is nested more than " + maxDepth + " levels deep"
                        : nodes > MAX_NODES ? "holds more than " + MAX_NODES + " values" : null;
    }

    private void check(Event event) {
        int line = line(event.getStartMark());
        if (event instanceof AliasEvent
                || (event instanceof NodeEvent node && node.getAnchor().isPresent())) {
            refuse(line, "anchors and aliases (&name, *name) are not taken; write the value itself");
        }
        Optional<String> tag = switch (event) {
            case ScalarEvent scalar -> scalar.getTag();
            case CollectionStartEvent collection -> collection.getTag();
            default -> Optional.empty();
        };
        tag.ifPresent(name -> refuse(line, "tags (" + Problems.shown(name) + ") are not taken; write the value alone"));
    }

    private void refuse(int line, String sentence) {
        refused = true;
        problems.add(file + ":" + line + ": " + sentence);
    }

    private static int line(Optional<Mark> mark) {
        return mark.map(Mark::getLine).orElse(0) + 1;
    }

    private static int lineOf(String text, int position) {
        int end = text.offsetByCodePoints(0, Math.min(position, text.codePointCount(0, text.length())));
        return 1 + (int) text.substring(0, end).chars().filter(it -> it == '\n').count();
    }

    /** Recursion is bounded here: the depth has been checked. */
    private static YamlNode node(Iterator<Event> events) {
        return node(events.next(), events);
    }

    private static YamlNode node(Event event, Iterator<Event> events) {
        int line = line(event.getStartMark());
        return switch (event) {
            case MappingStartEvent _ -> new Entries(line, entries(events));
            case CollectionStartEvent _ -> new Items(line, items(events));
            case ScalarEvent scalar ->
                new Scalar(line, scalar.getValue(), scalar.isPlain() && NULLS.contains(scalar.getValue()));
            default -> throw new IllegalStateException("an event that begins no node: " + event.getEventId());
        };
    }

    private static List<YamlNode> items(Iterator<Event> events) {
        List<YamlNode> items = new ArrayList<>();
        for (Event next = events.next(); !(next instanceof CollectionEndEvent); next = events.next()) {
            items.add(node(next, events));
        }
        return items;
    }

    private static List<Entry> entries(Iterator<Event> events) {
        List<Entry> entries = new ArrayList<>();
        for (Event next = events.next(); !(next instanceof CollectionEndEvent); next = events.next()) {
            YamlNode key = node(next, events);
            String name = key instanceof Scalar scalar ? scalar.text() : "(a list or a section)";
            entries.add(new Entry(key.line(), name, node(events)));
        }
        return entries;
    }
}
