package dev.berth.server.http.exchange;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import java.io.IOException;

/** A flag that is false where it is left out. A null is refused, as it may have been meant to be true. */
final class FlagReader extends StdDeserializer<Boolean> {
    private static final long serialVersionUID = 1L;

    FlagReader() {
        super(boolean.class);
    }

    @Override
    public Boolean deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        if (!parser.currentToken().isBoolean()) {
            throw MismatchedInputException.from(parser, boolean.class, "no flag");
        }
        return parser.getBooleanValue();
    }

    @Override
    public Boolean getNullValue(DeserializationContext context) throws JsonMappingException {
        throw MismatchedInputException.from(context.getParser(), boolean.class, "no flag");
    }

    @Override
    public Boolean getAbsentValue(DeserializationContext context) {
        return false;
    }
}
