package dev.berth.server.http.exchange;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import dev.berth.core.api.JobView;
import dev.berth.core.api.OptionValues;
import dev.berth.core.api.SubmitRequest;
import dev.berth.server.bounds.MemoryBudget.Share;
import dev.berth.server.bounds.StrictJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** JSON in and out. Reading is strict: no unknown or doubled keys, no number for a string, nothing behind the end. */
public final class Json {
    /** The bytes that a submit's body may take; directories travel another way. */
    public static final int MAX_SUBMIT_BYTES = 1 << 20;

    /** The bytes that any other body may take. */
    public static final int MAX_BODY_BYTES = 1 << 16;

    /**
     * The size that a body comes to when it is read and made something of, in bytes for each of its own: a careful
     * guess.
     */
    private static final int MEMORY_A_BYTE = 6;

    private static final int PIECE_BYTES = 1 << 14;
    private static final int MAX_NAME = 1 << 17;

    private static final JsonMapper MAPPER = StrictJson.builder(MAX_SUBMIT_BYTES, MAX_NAME)
            .disable(JsonReadFeature.ALLOW_TRAILING_COMMA)
            .addModule(new SimpleModule()
                    .addDeserializer(SubmitRequest.class, new SubmitReader())
                    .addDeserializer(boolean.class, new FlagReader()))
            .addMixIn(JobView.class, WithOptions.class)
            .addMixIn(OptionValues.class, Fields.class)
            .build();

    /** A job's options stand beside what else is shown of it. */
    public interface WithOptions {
        @JsonUnwrapped
        OptionValues options();
    }

    /** Values that become the fields of whatever holds them. */
    public interface Fields {
        @JsonAnyGetter
        Map<String, Object> values();
    }

    private Json() {}

    /** Answers with a value as the whole body. */
    public static void answer(Exchange exchange, int status, Object value) throws IOException {
        try (OutputStream out = exchange.answer(status, "application/json")) {
            write(out, value);
        }
    }

    public static void write(OutputStream out, Object value) throws IOException {
        out.write(bytes(value));
    }

    public static byte[] bytes(Object value) throws IOException {
        return MAPPER.writeValueAsBytes(value);
    }

    public static String text(Object value) throws IOException {
        return MAPPER.writeValueAsString(value);
    }

    /**
     * Reads a request's body.
     *
     * @throws ApiException naming the field, the value and the rule where the body is not what it must be
     */
    public static <T> T read(InputStream in, Class<T> type) throws IOException {
        byte[] body = in.readNBytes(MAX_BODY_BYTES + 1);
        if (body.length > MAX_BODY_BYTES) {
            throw tooLarge(MAX_BODY_BYTES);
        }
        return parse(body, type);
    }

    private static ApiException tooLarge(int most) {
        return ApiException.tooLarge("the request's body is larger than " + most + " bytes");
    }

    /** A submit's whole body, where it is not too large; what will be made of it is taken from the share as it comes. */
    public static byte[] body(InputStream in, Share share) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] piece = new byte[PIECE_BYTES];
        for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
            if (body.size() + count > MAX_SUBMIT_BYTES) {
                throw tooLarge(MAX_SUBMIT_BYTES);
            }
            share.take((long) count * MEMORY_A_BYTE);
            body.write(piece, 0, count);
        }
        return body.toByteArray();
    }

    /** As {@link #read}, of a body that was read. */
    public static <T> T parse(byte[] body, Class<T> type) throws IOException {
        try (JsonParser parser = MAPPER.createParser(body)) {
            T value = MAPPER.readValue(parser, type);
            if (value == null || parser.nextToken() != null) {
                throw ApiException.badRequest("the request's body must be one JSON object and nothing behind it");
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
            throw ApiException.badRequest(where(e) + ": must be " + inWords(e.getTargetType()));
        } catch (JsonMappingException e) {
            throw e.getCause() instanceof InputCoercionException
                    ? ApiException.badRequest(where(e) + ": is too large a number")
                    : notJson(e);
        } catch (JacksonException e) {
            throw notJson(e);
        } catch (IOException e) {
            // Of bytes in memory: they are no characters.
            throw ApiException.badRequest("the request's body is not JSON in UTF-8: " + e.getMessage());
        }
    }

    private static ApiException notJson(JacksonException failure) {
        return ApiException.badRequest("the request's body is not JSON: " + failure.getOriginalMessage());
    }

    /** What a value of this type is called in a refusal. */
    static String inWords(@Nullable Class<?> type) {
        if (type == String.class) {
            return "a text";
        }
        if (type == Integer.class || type == Long.class) {
            return "a whole number";
        }
        if (type == Boolean.class || type == boolean.class) {
            return "true or false";
        }
        return type != null && Collection.class.isAssignableFrom(type) ? "a list" : "a JSON object";
    }

    private static String where(JsonMappingException failure) {
        StringBuilder path = new StringBuilder();
        for (JsonMappingException.Reference step : failure.getPath()) {
            if (step.getFieldName() == null) {
                path.append('[').append(step.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(step.getFieldName());
            }
        }
        return path.isEmpty() ? "the request's body" : path.toString();
    }
}
