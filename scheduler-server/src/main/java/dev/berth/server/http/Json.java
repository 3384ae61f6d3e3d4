package dev.berth.server.http;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.stream.Collectors;

/** JSON in and out. Reading is strict: no unknown or doubled keys, no number for a string, nothing behind the end. */
final class Json {
    /** What a request body may take; directories travel another way. */
    static final int MAX_BODY_BYTES = 1 << 20;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonReadFeature.ALLOW_TRAILING_COMMA)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfig(
                    LogicalType.Textual,
                    config -> config.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
            .disable(JsonParser.Feature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private Json() {}

    static void write(OutputStream out, Object value) throws IOException {
        out.write(MAPPER.writeValueAsBytes(value));
    }

    static String text(Object value) throws IOException {
        return MAPPER.writeValueAsString(value);
    }

    /**
     * Reads a request's body.
     *
     * @throws ApiException naming the field, the value and the rule where the body is not what it must be
     */
    static <T> T read(InputStream in, Class<T> type) throws IOException {
        byte[] body = in.readNBytes(MAX_BODY_BYTES + 1);
        if (body.length > MAX_BODY_BYTES) {
            throw ApiException.tooLarge("the request's body is larger than " + MAX_BODY_BYTES + " bytes");
        }
        try {
            T value = MAPPER.readValue(body, type);
            if (value == null) {
                throw ApiException.badRequest("the request's body is null; it must be a JSON object");
            }
            return value;
        } catch (UnrecognizedPropertyException e) {
            throw ApiException.field(
                    e.getPropertyName(),
                    e.getPropertyName(),
                    "is not a field of this request; there are: "
                            + e.getKnownPropertyIds().stream()
                                    .map(String::valueOf)
                                    .sorted()
                                    .collect(Collectors.joining(", ")));
        } catch (MismatchedInputException e) {
            throw ApiException.badRequest(where(e) + ": " + e.getOriginalMessage());
        } catch (JacksonException e) {
            throw ApiException.badRequest("the request's body is not JSON: " + e.getOriginalMessage());
        }
    }

    private static String where(JsonMappingException failure) {
        String path = failure.getPath().stream()
                .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : step.getFieldName())
                .collect(Collectors.joining("."));
        return path.isEmpty() ? "the request's body" : path;
    }
}
