package dev.berth.server.http.exchange;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.berth.core.api.OptionValues;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.option.JobOption;
import dev.berth.core.option.OptionKind;
import dev.berth.core.parameter.Parameters;
import dev.berth.server.json.ParametersReader;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A submit's request: its own fields, and beside them those of the options, of the types that their kinds have. A null is
 * refused: what a client's program has no value for would else become a default, such as a job of 0 GPUs.
 */
final class SubmitReader extends StdDeserializer<SubmitRequest> {
    private static final long serialVersionUID = 1L;
    private static final TypeFactory TYPES = TypeFactory.defaultInstance();
    private static final JavaType TEXT = TYPES.constructType(String.class);
    private static final JavaType TEXTS = TYPES.constructCollectionType(List.class, String.class);
    private static final JavaType VARIABLES = TYPES.constructMapType(LinkedHashMap.class, String.class, String.class);
    private static final JavaType INTEGER = TYPES.constructType(Integer.class);
    private static final JavaType LONG = TYPES.constructType(Long.class);
    private static final JavaType FLAG = TYPES.constructType(Boolean.class);
    private static final String PARAMETERS = "parameters";
    private static final Map<String, JavaType> OWN = Map.of(
            "command",
            TEXTS,
            "snapshot",
            TEXT,
            "gpuMilli",
            INTEGER,
            "host",
            FLAG,
            "directory",
            TEXT,
            "shell",
            FLAG,
            "target",
            TEXT,
            PARAMETERS,
            TYPES.constructType(Object.class));
    private static final Map<String, JavaType> FIELDS = fields();

    SubmitReader() {
        super(SubmitRequest.class);
    }

    private static Map<String, JavaType> fields() {
        Map<String, JavaType> fields = new LinkedHashMap<>(OWN);
        for (JobOption option : JobOption.values()) {
            fields.put(option.field(), type(option.kind()));
        }
        return fields;
    }

    private static JavaType type(OptionKind kind) {
        return switch (kind) {
            case FLAG -> FLAG;
            case TEXT, PULL, SIGNAL, DATE, TASKS, TASK_COUNT -> TEXT;
            case TEXTS, VOLUMES, JOBS, DEPENDENCIES -> TEXTS;
            case VARIABLES, VARIABLE_FILES -> VARIABLES;
            case GPUS, CPUS -> INTEGER;
            case NUMBER, SIZE, MEMORY, DURATION -> LONG;
        };
    }

    @Override
    public SubmitRequest deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        if (!parser.isExpectedStartObjectToken()) {
            throw MismatchedInputException.from(parser, SubmitRequest.class, "no object");
        }
        Map<String, @Nullable Object> options = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JavaType type = FIELDS.get(name);
            if (type == null) {
                throw UnrecognizedPropertyException.from(
                        parser, SubmitRequest.class, name, List.copyOf(FIELDS.keySet()));
            }
            if (parser.nextToken() == JsonToken.VALUE_NULL) {
                throw ApiException.field(
                        name,
                        "null",
                        "must be " + Json.inWords(type.getRawClass()) + "; leave the field out for its default");
            }
            options.put(name, name.equals(PARAMETERS) ? parameters(parser) : value(parser, context, name, type));
        }
        return new SubmitRequest(
                texts(options.remove("command")),
                (String) options.remove("snapshot"),
                (Integer) options.remove("gpuMilli"),
                Boolean.TRUE.equals(options.remove("host")),
                (String) options.remove("directory"),
                Boolean.TRUE.equals(options.remove("shell")),
                (Parameters) options.remove(PARAMETERS),
                (String) options.remove("target"),
                new OptionValues(options));
    }

    private static Parameters parameters(JsonParser parser) throws IOException {
        try {
            return ParametersReader.read(parser);
        } catch (IllegalArgumentException e) {
            throw ApiException.field(PARAMETERS, "", String.valueOf(e.getMessage()));
        }
    }

    @SuppressWarnings("unchecked")
    private static @Nullable List<String> texts(@Nullable Object value) {
        return (List<String>) value;
    }

    private static Object value(JsonParser parser, DeserializationContext context, String name, JavaType type)
            throws IOException {
        try {
            return context.readValue(parser, type);
        } catch (JsonMappingException e) {
            e.prependPath(SubmitRequest.class, name);
            throw e;
        } catch (InputCoercionException e) {
            throw JsonMappingException.wrapWithPath(e, SubmitRequest.class, name);
        }
    }
}
