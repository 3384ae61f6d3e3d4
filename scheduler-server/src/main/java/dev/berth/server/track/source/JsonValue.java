package dev.berth.server.track.source;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.berth.server.json.JsonCopy;
import dev.berth.server.track.source.Problem.Kind;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** A value of a line: numbers keep the text that they were written with. */
sealed interface JsonValue {
    int MAX_DEPTH = 16;

    /** The text of a value that must be one; that of an object or a list is one that breaks every rule but a text's. */
    String text();

    /** The text of a value that must be a number; null where there is none. */
    default @Nullable String number() {
        return text();
    }

    /** A text, or a number as it was written. */
    record Scalar(String text) implements JsonValue {}

    record Truth(boolean isTrue) implements JsonValue {
        @Override
        public String text() {
            return Boolean.toString(isTrue);
        }

        @Override
        public String number() {
            return isTrue ? "1" : "0";
        }
    }

    record Nothing() implements JsonValue {
        @Override
        public String text() {
            return "null";
        }

        @Override
        public @Nullable String number() {
            return null;
        }
    }

    /** A list, as JSON without spaces. */
    record Items(String text) implements JsonValue {}

    /** An object that stands too deep: it is left out, and named as a problem already. */
    record TooDeep() implements JsonValue {
        @Override
        public String text() {
            return "{...}";
        }
    }

    record Members(SequencedMap<String, JsonValue> values) implements JsonValue {
        @Override
        public String text() {
            return values.isEmpty() ? "{}" : "{...}";
        }

        /**
         * Gives the values of all levels, under the names on the way to them, joined by points. No name is made of one that
         * is too long already: a line of 64 KiB would become hundreds of MiB.
         */
        void flatten(String prefix, CheckedEntries to) {
            if (prefix.length() > TrackText.MAX_NAME_BYTES) {
                to.problem(Kind.NAME, prefix);
                return;
            }
            values.forEach((key, value) -> {
                String name = prefix.isEmpty() ? key : prefix + '.' + key;
                if (value instanceof Members members && !members.values.isEmpty()) {
                    members.flatten(name, to);
                } else if (!(value instanceof TooDeep)) {
                    to.parameter(name, value.text());
                }
            });
        }
    }

    /** Reads the value that begins at the parser's token. */
    static JsonValue read(JsonParser json, List<Problem> problems) throws IOException {
        return read(json, problems, 0);
    }

    private static JsonValue read(JsonParser json, List<Problem> problems, int depth) throws IOException {
        return switch (json.currentToken()) {
            case VALUE_TRUE -> new Truth(true);
            case VALUE_FALSE -> new Truth(false);
            case VALUE_NULL -> new Nothing();
            case START_ARRAY -> new Items(JsonCopy.of(json));
            case START_OBJECT -> members(json, problems, depth);
            default -> new Scalar(json.getText());
        };
    }

    private static Members members(JsonParser json, List<Problem> problems, int depth) throws IOException {
        SequencedMap<String, JsonValue> members = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            if (json.nextToken() == JsonToken.START_OBJECT && depth + 1 >= MAX_DEPTH) {
                json.skipChildren();
                members.put(key, new TooDeep());
                problems.add(Problem.of(Kind.TOO_DEEP, key));
            } else if (members.put(key, read(json, problems, depth + 1)) != null) {
                problems.add(Problem.of(Kind.KEY_TWICE, key));
            }
        }
        return new Members(members);
    }
}
