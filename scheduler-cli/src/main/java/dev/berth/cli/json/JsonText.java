package dev.berth.cli.json;

import dev.berth.core.api.OptionValues;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.parameter.ParametersJson;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Records as JSON: one line, as they came or else the components in their order, nulls written out. */
public final class JsonText {
    private static final String DIGITS = "0123456789abcdef";

    private final StringBuilder json = new StringBuilder(256);
    private final @Nullable JsonSources sources;

    private JsonText(@Nullable JsonSources sources) {
        this.sources = sources;
    }

    /** The JSON of a record made of texts, numbers, booleans, lists, maps and records. */
    public static String of(Record value) {
        return of(value, null);
    }

    /**
     * The JSON of a record made of the same, with records of which some may have been read from the JSON that {@code
     * sources} know.
     */
    public static String of(Record value, @Nullable JsonSources sources) {
        JsonText text = new JsonText(sources);
        text.write(value);
        return text.json.toString();
    }

    /** The JSON object of values by their names, made of the same. */
    public static String of(Map<String, Object> values) {
        JsonText text = new JsonText(null);
        text.write(values);
        return text.json.toString();
    }

    /** A text as JSON, with its quotation marks. */
    public static String quoted(String value) {
        JsonText text = new JsonText(null);
        text.string(value);
        return text.json.toString();
    }

    private void write(@Nullable Object value) {
        switch (value) {
            case null -> json.append("null");
            case String text -> string(text);
            case Integer number -> json.append(number.intValue());
            case Long number -> json.append(number.longValue());
            case Boolean flag -> json.append(flag.booleanValue());
            case Double number when Double.isFinite(number) -> json.append(number.doubleValue());
            // JSON has no such number.
            case Double number -> string(number.toString());
            case JsonObject object -> write(object.fields());
            case Iterable<?> items -> {
                json.append('[');
                for (Object item : items) {
                    comma('[');
                    write(item);
                }
                json.append(']');
            }
            case Map<?, ?> entries -> {
                json.append('{');
                fields(entries);
                json.append('}');
            }
            case Parameters parameters -> json.append(ParametersJson.of(parameters));
            case Record nested -> record(nested);
            default -> throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }

    private void record(Record value) {
        String source = sources == null ? null : sources.of(value);
        if (source != null) {
            json.append(source);
            return;
        }
        json.append('{');
        for (RecordComponent component : value.getClass().getRecordComponents()) {
            try {
                Method accessor = component.getAccessor();
                accessor.setAccessible(true);
                Object inner = accessor.invoke(value);
                if (inner instanceof OptionValues options) {
                    fields(options.values());
                } else {
                    field(component.getName(), inner);
                }
            } catch (ReflectiveOperationException impossible) {
                throw new IllegalStateException("no access to " + component, impossible);
            }
        }
        json.append('}');
    }

    private void fields(Map<?, ?> entries) {
        for (Map.Entry<?, ?> entry : entries.entrySet()) {
            field(String.valueOf(entry.getKey()), entry.getValue());
        }
    }

    private void field(String name, @Nullable Object value) {
        comma('{');
        string(name);
        json.append(':');
        write(value);
    }

    private void comma(char open) {
        if (json.charAt(json.length() - 1) != open) {
            json.append(',');
        }
    }

    private void string(String text) {
        json.append('"');
        for (int at = 0; at < text.length(); at++) {
            char next = text.charAt(at);
            if (next == '"' || next == '\\') {
                json.append('\\').append(next);
            } else if (next >= ' ' && !isHalf(text, at)) {
                json.append(next);
            } else {
                escape(next);
            }
        }
        json.append('"');
    }

    /** Half of a character beyond 16 bits, the other half of which is not there: it has no bytes in UTF-8. */
    private static boolean isHalf(String text, int at) {
        char next = text.charAt(at);
        return Character.isHighSurrogate(next)
                ? at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1))
                : Character.isLowSurrogate(next) && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
    }

    private void escape(char value) {
        switch (value) {
            case '\n' -> json.append("\\n");
            case '\r' -> json.append("\\r");
            case '\t' -> json.append("\\t");
            default -> {
                json.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    json.append(DIGITS.charAt(value >> shift & 0xf));
                }
            }
        }
    }
}
