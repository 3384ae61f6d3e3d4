package dev.berth.server.store;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import java.io.IOException;
import java.time.Duration;

/** Durations in stored objects: whole seconds, as in the columns. */
final class StoredDurations {
    private StoredDurations() {}

    static SimpleModule asSeconds() {
        return new SimpleModule()
                .addSerializer(Duration.class, new Seconds())
                .addDeserializer(Duration.class, new FromSeconds());
    }

    private static final class Seconds extends StdScalarSerializer<Duration> {
        private static final long serialVersionUID = 1L;

        Seconds() {
            super(Duration.class);
        }

        @Override
        public void serialize(Duration value, JsonGenerator json, SerializerProvider provider) throws IOException {
            json.writeNumber(value.toSeconds());
        }
    }

    private static final class FromSeconds extends StdScalarDeserializer<Duration> {
        private static final long serialVersionUID = 1L;

        FromSeconds() {
            super(Duration.class);
        }

        @Override
        public Duration deserialize(JsonParser json, DeserializationContext context) throws IOException {
            return Duration.ofSeconds(json.getLongValue());
        }
    }
}
