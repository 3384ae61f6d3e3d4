package dev.berth.server.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import dev.berth.server.store.database.StoreException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object of the database that is read field by field. A field that is absent or null has no value; one that nobody
 * asked for, or that is of another kind, is refused: a newer Berth has written it, and it means something.
 */
final class StoredObject {
    private final String name;
    private final JsonNode object;
    private final Set<String> asked = new HashSet<>();

    /**
     * An object that has not been read yet.
     *
     * @param name what to call it in an error
     */
    StoredObject(String name, JsonNode object) {
        this.name = name;
        this.object = object;
        if (!object.isObject()) {
            throw unknown("", object);
        }
    }

    @Nullable
    String text(String field) {
        JsonNode value = find(field, JsonNodeType.STRING);
        return value == null ? null : value.textValue();
    }

    @Nullable
    Long number(String field) {
        JsonNode value = integral(field, JsonNode::canConvertToLong);
        return value == null ? null : value.longValue();
    }

    @Nullable
    Integer integer(String field) {
        JsonNode value = integral(field, JsonNode::canConvertToInt);
        return value == null ? null : value.intValue();
    }

    /** False where there is none. */
    boolean flag(String field) {
        JsonNode value = find(field, JsonNodeType.BOOLEAN);
        return value != null && value.booleanValue();
    }

    /** Empty where there is none. */
    List<String> texts(String field) {
        return list(field, JsonNodeType.STRING, JsonNode::textValue);
    }

    /** Empty where there is none. */
    <T> List<T> objects(String field, Function<StoredObject, T> read) {
        return list(field, JsonNodeType.OBJECT, node -> of(field, node, read));
    }

    <T> @Nullable T object(String field, Function<StoredObject, T> read) {
        JsonNode value = find(field, JsonNodeType.OBJECT);
        return value == null ? null : of(field, value, read);
    }

    /** Refuses what was not asked for. */
    void end() {
        for (Iterator<String> fields = object.fieldNames(); fields.hasNext(); ) {
            String field = fields.next();
            if (!asked.contains(field)) {
                throw unknown("." + field, object.get(field));
            }
        }
    }

    private <T> T of(String field, JsonNode node, Function<StoredObject, T> read) {
        StoredObject inner = new StoredObject(name + "." + field, node);
        T value = read.apply(inner);
        inner.end();
        return value;
    }

    private <T> List<T> list(String field, JsonNodeType kind, Function<JsonNode, T> read) {
        JsonNode value = find(field, JsonNodeType.ARRAY);
        List<T> items = new ArrayList<>();
        if (value != null) {
            for (JsonNode item : value) {
                if (item.getNodeType() != kind) {
                    throw unknown("." + field, item);
                }
                items.add(read.apply(item));
            }
        }
        return items;
    }

    private @Nullable JsonNode integral(String field, Predicate<JsonNode> fits) {
        JsonNode value = find(field, JsonNodeType.NUMBER);
        if (value != null && !(value.isIntegralNumber() && fits.test(value))) {
            throw unknown("." + field, value);
        }
        return value;
    }

    private @Nullable JsonNode find(String field, JsonNodeType kind) {
        asked.add(field);
        JsonNode value = object.get(field);
        if (value == null || value.isNull()) {
            return null;
        }
        if (value.getNodeType() != kind) {
            throw unknown("." + field, value);
        }
        return value;
    }

    private StoreException unknown(String path, JsonNode value) {
        return StoreException.unknown(name + path, value.toString());
    }
}
