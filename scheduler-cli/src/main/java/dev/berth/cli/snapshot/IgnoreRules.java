package dev.berth.cli.snapshot;

import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules for what is left out of a snapshot: what the nearest {@code .berthignore} above an entry says of it, and
 * the last line that speaks of it there; where none does, Berth's own list. Immutable; one for each directory.
 */
public final class IgnoreRules {
    /** Berth's own list in words, for the help. */
    public static final String IN_WORDS =
            ".git always; unless a .berthignore brings them back: Python environments (with pyvenv.cfg), __pycache__,"
                    + " *.pyc, node_modules, .ipynb_checkpoints, .berth, caches of tools";

    static final String FILE = ".berthignore";

    private static final String GIT = ".git";
    private static final String ENVIRONMENT = "pyvenv.cfg";
    private static final long MAX_BYTES = 1 << 20;

    private static final String OWN_LIST = """
            __pycache__/
            *.pyc
            node_modules/
            .ipynb_checkpoints/
            .berth/
            .mypy_cache/
            .pytest_cache/
            .ruff_cache/
            .tox/
            .nox/
            .DS_Store
            """;

    private final @Nullable IgnoreRules above;
    private final String base;
    private final List<IgnorePattern> patterns;

    private IgnoreRules(@Nullable IgnoreRules above, String base, List<IgnorePattern> patterns) {
        this.above = above;
        this.base = base;
        this.patterns = patterns;
    }

    /** Berth's own list, and nothing of the directory yet. */
    static IgnoreRules own() {
        return new IgnoreRules(null, "", parse(OWN_LIST));
    }

    /**
     * The rules in a directory, with those of its own file if it has one.
     *
     * @param prefix its path below the submitted directory, with a slash at its end; empty for that itself
     */
    IgnoreRules in(Path directory, String prefix) throws IOException {
        Path file = directory.resolve(FILE);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return this;
        }
        if (Files.size(file) > MAX_BYTES) {
            throw Failure.usage(file + " has more than " + DirectoryLimits.inWords(MAX_BYTES) + "; make it shorter");
        }
        return new IgnoreRules(this, prefix, parse(text(file)));
    }

    private static String text(Path file) throws IOException {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
                    .toString();
            return text.startsWith("\ufeff") ? text.substring(1) : text;
        } catch (CharacterCodingException broken) {
            throw Failure.usage(file + " is not UTF-8; write it in UTF-8");
        }
    }

    private static List<IgnorePattern> parse(String text) {
        List<IgnorePattern> patterns = new ArrayList<>();
        for (int from = 0; from < text.length(); ) {
            int end = text.indexOf('\n', from);
            int to = end < 0 ? text.length() : end;
            IgnorePattern pattern =
                    IgnorePattern.of(text.substring(from, to > from && text.charAt(to - 1) == '\r' ? to - 1 : to));
            if (pattern != null) {
                patterns.add(pattern);
            }
            from = to + 1;
        }
        return List.copyOf(patterns);
    }

    /**
     * Whether an entry is left out, and all below it.
     *
     * @param name its path below the submitted directory
     */
    boolean leavesOut(Path entry, String name, boolean isDirectory) {
        String last = name.substring(name.lastIndexOf('/') + 1);
        if (last.equals(GIT)) {
            return true;
        }
        byte[] lastBytes = last.getBytes(StandardCharsets.UTF_8);
        for (IgnoreRules rules = this; rules != null; rules = rules.above) {
            IgnorePattern said = rules.last(name, lastBytes, isDirectory);
            if (said != null) {
                return !said.brings();
            }
        }
        return isDirectory && Files.isRegularFile(entry.resolve(ENVIRONMENT), LinkOption.NOFOLLOW_LINKS);
    }

    private @Nullable IgnorePattern last(String name, byte[] last, boolean isDirectory) {
        byte[] path = name.substring(base.length()).getBytes(StandardCharsets.UTF_8);
        for (int at = patterns.size() - 1; at >= 0; at--) {
            if (patterns.get(at).matches(path, last, isDirectory)) {
                return patterns.get(at);
            }
        }
        return null;
    }
}
