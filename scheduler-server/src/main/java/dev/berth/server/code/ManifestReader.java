package dev.berth.server.code;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.berth.core.api.GitView;
import dev.berth.core.api.Manifest;
import dev.berth.core.api.ManifestEntry;
import dev.berth.server.bounds.StrictJson;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Manifest} read piece by piece, so that it is never whole in memory. Strict: its fields in their order, no
 * unknown or doubled one, nothing behind the end. Lives on one thread; closing it closes the stream.
 */
final class ManifestReader implements AutoCloseable {
    private static final int MAX_TEXT = 64 * 1024;
    private static final int MAX_BRANCH = 255;
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");

    private static final JsonMapper MAPPER = StrictJson.builder(MAX_TEXT, MAX_TEXT)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    /** Takes the entries one by one. */
    @FunctionalInterface
    interface Visitor {
        void see(CheckedEntry entry) throws IOException, SnapshotException;
    }

    private final JsonParser parser;
    private final @Nullable GitState git;

    private ManifestReader(JsonParser parser, @Nullable GitState git) {
        this.parser = parser;
        this.git = git;
    }

    /** Reads as far as the entries. */
    static ManifestReader open(InputStream in) throws IOException, SnapshotException {
        try {
            JsonParser parser = MAPPER.createParser(in);
            require(parser.nextToken() == JsonToken.START_OBJECT, "must be one JSON object");
            require("version".equals(parser.nextFieldName()), "must begin with its version");
            require(
                    parser.nextToken() == JsonToken.VALUE_NUMBER_INT
                            && parser.getText().equals(Integer.toString(Manifest.VERSION)),
                    "must have version " + Manifest.VERSION + ", the only one this server knows");
            String field = parser.nextFieldName();
            GitState git = null;
            if ("git".equals(field)) {
                require(parser.nextToken() == JsonToken.START_OBJECT, "must have an object as git, or no git");
                git = checked(MAPPER.readValue(parser, GitView.class));
                field = parser.nextFieldName();
            }
            require(
                    "entries".equals(field) && parser.nextToken() == JsonToken.START_ARRAY,
                    "must have the fields version, git (or not) and entries, a list, in this order");
            return new ManifestReader(parser, git);
        } catch (JacksonException | CharConversionException e) {
            throw notRead(e);
        }
    }

    Optional<GitState> git() {
        return Optional.ofNullable(git);
    }

    /** Reads the entries, each one checked for itself, to the manifest's end. */
    void entries(Visitor visitor) throws IOException, SnapshotException {
        JsonToken next = nextToken();
        while (next == JsonToken.START_OBJECT) {
            visitor.see(EntryRules.checked(entry()));
            next = nextToken();
        }
        require(next == JsonToken.END_ARRAY, "must have objects as its entries");
        require(nextToken() == JsonToken.END_OBJECT && nextToken() == null, "must end behind its entries");
    }

    private @Nullable JsonToken nextToken() throws IOException, SnapshotException {
        try {
            return parser.nextToken();
        } catch (JacksonException | CharConversionException e) {
            throw notRead(e);
        }
    }

    private ManifestEntry entry() throws IOException, SnapshotException {
        try {
            return MAPPER.readValue(parser, ManifestEntry.class);
        } catch (JacksonException | CharConversionException e) {
            throw notRead(e);
        }
    }

    private static GitState checked(GitView view) throws SnapshotException {
        String branch = view.branch();
        @SuppressWarnings("NullableProblems") // JSON may leave it out, whatever the record says
        @Nullable
        String commit = view.commit();
        require(commit != null && COMMIT.matcher(commit).matches(), "must have git's commit as 40 or 64 digits");
        require(
                branch == null
                        || (!branch.isEmpty()
                                && branch.length() <= MAX_BRANCH
                                && branch.codePoints().noneMatch(Names::isInvisible)),
                "must have git's branch as 1 to " + MAX_BRANCH + " characters, none of them invisible");
        require(
                view.diff() == null || Digests.isDigest(view.diff()),
                "must have git's diff as 64 hexadecimal digits in lower case");
        return new GitState(commit, Optional.ofNullable(branch), view.dirty(), Optional.ofNullable(view.diff()));
    }

    private static void require(boolean holds, String rule) throws SnapshotException {
        if (!holds) {
            throw SnapshotException.malformed("the manifest " + rule);
        }
    }

    /**
     * The refusal of a manifest that was not read. What the library says of fields names its own classes; the last one
     * says that no encoding of JSON's was met.
     */
    private static SnapshotException notRead(IOException failure) {
        String why = switch (failure) {
            case UnrecognizedPropertyException unknown -> "'" + unknown.getPropertyName() + "' is not a field of it";
            case MismatchedInputException wrong -> where(wrong) + " has a value of another type than it must";
            case JacksonException broken -> broken.getOriginalMessage();
            default -> failure.getMessage();
        };
        return SnapshotException.malformed(
                "the manifest is not the JSON it must be: " + Names.shown(String.valueOf(why)));
    }

    private static String where(MismatchedInputException failure) {
        return failure.getPath().isEmpty()
                ? "an entry"
                : "'" + failure.getPath().getLast().getFieldName() + "'";
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }
}
