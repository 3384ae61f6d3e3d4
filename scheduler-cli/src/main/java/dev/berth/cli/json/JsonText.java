package dev.berth.cli.json;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Records as JSON: one line, the components in their order, nulls written out. */
public final class JsonText {
    private JsonText() {}

    /** The JSON of a record made of texts, numbers, booleans, lists, maps and records. */
    public static String of(Record value) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (JsonGenerator json = JsonObject.FACTORY.createGenerator(text)) {
            write(json, value);
        } catch (IOException impossible) {
            throw new IllegalStateException("writing to memory failed", impossible);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
        switch (value) {
            case null -> json.writeNull();
            case String text -> json.writeString(text);
            case Integer number -> json.writeNumber(number);
            case Long number -> json.writeNumber(number);
            case Boolean flag -> json.writeBoolean(flag);
            case Iterable<?> items -> {
                json.writeStartArray();
                for (Object item : items) {
                    write(json, item);
                }
                json.writeEndArray();
            }
            case Map<?, ?> entries -> {
                json.writeStartObject();
                for (Map.Entry<?, ?> entry : entries.entrySet()) {
                    json.writeFieldName(String.valueOf(entry.getKey()));
                    write(json, entry.getValue());
                }
                json.writeEndObject();
            }
            case Record nested -> components(json, nested);
            default -> throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }

    private static void components(JsonGenerator json, Record value) throws IOException {
        json.writeStartObject();
        for (RecordComponent component : value.getClass().getRecordComponents()) {
            json.writeFieldName(component.getName());
            try {
                Method accessor = component.getAccessor();
                accessor.setAccessible(true);
                write(json, accessor.invoke(value));
            } catch (ReflectiveOperationException impossible) {
                throw new IllegalStateException("no access to " + component, impossible);
            }
        }
        json.writeEndObject();
    }
}
