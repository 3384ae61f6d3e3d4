package dev.berth.server.track.source;

import dev.berth.server.track.source.Problem.Kind;
import dev.berth.server.track.source.ProtobufReader.Wire;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One record of an event file, an Event of tensorboard/compat/proto/event.proto: scalars and parameters of its summary
 * (summary.proto) become entries. For one thread.
 */
final class EventRecord {
    private static final int WALL_TIME = 1;
    private static final int STEP = 2;
    private static final int SUMMARY = 5;
    private static final int VALUE = 1;
    private static final int TAG = 1;
    private static final int SIMPLE_VALUE = 2;
    private static final int TENSOR = 8;
    private static final int METADATA = 9;

    private static final String SCALARS = "scalars";
    private static final String PARAMETERS = "hparams";
    private static final int MAX_PLUGIN = 64;

    private final FileWindow file;
    private final ProtobufReader message;
    private final String run;
    private final CheckedEntries entries;
    private final SessionStart sessionStart;

    private long step;
    private @Nullable Instant time;

    /** @param run what stands before each tag, empty for nothing */
    EventRecord(FileWindow file, String run, CheckedEntries entries) {
        this.file = file;
        this.message = new ProtobufReader(file);
        this.run = run;
        this.entries = entries;
        this.sessionStart = new SessionStart(message, entries);
    }

    /** Reads the record that stands between two places of the file. */
    void read(long from, long to) throws IOException {
        readHead(from, to);
        message.open(from, to);
        for (int field = message.next(); field != 0; field = message.next()) {
            if (field == SUMMARY && message.is(Wire.BYTES)) {
                readSummary();
            }
        }
        if (message.isBroken()) {
            entries.problem(Kind.RECORD_BROKEN, "");
        }
    }

    /** Step and time, which may stand behind the summary. */
    private void readHead(long from, long to) throws IOException {
        step = 0;
        // A field of zero is not written: no time is given then.
        double seconds = 0;
        message.open(from, to);
        for (int field = message.next(); field != 0; field = message.next()) {
            if (field == WALL_TIME && message.is(Wire.FIXED64)) {
                seconds = Double.longBitsToDouble(message.bits());
            } else if (field == STEP && message.is(Wire.VARINT)) {
                step = message.bits();
            }
        }
        time = seconds == 0 ? null : Moments.ofSeconds(seconds);
        if (seconds != 0 && time == null) {
            entries.problem(Kind.TIME, Double.toString(seconds));
        }
    }

    private void readSummary() throws IOException {
        message.enter();
        for (int field = message.next(); field != 0; field = message.next()) {
            if (field == VALUE && message.is(Wire.BYTES)) {
                readValue();
            }
        }
        message.leave();
    }

    private void readValue() throws IOException {
        long tagPlace = 0;
        long tagLength = 0;
        Double number = null;
        String plugin = "";
        message.enter();
        for (int field = message.next(); field != 0; field = message.next()) {
            if (field == TAG && message.is(Wire.BYTES)) {
                tagPlace = message.place();
                tagLength = message.length();
            } else if (field == SIMPLE_VALUE && message.is(Wire.FIXED32)) {
                number = (double) Float.intBitsToFloat((int) message.bits());
            } else if (field == TENSOR && message.is(Wire.BYTES)) {
                number = ScalarTensor.read(message, file);
            } else if (field == METADATA && message.is(Wire.BYTES)) {
                plugin = readMetadata();
            }
        }
        message.leave();
        // Writers give a tag's metadata once a file, and perhaps before the place where this reading began.
        if (number != null && !message.isBroken() && (plugin.isEmpty() || plugin.equals(SCALARS))) {
            point(tagPlace, tagLength, number);
        }
    }

    private void point(long tagPlace, long tagLength, double number) throws IOException {
        String tag = message.text(tagPlace, tagLength, TrackText.MAX_NAME_BYTES);
        if (tag == null) {
            String begin = message.text(tagPlace, Math.min(tagLength, MAX_PLUGIN), MAX_PLUGIN);
            entries.problem(Kind.NAME, begin == null ? "" : begin);
        } else {
            entries.point(TensorBoardEvents.metric(run, tag), step, time, number);
        }
    }

    /** The name of the plugin that the value is for; the parameters that stand in its metadata become entries. */
    private String readMetadata() throws IOException {
        String plugin = "";
        message.enter();
        for (int field = message.next(); field != 0; field = message.next()) {
            if (field == 1 && message.is(Wire.BYTES)) {
                plugin = readPlugin();
            }
        }
        message.leave();
        return plugin;
    }

    private String readPlugin() throws IOException {
        String plugin = "";
        message.enter();
        for (int field = message.next(); field != 0; field = message.next()) {
            if (field == 1 && message.is(Wire.BYTES)) {
                String name = message.text(MAX_PLUGIN);
                plugin = name == null ? "?" : name;
            } else if (field == 2 && message.is(Wire.BYTES) && plugin.equals(PARAMETERS)) {
                sessionStart.read();
            }
        }
        message.leave();
        return plugin;
    }
}
