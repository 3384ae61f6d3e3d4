package dev.berth.cli.sweep;

import dev.berth.core.sweep.SourceLine;
import dev.berth.core.sweep.SweepRefusal;
import dev.berth.core.sweep.SweepValue;
import dev.berth.core.sweep.SweepValue.Items;
import dev.berth.core.sweep.SweepValue.Scalar;
import dev.berth.core.sweep.SweepValue.Section;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
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

/**
 * YAML documents as values, out of the parser's events. Depth and number of values are bounded as they come, with what
 * anchors stand for, so that no aliases multiply into more than memory holds.
 */
public final class YamlDocuments {
    static final int MAX_DEPTH = 32;
    static final int MAX_VALUES = 200_000;

    /** A text of that many characters more counts as one value more. */
    private static final int CHARACTERS = 32;

    /** The words by which YAML says that a value is not there. */
    private static final List<String> NOTHING = List.of("", "~", "null");

    private final String file;
    private final @Nullable List<String> unexpectedTexts;
    private final Map<Anchor, Counted> anchors = new HashMap<>();
    private Iterator<Event> events = List.<Event>of().iterator();
    private int values;

    /** A value with the number of values in it and how many levels they have. */
    private record Counted(SweepValue value, int count, int height) {}

    private YamlDocuments(String file, @Nullable List<String> unexpectedTexts) {
        this.file = file;
        this.unexpectedTexts = unexpectedTexts;
    }

    /**
     * The documents of a text.
     *
     * @param file its name, as people know it
     * @param unexpectedTexts takes the places and values of what is a text to CW2 and looks like a number
     */
    static List<SweepValue> read(String file, String text, List<String> unexpectedTexts) {
        return checked(file, text, unexpectedTexts);
    }

    /**
     * The documents of a text, whose values are texts as they are written, or null where nothing is written.
     *
     * @param file its name, as people know it
     * @throws SweepRefusal where it is not YAML, or too much
     */
    public static List<SweepValue> texts(String file, String text) {
        return checked(file, text, null);
    }

    /** @param unexpectedTexts null where all values are texts */
    private static List<SweepValue> checked(String file, String text, @Nullable List<String> unexpectedTexts) {
        try {
            return new YamlDocuments(file, unexpectedTexts).documents(text);
        } catch (ReaderException e) {
            throw new SweepRefusal(
                    new SourceLine(file, lineOf(text, e.getPosition())),
                    "holds a character that YAML does not allow (U+"
                            + Integer.toHexString(0x10000 + e.getCodePoint()).substring(1) + ")");
        } catch (MarkedYamlEngineException e) {
            throw new SweepRefusal(new SourceLine(file, line(e.getProblemMark())), "is not YAML: " + e.getProblem());
        } catch (YamlEngineException e) {
            throw new SweepRefusal(new SourceLine(file, 1), "is not YAML: " + e.getMessage());
        }
    }

    private static int lineOf(String text, int position) {
        int end = text.offsetByCodePoints(0, Math.min(position, text.codePointCount(0, text.length())));
        return 1
                + (int) text.substring(0, end)
                        .chars()
                        .filter(each -> each == '\n')
                        .count();
    }

    private static int line(Optional<Mark> mark) {
        return mark.map(Mark::getLine).orElse(0) + 1;
    }

    private SourceLine place(Event event) {
        return new SourceLine(file, line(event.getStartMark()));
    }

    private List<SweepValue> documents(String text) {
        events = new Parse(LoadSettings.builder().build()).parseString(text).iterator();
        List<SweepValue> documents = new ArrayList<>();
        while (events.hasNext()) {
            if (events.next() instanceof DocumentStartEvent) {
                anchors.clear();
                documents.add(read(events.next(), 0).value);
            }
        }
        return documents;
    }

