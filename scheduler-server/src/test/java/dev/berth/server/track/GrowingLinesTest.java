package dev.berth.server.track;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.store.track.Reading.Position;
import dev.berth.server.track.source.TrackLines;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrowingLinesTest {
    @TempDir
    private Path directory;

    private final List<String> lines = new ArrayList<>();
    private int tooLong;
    private Path file;
    private Position position = Position.START;

    @BeforeEach
    void make() throws IOException {
        file = Files.createFile(directory.resolve("track"));
    }

    private void append(String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.APPEND);
    }

    private void read(long most, boolean isWhole) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            position = new GrowingLines(
                            line -> lines.add(
                                    StandardCharsets.UTF_8.decode(line).toString()),
                            () -> tooLong++)
                    .read(channel, position, most, isWhole);
        }
    }

    @Test
    void onlyWholeLinesAreGiven() throws IOException {
        append("one\ntwo\nthr");
        read(1 << 20, false);
        assertThat(lines).containsExactly("one", "two");
        assertThat(position).isEqualTo(new Position(8, false, false));
        append("ee\n");
        read(1 << 20, false);
        assertThat(lines).containsExactly("one", "two", "three");
        append("four");
        read(1 << 20, true);
        assertThat(lines).endsWith("four");
        assertThat(position.bytes()).isEqualTo(Files.size(file));
    }

    @Test
    void aLineThatIsTooLongIsLeftOutOnceHoweverItComes() throws IOException {
        append("before\n");
        for (int i = 0; i < 40; i++) {
            append("x".repeat(TrackLines.MAX_LINE / 2));
            read(1 << 20, false);
        }
        assertThat(position.isSkipping()).isTrue();
        append("x\nafter\n");
        read(1 << 20, false);
        assertThat(lines).containsExactly("before", "after");
        assertThat(tooLong).isEqualTo(1);
        append("y".repeat(TrackLines.MAX_LINE) + "\n" + "z".repeat(TrackLines.MAX_LINE + 1) + "\n");
        read(1 << 20, false);
        assertThat(lines).hasSize(3);
        assertThat(tooLong).isEqualTo(2);
    }

    @Test
    void aReadingEndsAtItsBoundAndGoesOn() throws IOException {
        String line = "z".repeat(999) + "\n";
        append(line.repeat(2_000));
        for (int i = 0; i < 10; i++) {
            read(1 << 18, false);
        }
        assertThat(lines).hasSize(2_000);
    }

    /** However a file grows and whenever it is read, what is given is what was written. */
    @Test
    void allLinesAreGivenOnce() throws IOException {
        for (long seed = 0; seed < 30; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Files.write(file, new byte[0]);
            position = Position.START;
            lines.clear();
            tooLong = 0;
            List<String> written = new ArrayList<>();
            int left = 0;
            StringBuilder rest = new StringBuilder();
            for (int i = 0; i < 60; i++) {
                int length = random.nextInt(8) == 0 ? random.nextInt(400_000) : random.nextInt(300);
                String line = Character.toString('a' + random.nextInt(26)).repeat(length);
                if (length <= TrackLines.MAX_LINE) {
                    written.add(line);
                } else {
                    left++;
                }
                rest.append(line).append('\n');
                int now = random.nextInt(rest.length() + 1);
                append(rest.substring(0, now));
                rest.delete(0, now);
                read(random.nextInt(1, 1 << 20), false);
            }
            append(rest.toString());
            for (Position before = null; !position.equals(before); ) {
                before = position;
                read(1 << 16, true);
            }
            assertThat(lines).as("seed " + seed).isEqualTo(written);
            assertThat(tooLong).as("seed " + seed).isEqualTo(left);
        }
    }
}
