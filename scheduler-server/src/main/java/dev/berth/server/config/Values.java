package dev.berth.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The value of every setting. Sources are put in by rising rank: the last one that says something good counts. */
final class Values {
    private static final String NONE = "none";

    private final Map<String, GivenValue> given = new HashMap<>();
    private final Set<String> broken = new HashSet<>();
    private final Problems problems;

    Values(Problems problems) {
        this.problems = problems;
        for (Key<?> key : Keys.ALL) {
            String otherwise = key.otherwise();
            put(key, otherwise == null ? List.of() : texts(key, otherwise), new Origin.BuiltIn());
        }
    }

    /** A text of an option or a variable: the items of a list are separated by commas. */
    void put(Key<?> key, String text, Path directory, Origin origin) {
        boolean relative = key.isPath() && !text.isEmpty() && !text.startsWith("/") && !isNone(key, text);
        put(key, texts(key, relative ? directory + "/" + text : text), origin);
    }

    /** Texts one by one. No text is no value, or a list without items. */
    void put(Key<?> key, List<String> texts, Origin origin) {
        List<String> said = texts.size() == 1 && isNone(key, texts.getFirst()) ? List.of() : texts;
        if (said.size() > ValueType.Many.MAX) {
            problems.add(
                    origin.about(key.name()) + ": has " + said.size() + " items, and may have " + ValueType.Many.MAX);
            broken.add(key.name());
        } else if (isGood(key, said, origin)) {
            given.put(key.name(), new GivenValue(said, origin));
            broken.remove(key.name());
        } else {
            broken.add(key.name());
        }
    }

    private boolean isGood(Key<?> key, List<String> texts, Origin origin) {
        if (texts.isEmpty()) {
            return key.isOptional() || key.type().isList();
        }
        String rule = key.type().rule() + (key.isOptional() ? ", or none" : "");
        return key.type()
                .read(texts, text -> problems.broken(origin, key.name(), text, rule))
                .isPresent();
    }

    private static boolean isNone(Key<?> key, String text) {
        return key.isOptional() && text.equals(NONE);
    }

    private static List<String> texts(Key<?> key, String text) {
        if (!key.type().isList()) {
            return List.of(text);
        }
        List<String> items = new ArrayList<>();
        for (String item : text.isBlank() ? new String[0] : text.split(",", -1)) {
            items.add(item.strip());
        }
        return items;
    }

    /** Whether the last word about one of these was a bad one, so that nothing can be said about them together. */
    boolean isBroken(Key<?>... keys) {
        for (Key<?> key : keys) {
            if (broken.contains(key.name())) {
                return true;
            }
        }
        return false;
    }

    <T> T get(Key<T> key) {
        return key.type().read(given(key).texts(), Values::impossible).orElseThrow();
    }

    <T> @Nullable T find(Key<T> key) {
        return given(key).texts().isEmpty() && !key.type().isList() ? null : get(key);
    }

    GivenValue given(Key<?> key) {
        return Objects.requireNonNull(given.get(key.name()));
    }

    /** For people: the text that counts. */
    String text(Key<?> key) {
        List<String> texts = given(key).texts();
        return texts.isEmpty() && !key.type().isList() ? NONE : String.join(", ", texts);
    }

    Origin origin(Key<?> key) {
        return given(key).origin();
    }

    private static void impossible(String text) {
        throw new IllegalStateException("'" + text + "' was good before");
    }
}
