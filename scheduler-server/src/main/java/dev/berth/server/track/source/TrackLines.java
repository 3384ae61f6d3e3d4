package dev.berth.server.track.source;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.berth.server.store.track.Entry;
import dev.berth.server.track.source.Problem.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Lines of the file {@code $BERTH_TRACK}: one JSON object each, of metrics, parameters, tags, an artifact, progress, or
 * several of them. What breaks a rule becomes a problem, and the rest of the line counts; a line that is no JSON object
 * gives nothing else. Bytes that are no UTF-8 become U+FFFD.
 */
public final class TrackLines {
    /** The bytes that a line may have, without its line feed. */
    public static final int MAX_LINE = 64 * 1024;

    /** Deeper ones are no JSON object; those of parameters end sooner. */
    private static final int MAX_JSON_DEPTH = 500;

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    /** Without tables of names that outlive a line: the names are users'. A line bounds all lengths. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_JSON_DEPTH)
                    .maxNumberLength(MAX_LINE)
                    .maxNameLength(MAX_LINE)
                    .maxStringLength(MAX_LINE)
                    .build())
            .build();

    private TrackLines() {}

    /** Reads one line, with or without its line feed. */
    public static void parse(byte[] line, Consumer<Entry> entries, Consumer<Problem> problems) {
        parse(line, 0, line.length, entries, problems);
    }

    /** Reads the line that the buffer's remaining bytes are; its position stays. */
    public static void parse(ByteBuffer line, Consumer<Entry> entries, Consumer<Problem> problems) {
        if (line.hasArray()) {
            parse(line.array(), line.arrayOffset() + line.position(), line.remaining(), entries, problems);
        } else {
            byte[] copy = new byte[line.remaining()];
            line.get(line.position(), copy);
            parse(copy, entries, problems);
        }
    }

    private static void parse(byte[] bytes, int from, int count, Consumer<Entry> entries, Consumer<Problem> problems) {
        int begin = from + (startsWithMark(bytes, from, count) ? BYTE_ORDER_MARK.length : 0);
        int end = from + count;
        while (end > begin && isBlank(bytes[end - 1])) {
            end--;
        }
        if (end - begin > MAX_LINE) {
            problems.accept(Problem.of(Kind.LINE_TOO_LONG, begin(bytes, begin)));
        } else if (end > begin) {
            parse(new String(bytes, begin, end - begin, StandardCharsets.UTF_8), entries, problems);
        }
    }

    private static void parse(String line, Consumer<Entry> entries, Consumer<Problem> problems) {
        TrackLine told = new TrackLine();
        if (isRead(line, told)) {
            told.give(new CheckedEntries(entries, problems), line);
        } else {
            problems.accept(Problem.of(Kind.NOT_JSON, line));
        }
    }

    private static boolean isRead(String line, TrackLine told) {
        try (JsonParser json = JSON.createParser(line)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return false;
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                told.read(json);
            }
            return json.nextToken() == null;
        } catch (IOException e) {
            // Jackson's word for what is no JSON; a text has no other failures.
            return false;
        }
    }

    private static boolean startsWithMark(byte[] bytes, int from, int count) {
        return count >= BYTE_ORDER_MARK.length
                && bytes[from] == BYTE_ORDER_MARK[0]
                && bytes[from + 1] == BYTE_ORDER_MARK[1]
                && bytes[from + 2] == BYTE_ORDER_MARK[2];
    }

    private static boolean isBlank(byte letter) {
        return letter == '\n' || letter == '\r' || letter == ' ' || letter == '\t';
    }

    private static String begin(byte[] bytes, int from) {
        return new String(bytes, from, 400, StandardCharsets.UTF_8);
    }
}
