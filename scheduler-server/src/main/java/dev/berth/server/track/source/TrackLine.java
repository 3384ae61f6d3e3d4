package dev.berth.server.track.source;

import com.fasterxml.jackson.core.JsonParser;
import dev.berth.server.track.source.Problem.Kind;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** What one line of the file holds: collected while it is read, since its keys have no order, then given as entries. */
final class TrackLine {
    private final Map<Field, JsonValue> values = new EnumMap<>(Field.class);
    private final List<Problem> problems = new ArrayList<>(0);

    /** The keys that have a meaning. */
    private enum Field {
        METRIC,
        PARAM,
        TAG,
        VALUE,
        STEP,
        TIME,
        ARTIFACT,
        KEY,
        PROGRESS,
        OF,
        UNIT;

        static @Nullable Field of(String key) {
            return switch (key) {
                case "metric" -> METRIC;
                case "param" -> PARAM;
                case "tag" -> TAG;
                case "value" -> VALUE;
                case "step" -> STEP;
                case "time" -> TIME;
                case "artifact" -> ARTIFACT;
                case "key" -> KEY;
                case "progress" -> PROGRESS;
                case "of" -> OF;
                case "unit" -> UNIT;
                default -> null;
            };
        }

        String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether the field may be this object or list; a number that is one is named as what breaks its own rule. */
        boolean takes(JsonValue value) {
            return switch (this) {
                case METRIC, PARAM, TAG -> value instanceof JsonValue.Members;
                case VALUE, STEP, TIME, PROGRESS, OF -> true;
                case ARTIFACT, KEY, UNIT -> false;
            };
        }
    }

    /** Reads the field whose name is the parser's token. A key that has no meaning is passed over: later versions may. */
    void read(JsonParser json) throws IOException {
        Field field = Field.of(json.currentName());
        json.nextToken();
        if (field == null) {
            json.skipChildren();
            return;
        }
        JsonValue value = JsonValue.read(json, problems);
        String key = field.key();
        if (values.containsKey(field)) {
            problems.add(Problem.of(Kind.KEY_TWICE, key));
        }
        boolean isText = !(value instanceof JsonValue.Items || value instanceof JsonValue.Members);
        if (field != Field.VALUE && value instanceof JsonValue.Nothing) {
            // As if the key were missing.
            values.remove(field);
        } else if (isText || field.takes(value)) {
            values.put(field, value);
        } else {
            problems.add(Problem.of(Kind.TEXT, key));
        }
    }

    void give(CheckedEntries to, String line) {
        problems.forEach(to::problem);
        JsonValue metric = value(Field.METRIC);
        JsonValue parameter = value(Field.PARAM);
        JsonValue tag = value(Field.TAG);
        JsonValue artifact = value(Field.ARTIFACT);
        JsonValue progress = value(Field.PROGRESS);
        if (metric == null && parameter == null && tag == null && artifact == null && progress == null) {
            if (problems.isEmpty()) {
                to.problem(Kind.NOTHING_TOLD, line);
            }
            return;
        }
        // The value is that of the first of metric, param and tag that is a name.
        JsonValue value = value(Field.VALUE);
        Instant time = to.time(text(Field.TIME));
        if (metric != null) {
            giveMetrics(metric, value, time, to);
        }
        boolean isTaken = metric != null && !(metric instanceof JsonValue.Members);
        if (parameter != null) {
            giveParameters(parameter, isTaken ? null : value, to);
        }
        isTaken |= parameter != null && !(parameter instanceof JsonValue.Members);
        if (tag != null) {
            giveTags(tag, isTaken ? null : value, to);
        }
        if (artifact != null) {
            to.artifact(artifact.text(), text(Field.KEY), time);
        }
        if (progress != null) {
            to.progress(progress.text(), text(Field.OF), text(Field.UNIT), time);
        }
    }

    private void giveMetrics(JsonValue metric, @Nullable JsonValue value, @Nullable Instant time, CheckedEntries to) {
        Long step = to.step(text(Field.STEP));
        if (metric instanceof JsonValue.Members(SequencedMap<String, JsonValue> metrics)) {
            metrics.forEach((name, each) -> to.point(name, step, time, each.number()));
        } else {
            to.point(metric.text(), step, time, value == null ? null : value.number());
        }
    }

    private static void giveParameters(JsonValue parameter, @Nullable JsonValue value, CheckedEntries to) {
        if (parameter instanceof JsonValue.Members parameters) {
            parameters.flatten("", to);
        } else if (value instanceof JsonValue.Members members
                && !members.values().isEmpty()) {
            members.flatten(parameter.text(), to);
        } else {
            to.parameter(parameter.text(), value == null ? null : value.text());
        }
    }

    private static void giveTags(JsonValue tag, @Nullable JsonValue value, CheckedEntries to) {
        if (tag instanceof JsonValue.Members(SequencedMap<String, JsonValue> tags)) {
            tags.forEach((name, each) -> giveTag(name, each, to));
        } else {
            giveTag(tag.text(), value == null ? new JsonValue.Nothing() : value, to);
        }
    }

    private static void giveTag(String name, JsonValue value, CheckedEntries to) {
        switch (value) {
            case JsonValue.Nothing _ -> to.tag(name, "");
            case JsonValue.Scalar scalar -> to.tag(name, scalar.text());
            case JsonValue.Truth truth -> to.tag(name, truth.text());
            case JsonValue.Items _, JsonValue.Members _, JsonValue.TooDeep _ -> to.problem(Kind.TEXT, name);
        }
    }

    private @Nullable JsonValue value(Field field) {
        return values.get(field);
    }

    private @Nullable String text(Field field) {
        JsonValue value = values.get(field);
        return value == null ? null : value.text();
    }
}
