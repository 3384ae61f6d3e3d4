package dev.berth.server.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.parameter.ParametersJson;
import dev.berth.server.json.ParametersReader;
import dev.berth.server.store.database.StoreException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The column {@code job.parameters}, in the form in which a request has them. */
final class StoredParameters {
    private static final JsonFactory JSON = new JsonFactory();

    private StoredParameters() {}

    static @Nullable String write(@Nullable Parameters parameters) {
        return parameters == null ? null : ParametersJson.of(parameters);
    }

    static @Nullable Parameters read(@Nullable String json) {
        if (json == null) {
            return null;
        }
        try (JsonParser parser = JSON.createParser(json)) {
            parser.nextToken();
            return ParametersReader.read(parser);
        } catch (IOException | IllegalArgumentException e) {
            throw StoreException.unreadable("job.parameters", e);
        }
    }
}
