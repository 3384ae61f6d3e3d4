package dev.berth.cli.sweep;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.core.command.ClosestWord;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.sweep.SourceLine;
import dev.berth.core.sweep.Sweep;
import dev.berth.core.sweep.SweepFile;
import dev.berth.core.sweep.SweepParameters;
import dev.berth.core.sweep.SweepRefusal;
import dev.berth.core.sweep.SweepRun;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reader of a sweep file and of those that it imports, each once. For one sweep; what is wrong is a {@link Failure}. */
public final class SweepReader {
    static final int MAX_BYTES = 1 << 20;
    static final int MAX_FILES = 100;

    private static final String SWEEP_FILE = "SWEEP_FILE";
    private static final int MAX_NEIGHBOURS = 1000;
    private static final String BYTE_ORDER_MARK = "\ufeff";

    private final Map<Path, SweepFile> read = new HashMap<>();
    private final List<String> unexpectedTexts = new ArrayList<>();

    /**
     * The runs of a file.
     *
     * @param shown the path as the user wrote it
     * @param experiments those that are meant; empty for all
     */
    public List<SweepRun> runs(String shown, Path path, List<String> experiments) {
        try {
            SweepFile file = file(shown, path, null);
            return Sweep.runs(file, experiments, this::imported);
        } catch (SweepRefusal refusal) {
            throw refused(refusal);
        }
    }

    /** The parameters of an array with a task for each of these runs. */
    public static Parameters parameters(List<SweepRun> runs) {
        try {
            return SweepParameters.of(runs);
        } catch (SweepRefusal refusal) {
            throw refused(refusal);
        }
    }

    private static Failure refused(SweepRefusal refusal) {
        return Failure.of(ExitCode.USAGE, SWEEP_FILE, refusal.sentence());
    }

    /** What people should know about a file that is good; empty for nothing. */
    public String remark() {
        if (unexpectedTexts.isEmpty()) {
            return "";
        }
        String more = unexpectedTexts.size() == 1 ? "" : ", and " + (unexpectedTexts.size() - 1) + " more";
        return unexpectedTexts.getFirst() + more
                + ": as CW2 reads it, that is a text, though it looks like a number; numbers with an exponent have a point and a sign"
                + " (1.0e-3)";
    }

    private SweepFile imported(SweepFile importing, String written, SourceLine place) {
        Path from = read.entrySet().stream()
                .filter(entry -> entry.getValue() == importing)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
        try {
            Path path = from.resolveSibling(written);
            Path shown = Path.of(importing.name()).resolveSibling(written).normalize();
            return file(shown.toString(), path, place);
        } catch (InvalidPathException nowhere) {
            throw new SweepRefusal(place, "'" + written + "' cannot be a path");
        }
    }

    /** @param place where another file imports it; null for the first one */
    private SweepFile file(String shown, Path path, @Nullable SourceLine place) {
        Path absolute = path.toAbsolutePath().normalize();
        SweepFile before = read.get(absolute);
        if (before != null) {
            return before;
        }
        if (place != null && read.size() == MAX_FILES) {
            throw new SweepRefusal(place, "more than " + MAX_FILES + " files are read for one sweep");
        }
        SweepFile file = SweepFile.of(
                shown,
                YamlDocuments.read(shown, text(shown, absolute, sentence -> unread(sentence, place)), unexpectedTexts));
        read.put(absolute, file);
        return file;
    }

    private static RuntimeException unread(String sentence, @Nullable SourceLine place) {
        return place == null ? Failure.of(ExitCode.USAGE, SWEEP_FILE, sentence) : new SweepRefusal(place, sentence);
    }

    private static String text(String shown, Path path, Function<String, RuntimeException> refusal) {
        if (!Files.isRegularFile(path)) {
            throw refusal.apply(
                    "'" + shown + "' " + (Files.exists(path) ? "is not a file" : "is not there" + question(path)));
        }
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw refusal.apply("'" + shown + "' has more than " + MAX_BYTES + " bytes, which is no sweep file");
            }
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
        } catch (CharacterCodingException otherText) {
            throw refusal.apply("'" + shown + "' is not text in UTF-8");
        } catch (IOException e) {
            throw refusal.apply("'" + shown + "' cannot be read: " + e.getMessage());
        }
    }

    private static String question(Path missing) {
        Path name = missing.getFileName();
        Path parent = missing.getParent();
        List<String> names = new ArrayList<>();
        if (name == null || parent == null) {
            return "";
        }
        try (DirectoryStream<Path> neighbours = Files.newDirectoryStream(parent)) {
            for (Path neighbour : neighbours) {
                if (names.size() == MAX_NEIGHBOURS) {
                    break;
                }
                names.add(String.valueOf(neighbour.getFileName()));
            }
        } catch (IOException | DirectoryIteratorException unreadable) {
            return "";
        }
        String nearest = ClosestWord.of(name.toString(), names);
        return nearest == null ? "" : "; did you mean " + nearest + "?";
    }
}
