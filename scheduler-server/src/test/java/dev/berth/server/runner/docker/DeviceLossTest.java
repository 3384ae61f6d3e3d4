package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.JobEvent;
import dev.berth.server.log.LogSink.Stream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What programs say whose container has lost its GPUs, in pieces of any size. */
class DeviceLossTest {
    private static final String WORDS = "Failed to initialize NVML: Unknown Error";

    private final List<JobEvent> told = new ArrayList<>();
    private final ByteArrayOutputStream passedOn = new ByteArrayOutputStream();
    private DeviceLoss loss = fresh();

    private DeviceLoss fresh() {
        DeviceLoss begun = waiting();
        begun.begin();
        return begun;
    }

    private DeviceLoss waiting() {
        told.clear();
        passedOn.reset();
        return new DeviceLoss(
                (_, bytes) -> {
                    byte[] piece = new byte[bytes.remaining()];
                    bytes.get(piece);
                    passedOn.writeBytes(piece);
                },
                new Attempt(new JobId(7), 2),
                (job, event) -> {
                    assertThat(job).isEqualTo(new JobId(7));
                    told.add(event);
                });
    }

    private void write(Stream stream, String piece) {
        // In a larger buffer, as nothing says that a piece begins at its first byte.
        byte[] bytes = ("xx" + piece + "yy").getBytes(StandardCharsets.ISO_8859_1);
        loss.write(stream, ByteBuffer.wrap(bytes, 2, bytes.length - 4));
    }

    private boolean isTold() {
        return told.stream().anyMatch(event -> event instanceof JobEvent.DeviceLost lost && lost.attempt() == 2);
    }

    @Test
    void theWordsAreHeardWhereverTheyAreCut() {
        String text = "Traceback:\n  Failed to initialize " + WORDS + "\nmore\n";
        for (int first = 0; first <= text.length(); first++) {
            for (int second = first; second <= text.length(); second += 7) {
                loss = fresh();
                write(Stream.ERR, text.substring(0, first));
                write(Stream.ERR, text.substring(first, second));
                write(Stream.ERR, text.substring(second));
                assertThat(isTold()).as("cut at %d and %d", first, second).isTrue();
                assertThat(passedOn.toString(StandardCharsets.ISO_8859_1)).isEqualTo(text);
            }
        }
    }

    @Test
    void theyAreHeardByteByByteAndToldOnce() {
        for (char letter : (WORDS + WORDS).toCharArray()) {
            write(Stream.OUT, String.valueOf(letter));
        }
        assertThat(told).hasSize(1);
    }

    /** A program may say so before anybody has been told that it runs, and who hears of it then does not believe it. */
    @Test
    void whatIsSaidBeforeTheBeginningIsToldAtTheBeginningAndOnce() {
        loss = waiting();
        write(Stream.OUT, WORDS);
        assertThat(told).isEmpty();
        loss.begin();
        assertThat(told).hasSize(1);
        loss.begin();
        write(Stream.OUT, WORDS);
        assertThat(told).hasSize(1);
    }

    @Test
    void twoStreamsDoNotMakeThemTogether() {
        write(Stream.OUT, WORDS.substring(0, 20));
        write(Stream.ERR, WORDS.substring(20));
        assertThat(told).isEmpty();
    }

    @Test
    void likeWordsAreOthers() {
        write(Stream.OUT, "Failed to initialize NVML: Driver/library version mismatch\n");
        write(Stream.OUT, "failed to initialize NVML: unknown error\n");
        write(Stream.OUT, WORDS.substring(1));
        write(Stream.OUT, WORDS.substring(0, WORDS.length() - 1));
        assertThat(told).isEmpty();
    }

    @Test
    void nothingIsHeardInNoiseThatIsNotThere() {
        SplittableRandom random = new SplittableRandom(5);
        for (int round = 0; round < 200; round++) {
            loss = fresh();
            StringBuilder text = new StringBuilder();
            int pieces = random.nextInt(1, 30);
            for (int piece = 0; piece < pieces; piece++) {
                int begin = random.nextInt(WORDS.length());
                text.append(WORDS, begin, random.nextInt(begin, WORDS.length() + 1));
                if (random.nextInt(8) == 0) {
                    text.append(WORDS);
                }
            }
            for (int at = 0; at < text.length(); ) {
                int end = Math.min(text.length(), at + random.nextInt(1, 60));
                write(Stream.OUT, text.substring(at, end));
                at = end;
            }
            assertThat(isTold()).as("%s", text).isEqualTo(text.toString().contains(WORDS));
        }
    }
}
