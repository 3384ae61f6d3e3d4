package dev.berth.server.track.source;

import dev.berth.server.store.track.Numbers;
import dev.berth.server.track.source.Problem.Kind;
import dev.berth.server.track.source.ProtobufReader.Wire;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a session, as TensorBoard's plugin for them has them (tensorboard/plugins/hparams/plugin_data.proto,
 * google/protobuf/struct.proto). Lists and objects are left out.
 */
final class SessionStart {
    private static final int SESSION_START = 3;
    private static final int PARAMETERS = 1;
    private static final int KEY = 1;
    private static final int VALUE = 2;

    private final ProtobufReader message;
    private final CheckedEntries entries;

    SessionStart(ProtobufReader message, CheckedEntries entries) {
        this.message = message;
        this.entries = entries;
    }

    /** Reads the plugin's data that the reader's field is. */
    void read() throws IOException {
        message.enter();
        for (int field = message.next(); field != 0; field = message.next()) {
            if (field == SESSION_START && message.is(Wire.BYTES)) {
                readParameters();
            }
        }
        message.leave();
    }

    private void readParameters() throws IOException {
        message.enter();
        for (int field = message.next(); field != 0; field = message.next()) {
            if (field == PARAMETERS && message.is(Wire.BYTES)) {
                readParameter();
            }
        }
        message.leave();
    }

    private void readParameter() throws IOException {
        String name = "";
        String value = null;
        message.enter();
        for (int field = message.next(); field != 0; field = message.next()) {
            if (field == KEY && message.is(Wire.BYTES)) {
                name = message.text(TrackText.MAX_NAME_BYTES);
                if (name == null) {
                    entries.problem(Kind.NAME, "");
                    break;
                }
            } else if (field == VALUE && message.is(Wire.BYTES)) {
                value = readValue();
            }
        }
        message.leave();
        if (name != null && value != null && !message.isBroken()) {
            entries.parameter(name, value);
        }
    }

    private @Nullable String readValue() throws IOException {
        String value = null;
        message.enter();
        for (int field = message.next(); field != 0; field = message.next()) {
            value = switch (field) {
                case 1 -> "null";
                case 2 -> message.is(Wire.FIXED64) ? Numbers.text(Double.longBitsToDouble(message.bits())) : null;
                case 3 -> message.is(Wire.BYTES) ? text() : null;
                case 4 -> message.is(Wire.VARINT) ? Boolean.toString(message.bits() != 0) : null;
                default -> null;
            };
        }
        message.leave();
        return value;
    }

    private @Nullable String text() throws IOException {
        String text = message.text(TrackText.MAX_VALUE_BYTES);
        if (text == null) {
            entries.problem(Kind.TEXT_TOO_LONG, "");
        }
        return text;
    }
}
