package dev.berth.cli.output;

import dev.berth.core.api.LogFrame;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * Puts the time of its arrival before each line of a log. Each stream has its own lines: what interrupts a line of the
 * other begins one of its own. For one thread.
 */
final class LogStamps {
    private final boolean[] inLine = new boolean[LogFrame.NOTICE + 1];

    /** The piece with the times in it. */
    byte[] stamped(LogFrame frame, byte[] bytes) {
        byte[] time = (time(frame.epochMillis()) + " ").getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream text = new ByteArrayOutputStream(frame.length() + time.length);
        for (int at = 0; at < frame.length(); at++) {
            if (!inLine[frame.stream()]) {
                text.writeBytes(time);
            }
            text.write(bytes[at]);
            inLine[frame.stream()] = bytes[at] != '\n';
        }
        return text.toByteArray();
    }

    /** RFC 3339 in UTC, always with milliseconds so that lines stand in columns. */
    static String time(long epochMillis) {
        String time = Instant.ofEpochMilli(epochMillis).toString();
        return epochMillis % 1_000 == 0 ? time.substring(0, time.length() - 1) + ".000Z" : time;
    }
}
