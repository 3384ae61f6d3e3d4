package dev.berth.server.runner.docker;

import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.JobEvent;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.Notices;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * Hears in what a program writes that its container has lost its GPUs, and passes everything on as it is. The words
 * are those of NVIDIA's tools and libraries (NVIDIA Container Toolkit, "Troubleshooting"); only a new container gets
 * the GPUs back. Told once for each reading of a log: the listener may hear of it again.
 */
final class DeviceLoss implements LogSink {
    private static final byte[] WORDS = "Failed to initialize NVML: Unknown Error".getBytes(StandardCharsets.US_ASCII);

    /**
     * The distance by which the end of the words may be moved on, by the byte that stands there (Horspool's search).
     */
    private static final int[] SHIFTS = shifts();

    private static final String SENTENCE = "its container has lost its GPUs: it says '"
            + new String(WORDS, StandardCharsets.US_ASCII)
            + "'; somebody changed its device rules (systemctl daemon-reload, docker update); berth doctor says how to"
            + " keep that from happening";

    private static final byte[] NOTHING = new byte[0];

    private final LogSink log;
    private final Attempt attempt;
    private final Notices notices;

    /** The end of what each stream has written, where the words may have begun. */
    private final Map<Stream, byte[]> ends = new EnumMap<>(Stream.class);

    /** Written by the thread that hears, and read by the one that begins. */
    private volatile boolean found;

    private boolean begun;

    DeviceLoss(LogSink log, Attempt attempt, Notices notices) {
        this.log = log;
        this.attempt = attempt;
        this.notices = notices;
    }

    private static int[] shifts() {
        int[] shifts = new int[1 << Byte.SIZE];
        Arrays.fill(shifts, WORDS.length);
        for (int place = 0; place < WORDS.length - 1; place++) {
            shifts[WORDS[place] & 0xff] = WORDS.length - 1 - place;
        }
        return shifts;
    }

    @Override
    public void write(Stream stream, ByteBuffer bytes) {
        boolean hears = !found && isIn(stream, bytes);
        log.write(stream, bytes);
        if (hears && mayTell()) {
            tell();
        }
    }

    /** Tells what was heard before: the listener knows by now that the program runs. */
    void begin() {
        if (hasWaited()) {
            tell();
        }
    }

    private synchronized boolean mayTell() {
        found = true;
        return begun;
    }

    private synchronized boolean hasWaited() {
        boolean first = !begun;
        begun = true;
        return first && found;
    }

    private void tell() {
        notices.post(attempt.job(), new JobEvent.DeviceLost(attempt.number(), SENTENCE));
    }

    private boolean isIn(Stream stream, ByteBuffer bytes) {
        byte[] end = ends.getOrDefault(stream, NOTHING);
        int size = bytes.remaining();
        int margin = WORDS.length - 1;
        // What began in the piece before ends within these bytes of this one.
        byte[] seam = Arrays.copyOf(end, end.length + Math.min(margin, size));
        bytes.get(bytes.position(), seam, end.length, seam.length - end.length);
        boolean found = contains(ByteBuffer.wrap(seam)) || contains(bytes);
        if (size >= margin) {
            byte[] last = new byte[margin];
            bytes.get(bytes.limit() - margin, last);
            ends.put(stream, last);
        } else {
            ends.put(stream, Arrays.copyOfRange(seam, Math.max(0, seam.length - margin), seam.length));
        }
        return found;
    }

    /** Looks at one byte in forty of what is something else. */
    private static boolean contains(ByteBuffer bytes) {
        int last = WORDS.length - 1;
        int end = bytes.position() + last;
        while (end < bytes.limit()) {
            int place = last;
            while (bytes.get(end - last + place) == WORDS[place]) {
                if (place-- == 0) {
                    return true;
                }
            }
            end += SHIFTS[bytes.get(end) & 0xff];
        }
        return false;
    }
}
