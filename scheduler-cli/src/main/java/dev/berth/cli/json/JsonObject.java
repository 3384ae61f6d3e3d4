package dev.berth.cli.json;

import dev.berth.cli.exit.Failure;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object whose fields are asked for by name and kind. A field that is missing or of another kind is a
 * {@link Failure}; fields nobody asks for are ignored, so that a newer server may say more.
 */
public final class JsonObject {
    private final Map<String, @Nullable Object> fields;
    private final Set<String> asked = new HashSet<>();
    private final Source source;

    /** The place of an object in a text, and who is to know what is read from it; null for nobody. */
    record Source(String text, int from, int to, @Nullable JsonSources sources) {}

    JsonObject(Map<String, @Nullable Object> fields, Source source) {
        this.fields = fields;
        this.source = source;
    }

    /** Reads a text that is one object. */
    public static JsonObject parse(byte[] text) {
        return parse(text, null);
    }

    /** Reads a text that is one object, and has {@code sources} know the records that are read from it. */
    public static JsonObject parse(byte[] text, @Nullable JsonSources sources) {
        if (JsonReader.read(new String(text, StandardCharsets.UTF_8), sources) instanceof JsonObject object) {
            return object;
        }
        throw Failure.badAnswer("it is not one JSON object");
    }

    /** The value that {@code view} makes of this object. */
    public <T> T as(Function<JsonObject, T> view) {
        T value = view.apply(this);
        if (source.sources != null && value instanceof Record record) {
            source.sources.keep(record, this);
        }
        return value;
    }

    /** The object as it came, on one line: a line's end stands between values alone. */
    String line() {
        return source.text.substring(source.from, source.to).replace('\n', ' ').replace('\r', ' ');
    }

    public String text(String name) {
        return required(name, String.class);
    }

    public @Nullable String textOrNull(String name) {
        return optional(name, String.class);
    }

    public boolean flag(String name) {
        return required(name, Boolean.class);
    }

    public long number(String name) {
        return required(name, Number.class).longValue();
    }

    public @Nullable Long numberOrNull(String name) {
        Number number = optional(name, Number.class);
        return number == null ? null : number.longValue();
    }

    /** A number of any kind; one of the texts {@code NaN}, {@code Infinity} and {@code -Infinity} where JSON has none. */
    double real(String name) {
        Object value = required(name, Object.class);
        return switch (value) {
            case Number number -> number.doubleValue();
            case String text when text.equals("NaN") -> Double.NaN;
            case String text when text.equals("Infinity") -> Double.POSITIVE_INFINITY;
            case String text when text.equals("-Infinity") -> Double.NEGATIVE_INFINITY;
            default -> throw Failure.badAnswer("'" + name + "' is something else than expected");
        };
    }

    /** A number that fits in 32 bits. */
    public int count(String name) {
        return Math.toIntExact(number(name));
    }

    public @Nullable Integer countOrNull(String name) {
        Number number = optional(name, Number.class);
        return number == null ? null : Math.toIntExact(number.longValue());
    }

    public List<String> texts(String name) {
        return list(name, String.class, text -> text);
    }

    /** Texts, or null where the array is null. */
    public @Nullable List<String> textsOrNull(String name) {
        return optional(name, List.class) == null ? null : texts(name);
    }

    public List<Integer> counts(String name) {
        return list(name, Number.class, Number::intValue);
    }

    /** Numbers, with null for those that are not known. */
    public List<@Nullable Integer> countsOrNull(String name) {
        List<@Nullable Integer> items = new ArrayList<>();
        for (Object item : required(name, List.class)) {
            if (item != null && !(item instanceof Number)) {
                throw Failure.badAnswer("'" + name + "' holds something else than expected");
            }
            items.add(item instanceof Number number ? Math.toIntExact(number.longValue()) : null);
        }
        return items;
    }

    /** The objects of an array, each read by {@code view}. */
    public <T> List<T> objects(String name, Function<JsonObject, T> view) {
        return list(name, JsonObject.class, object -> object.as(view));
    }

    /** The same; none where the field is missing, as in the answer of an earlier server. */
    public <T> List<T> objectsOrNone(String name, Function<JsonObject, T> view) {
        return optional(name, List.class) == null ? List.of() : objects(name, view);
    }

    /** The object of a field, read by {@code view}; null where there is none. */
    public <T> @Nullable T objectOrNull(String name, Function<JsonObject, T> view) {
        JsonObject object = optional(name, JsonObject.class);
        return object == null ? null : object.as(view);
    }

    /** An object within. */
    public JsonObject object(String name) {
        return required(name, JsonObject.class);
    }

    /** An object of texts; empty where the field is missing. */
    public Map<String, String> textMap(String name) {
        JsonObject object = optional(name, JsonObject.class);
        Map<String, String> texts = new HashMap<>();
        if (object != null) {
            object.fields.forEach((key, value) -> texts.put(key, String.valueOf(value)));
        }
        return texts;
    }

    /** The object as one of numbers. */
    SortedMap<String, Long> numbers() {
        SortedMap<String, Long> numbers = new TreeMap<>();
        fields.keySet().forEach(name -> numbers.put(name, number(name)));
        return numbers;
    }

    /** The object as one of texts. */
    SequencedMap<String, String> textsByName() {
        SequencedMap<String, String> texts = new LinkedHashMap<>();
        fields.keySet().forEach(name -> texts.put(name, text(name)));
        return texts;
    }

    /** All fields, as they stand. */
    Map<String, @Nullable Object> fields() {
        return fields;
    }

    /** The fields that nobody has asked for until now. */
    public Map<String, @Nullable Object> rest() {
        Map<String, @Nullable Object> rest = new LinkedHashMap<>(fields);
        rest.keySet().removeAll(asked);
        return rest;
    }

    private <A, T> List<T> list(String name, Class<A> kind, Function<A, T> view) {
        List<T> items = new ArrayList<>();
        for (Object item : required(name, List.class)) {
            if (!kind.isInstance(item)) {
                throw Failure.badAnswer("'" + name + "' holds something else than expected");
            }
            items.add(view.apply(kind.cast(item)));
        }
        return items;
    }

    private <T> T required(String name, Class<T> kind) {
        T value = optional(name, kind);
        if (value == null) {
            throw Failure.badAnswer("'" + name + "' is missing");
        }
        return value;
    }

    private <T> @Nullable T optional(String name, Class<T> kind) {
        asked.add(name);
        Object value = fields.get(name);
        if (value == null) {
            return null;
        }
        if (!kind.isInstance(value)) {
            throw Failure.badAnswer("'" + name + "' is something else than expected");
        }
        return kind.cast(value);
    }
}
