package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Captured;
import dev.berth.cli.Samples;
import dev.berth.cli.command.HostileLines.Line;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.CommandNames;
import dev.berth.cli.line.LineReader;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.TextOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Many hostile command lines of every command: never a trace, always a code that is documented, and nothing is sent for
 * a line that is refused. {@code -Dberth.fuzz.seed=N} tries a seed again.
 */
@Timeout(300)
class CommandLineFuzzTest {
    private static final long FIXED_SEED = 11;
    private static final int LINES = 12_000;
    private static final int MAX_SAID = 5_000;
    private static final Set<Integer> CODES = Set.of(
            ExitCode.OK,
            ExitCode.REFUSED,
            ExitCode.USAGE,
            ExitCode.NOT_NOW,
            ExitCode.TIME_LIMIT,
            ExitCode.BERTH_FAILED,
            ExitCode.CANCELLED);

    @TempDir
    private Path directory;

    private static LongStream seeds() {
        Long given = Long.getLong("berth.fuzz.seed");
        return given == null ? LongStream.of(FIXED_SEED, new SecureRandom().nextInt(1 << 30)) : LongStream.of(given);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whateverIsTypedIsAnswered(long seed) throws IOException {
        Path project = Files.createDirectories(directory.resolve("demo"));
        Files.writeString(project.resolve("main.py"), "print(1)");
        HostileLines lines = new HostileLines(new SplittableRandom(seed), project);
        Set<String> tried = new TreeSet<>();
        List<String> failures = new ArrayList<>();
        try (RefusingServer server = new RefusingServer(directory.resolve("s"))) {
            for (int i = 0; i < LINES && failures.size() < 10; i++) {
                Line line = lines.next();
                tried.add(line.name());
                String wrong = line.isCarriedOut() ? carryOut(line, server) : read(line);
                if (!wrong.isEmpty()) {
                    failures.add(shown(line) + "\n  " + wrong);
                }
            }
        }
        assertThat(failures)
                .as("lines of seed %d (-Dberth.fuzz.seed=%d) that are not answered well", seed, seed)
                .isEmpty();
        assertThat(tried).as("commands that were tried").containsAll(CommandNames.ALL);
    }

    private static String shown(Line line) {
        StringBuilder shown = new StringBuilder();
        for (String word : line.whole()) {
            String cut = word.length() > 100 ? word.substring(0, 100) + "..." : word;
            shown.append(" '").append(visible(cut)).append('\'');
        }
        return shown.toString();
    }

    private static String visible(String text) {
        StringBuilder visible = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            visible.append(each >= ' ' && each < 0x7f ? String.valueOf(each) : "\\u%04x".formatted((int) each));
        }
        return visible.toString();
    }

    /** What is wrong with how the line is read; nothing in most cases. */
    private static String read(Line line) {
        try {
            Arguments _ = LineReader.read(Verbs.of(line.name()), line.words());
            return "";
        } catch (Failure refused) {
            Captured captured = new Captured();
            new TextOutput(captured.screen(0), InstantSource.fixed(Samples.NOW)).failure(refused);
            return complaint(line, refused.exitCode(), captured.err());
        } catch (RuntimeException | Error e) {
            return "a trace: " + e;
        }
    }

    /** What is wrong with how the line is carried out. */
    private String carryOut(Line line, RefusingServer server) {
        Captured captured = new Captured();
        Environment environment = new Environment(
                Map.of("BERTH_SOCKET", directory.resolve("s").toString()),
                directory,
                "alice",
                false,
                "9.9",
                captured.screen(0),
                InstantSource.fixed(Samples.NOW),
                () -> 0,
                _ -> {},
                Terminal.NONE);
        int before = server.asked();
        try {
            int code = new Dispatch(environment).run(line.whole());
            if (code == ExitCode.USAGE && server.asked() > before) {
                return "refused, and sent all the same: " + visible(captured.err());
            }
            // What is asked for to see everything may be long.
            boolean isTrace = line.words().contains(Shape.VERBOSE);
            return code == ExitCode.OK || isTrace ? "" : complaint(line, code, captured.err() + captured.out());
        } catch (RuntimeException | Error e) {
            return "a trace: " + e + " at " + e.getStackTrace()[0];
        }
    }

    /** Whether what is said quotes a value, has an option in it, or a word of the line. */
    private static boolean namesSomething(Line line, String said) {
        return said.contains("'")
                || said.contains("-")
                || line.whole().stream()
                        .map(word -> word.substring(0, Math.min(word.length(), 40)))
                        .anyMatch(word -> !word.isBlank() && said.contains(word));
    }

    private static String complaint(Line line, int code, String said) {
        if (code == ExitCode.USAGE && !line.whole().isEmpty() && !namesSomething(line, said)) {
            return "names nothing of the line: " + visible(said);
        }
        if (!CODES.contains(code)) {
            return "ended with " + code + ": " + visible(said);
        }
        if (said.isBlank() || said.length() > MAX_SAID) {
            return "said " + said.length() + " characters: " + visible(said.substring(0, Math.min(200, said.length())));
        }
        if (said.contains("Exception") || said.contains("\tat ") || said.contains("picocli")) {
            return "said what is for nobody: " + visible(said);
        }
        boolean isQuiet = said.codePoints().noneMatch(c -> c != '\n' && Character.isISOControl(c));
        return isQuiet ? "" : "said what a terminal obeys: " + visible(said);
    }
}
