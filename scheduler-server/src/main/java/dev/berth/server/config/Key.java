package dev.berth.server.config;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Setting: everything that parsing, the reference and the list for the operator need to know about it.
 *
 * @param name {@code section.name}
 * @param otherwise the value where nobody says one, null where there is none then
 * @param description one line for people
 * @param flag the option of {@code berth server start} that stands for it, null where there is none
 */
public record Key<T>(
        String name,
        ValueType<T> type,
        @Nullable String otherwise,
        String description,
        @Nullable String flag) {
    /** Settings that had a variable before there was a configuration; the command reads it as well. */
    private static final Set<String> OLD = Set.of("server.data-dir", "server.socket");

    static final String PREFIX = "BERTH_";

    boolean isOptional() {
        return otherwise == null;
    }

    boolean isPath() {
        return type.equals(Types.PATH);
    }

    String section() {
        return name.substring(0, name.indexOf('.'));
    }

    /** The environment variable that stands for it. */
    String variable() {
        String said = OLD.contains(name) ? name.substring(name.indexOf('.') + 1) : name;
        return PREFIX + said.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }
}
