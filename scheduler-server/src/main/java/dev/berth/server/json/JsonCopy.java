package dev.berth.server.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;

/** Copies of JSON as it is read, without spaces. */
public final class JsonCopy {
    private static final JsonFactory JSON = new JsonFactory();

    private JsonCopy() {}

    /** The list or object at the parser's token as it stands: numbers keep their text. */
    public static String of(JsonParser json) throws IOException {
        StringWriter copy = new StringWriter();
        try (JsonGenerator to = JSON.createGenerator(copy)) {
            int depth = 0;
            do {
                JsonToken token = json.currentToken();
                if (token.isNumeric()) {
                    to.writeNumber(json.getText());
                } else {
                    to.copyCurrentEvent(json);
                }
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            } while (depth > 0 && json.nextToken() != null);
        }
        return copy.toString();
    }
}
