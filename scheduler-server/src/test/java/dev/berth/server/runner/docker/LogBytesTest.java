package dev.berth.server.runner.docker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.LogFrame;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.time.Clocks;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an engine does to bytes, lines and streams makes no log longer, shorter or falsely marked. */
class LogBytesTest {
    private static final String IMAGE = "image:1";

    @TempDir
    private Path directory;

    private Instant now = Instant.parse("2026-01-01T08:00:00Z");
    private final FakeContainerEngine engine = new FakeContainerEngine(() -> now, (_, _) -> {}).withImage(IMAGE);
    private LoggedProgram program;

    @BeforeEach
    void start() {
        program = new LoggedProgram("server01", engine, directory, Clocks.neverSet(() -> now), 1 << 18);
        program.start(IMAGE, List.of("program"), List.of());
    }

    private void print(String latin) {
        engine.print(program.name(), Stream.OUT, latin.getBytes(StandardCharsets.ISO_8859_1));
    }

    private void restartServer() {
        engine.forgetReaders();
        program.startServer();
        program.listenAgain();
    }

    private void end() {
        engine.end(program.name(), 0);
        program.finish();
    }

    private void assertKept(String latin) {
        assertThat(new String(program.kept(LogFrame.STDOUT), StandardCharsets.ISO_8859_1))
                .isEqualTo(latin);
        assertThat(new String(program.kept(LogFrame.NOTICE), UTF_8)).isEmpty();
    }

    /** A progress bar is one line, and the engine dates a line by its end. */
    @Test
    void aFirstLineThatTakesLongIsNoLogThatWasCut() {
        print("\r 1%");
        now = now.plusSeconds(20);
        print("\r50%");
        restartServer();
        now = now.plusSeconds(20);
        print("\r99%\n");
        restartServer();
        print("done\n");
        end();
        assertKept("\r 1%\r50%\r99%\ndone\n");
    }

    @Test
    void aLineThatEndsWhileTheServerIsAwayIsKeptOnce() {
        print("\r 1%");
        now = now.plusSeconds(20);
        engine.forgetReaders();
        print("\r99%\n");
        print("done\n");
        restartServer();
        end();
        assertKept("\r 1%\r99%\ndone\n");
    }

    /** It comes as another character, of three bytes. */
    @Test
    void aByteThatIsNoTextBringsNothingOfALogTwice() {
        print("caf\u00e9 \u00ff\u00fe\n");
        print("two\n");
        restartServer();
        print("three \u00ff\n");
        restartServer();
        end();
        assertKept("caf\u00e9 \u00ff\u00fe\ntwo\nthree \u00ef\u00bf\u00bd\n");
    }

    @Test
    void aCharacterThatTheEngineCutsInTwoIsKeptAsItWasWritten() {
        String line = "x".repeat(16_383);
        print(line + "\u00c3\u00a9 and on\n");
        print(line + "\u00ef\u00bf\u00bd\u00ef\u00bf\u00bd\n");
        print("last\n");
        restartServer();
        end();
        assertKept(line + "\u00c3\u00a9 and on\n" + line + "\u00ef\u00bf\u00bd\u00ef\u00bf\u00bd\nlast\n");
    }

    /** The first byte of U+FFFD is kept as such a byte too, and the engine's copy goes on with the other two. */
    @Test
    void aLastByteThatComesAsAnotherCharacterIsKeptOnce() {
        print("a\u00ef");
        restartServer();
        print("b\n");
        print("c\u00ef\n");
        end();
        assertKept("a\u00efb\nc\u00ef\u00bf\u00bd\n");
    }

    @Test
    void aCharacterOfWhichHalfIsKeptIsMadeWhole() {
        print("a\u00ef");
        restartServer();
        print("\u00bc\u0081\n");
        end();
        assertKept("a\u00ef\u00bc\u0081\n");
    }

    /** What the next engine writes may begin as what the last one lost. */
    @Test
    void whatAnEngineLostInTheMiddleOfALineIsKeptAndSoIsWhatFollows() {
        print("\r 1%\r 2%");
        engine.cutStreams(program.name());
        engine.loseLastMessages(program.name(), 0);
        program.listenAgain();
        print("\r 3%\n");
        restartServer();
        now = now.plusSeconds(60);
        print("\r 4%\n");
        restartServer();
        end();
        assertKept("\r 1%\r 2%\r 3%\n\r 4%\n");
    }

    /** Of what is no longer kept, only so much is known: how many bytes of it the engine has as they were. */
    @Test
    void aLogWhoseBeginningIsNoLongerKeptGoesOnWhereItEnds() {
        StringBuilder written = new StringBuilder();
        for (int line = 0; line < 3_000; line++) {
            String text = "line " + line + " \u00ff\u00e9 " + "\u00fe".repeat(line % 700) + "\n";
            written.append(text);
            print(text);
        }
        restartServer();
        print("last\n");
        end();
        String kept = new String(program.kept(LogFrame.STDOUT), StandardCharsets.ISO_8859_1);
        written.append("last\n");
        assertThat(kept.length()).isLessThan(written.length());
        assertThat(kept.lines().skip(1).toList())
                .isEqualTo(written.substring(written.length() - kept.length())
                        .lines()
                        .skip(1)
                        .toList());
        assertThat(program.kept(LogFrame.NOTICE)).isEmpty();
    }
}
