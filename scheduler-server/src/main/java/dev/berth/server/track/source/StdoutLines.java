package dev.berth.server.track.source;

import dev.berth.server.store.track.Entry;
import dev.berth.server.track.source.Problem.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lines of a program's output that begin with {@code ::berth }, as the file's lines in words:
 *
 * <pre>
 * ::berth metric loss=0.3 acc=0.9 step=10 time=1764200000.25
 * ::berth param lr=0.1 opt="a b"
 * ::berth tag best stage=1
 * ::berth artifact model.pt key=model
 * ::berth progress 0.4 of=1 unit=epoch
 * </pre>
 *
 * Words stand between spaces. What is in double quotes belongs to its word as it is; {@code \"} and {@code \\} stand for a
 * quote and a backslash there.
 */
public final class StdoutLines {
    private static final byte[] PREFIX = "::berth ".getBytes(StandardCharsets.US_ASCII);

    /** The length of what a line that is meant begins with. */
    public static final int PREFIX_LENGTH = PREFIX.length;

    private StdoutLines() {}

    /** Whether a line that begins so may be meant. */
    public static boolean mayBeMeant(byte[] begin) {
        int count = Math.min(begin.length, PREFIX.length);
        return Arrays.equals(begin, 0, count, PREFIX, 0, count);
    }

    /** Whether a line is meant; others are nothing but output. */
    public static boolean isMeant(byte[] line) {
        return line.length >= PREFIX.length && mayBeMeant(line);
    }

    /** Reads one line, with or without its line feed; nothing comes of one that is not meant. */
    public static void parse(byte[] line, Consumer<Entry> entries, Consumer<Problem> problems) {
        if (!isMeant(line)) {
            return;
        }
        CheckedEntries to = new CheckedEntries(entries, problems);
        int count = Math.min(line.length, TrackLines.MAX_LINE + 1);
        String text = new String(line, PREFIX.length, count - PREFIX.length, StandardCharsets.UTF_8).strip();
        if (line.length > TrackLines.MAX_LINE + 1) {
            to.problem(Kind.LINE_TOO_LONG, text);
            return;
        }
        List<Word> words = Word.split(text);
        if (words == null) {
            to.problem(Kind.QUOTE, text);
        } else if (words.size() < 2 || !isGiven(words.getFirst(), words.subList(1, words.size()), to)) {
            to.problem(Kind.WORDS, text);
        }
    }

    /** False where the words are not those of the first one. */
    private static boolean isGiven(Word verb, List<Word> words, CheckedEntries to) {
        if (verb.value() != null) {
            return false;
        }
        return switch (verb.name()) {
            case "metric" -> areMetrics(words, to);
            case "param" -> areParameters(words, to);
            case "tag" -> areTags(words, to);
            case "artifact" -> isArtifact(words, to);
            case "progress" -> isProgress(words, to);
            default -> false;
        };
    }

    private static boolean areMetrics(List<Word> words, CheckedEntries to) {
        Long step = to.step(Word.value(words, "step"));
        Instant time = to.time(Word.value(words, "time"));
        int count = 0;
        for (Word word : words) {
            boolean isOfAll = word.value() != null
                    && (word.name().equals("step") || word.name().equals("time"));
            if (!isOfAll) {
                to.point(word.name(), step, time, number(word.value()));
                count++;
            }
        }
        return count > 0;
    }

    /** The file's words for truth are numbers here too. */
    private static @Nullable String number(@Nullable String value) {
        if (value == null) {
            return null;
        }
        return switch (value) {
            case "true" -> "1";
            case "false" -> "0";
            default -> value;
        };
    }

    private static boolean areParameters(List<Word> words, CheckedEntries to) {
        words.forEach(word -> to.parameter(word.name(), word.value()));
        return true;
    }

    private static boolean areTags(List<Word> words, CheckedEntries to) {
        for (Word word : words) {
            String value = word.value();
            to.tag(word.name(), value == null ? "" : value);
        }
        return true;
    }

    private static boolean isArtifact(List<Word> words, CheckedEntries to) {
        to.artifact(words.getFirst().whole(), Word.value(words, "key"), to.time(Word.value(words, "time")));
        return true;
    }

    private static boolean isProgress(List<Word> words, CheckedEntries to) {
        to.progress(
                words.getFirst().whole(),
                Word.value(words, "of"),
                Word.value(words, "unit"),
                to.time(Word.value(words, "time")));
        return true;
    }
}