    /** Recursion is bounded by the depth. */
    private Counted read(Event event, int depth) {
        if (event instanceof AliasEvent alias) {
            return anchored(alias, depth);
        }
        if (event instanceof CollectionStartEvent && depth >= MAX_DEPTH) {
            throw tooDeep(event);
        }
        Optional<Anchor> anchor = event instanceof NodeEvent node ? node.getAnchor() : Optional.empty();
        // What stands in itself is not there yet.
        anchor.ifPresent(anchors::remove);
        Counted read = switch (event) {
            case ScalarEvent scalar -> scalar(scalar);
            case MappingStartEvent map -> section(map, depth + 1);
            case CollectionStartEvent list -> items(list, depth + 1);
            default -> throw new IllegalStateException("an event that begins no value: " + event.getEventId());
        };
        anchor.ifPresent(name -> anchors.put(name, read));
        return read;
    }

    private SweepRefusal tooDeep(Event event) {
        return new SweepRefusal(place(event), "is nested more than " + MAX_DEPTH + " levels deep");
    }

    private void count(Event event, int more) {
        values += more;
        if (values > MAX_VALUES) {
            throw new SweepRefusal(
                    place(event),
                    "the file holds more than " + MAX_VALUES
                            + " values up to here, with what its anchors stand for; make" + " several files of it");
        }
    }

    private Counted anchored(AliasEvent alias, int depth) {
        Counted meant = anchors.get(alias.getAlias());
        if (meant == null) {
            throw new SweepRefusal(
                    place(alias),
                    "*" + alias.getAlias().getValue() + " stands for nothing: there is no &"
                            + alias.getAlias().getValue() + " that ends above it in this document");
        }
        if (depth + meant.height > MAX_DEPTH) {
            throw tooDeep(alias);
        }
        count(alias, meant.count);
        return meant;
    }

    private void refuseTag(Event event, Optional<String> tag) {
        tag.ifPresent(name -> {
            throw new SweepRefusal(
                    place(event), "tags (" + name + ") are not taken; write the value alone, and a text in quotes");
        });
    }

    private Counted scalar(ScalarEvent event) {
        refuseTag(event, event.getTag());
        String text = event.getValue();
        int weight = 1 + text.length() / CHARACTERS;
        count(event, weight);
        SourceLine place = place(event);
        if (!event.isPlain()) {
            return new Counted(new Scalar(place, text), weight, 0);
        }
        if (unexpectedTexts == null) {
            return new Counted(new Scalar(place, NOTHING.contains(text) ? null : text), weight, 0);
        }
        String refusal = PlainScalar.refusal(text);
        if (refusal != null) {
            throw new SweepRefusal(place, text + " " + refusal + "; put it in quotes, or write what you mean");
        }
        if (PlainScalar.isUnexpectedText(text)) {
            unexpectedTexts.add(place + ": " + text);
        }
        return new Counted(new Scalar(place, PlainScalar.of(text)), weight, 0);
    }

    private Counted items(CollectionStartEvent start, int depth) {
        refuseTag(start, start.getTag());
        count(start, 1);
        List<SweepValue> items = new ArrayList<>();
        int count = 1;
        int height = 0;
        for (Event next = events.next(); !(next instanceof CollectionEndEvent); next = events.next()) {
            Counted item = read(next, depth);
            items.add(item.value);
            count += item.count;
            height = Math.max(height, item.height);
        }
        return new Counted(new Items(place(start), items), count, height + 1);
    }

    private Counted section(MappingStartEvent start, int depth) {
        refuseTag(start, start.getTag());
        count(start, 1);
        YamlEntries entries = new YamlEntries();
        int count = 1;
        int height = 0;
        for (Event next = events.next(); !(next instanceof CollectionEndEvent); next = events.next()) {
            if (!(next instanceof ScalarEvent key)) {
                throw new SweepRefusal(place(next), "a key must be a word, and is a list, a map or an alias");
            }
            refuseTag(key, key.getTag());
            Counted entry = read(events.next(), depth);
            entries.add(place(key), key.getValue(), key.isPlain(), entry.value);
            count += entry.count + 1 + key.getValue().length() / CHARACTERS;
            height = Math.max(height, entry.height);
        }
        return new Counted(new Section(place(start), entries.merged()), count, height + 1);
    }
}
