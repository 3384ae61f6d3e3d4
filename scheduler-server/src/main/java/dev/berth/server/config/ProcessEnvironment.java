package dev.berth.server.config;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The environment of the process that reads a configuration.
 *
 * @param variables the environment variables
 * @param directory what relative paths of options and variables are relative to
 * @param dataDirectory where the data is that nobody names a place for
 * @param systemFile the machine's configuration file, which need not be there
 * @param uid whom the server runs as
 */
public record ProcessEnvironment(
        Map<String, String> variables, Path directory, Path dataDirectory, Path systemFile, long uid) {
    /** The machine's configuration. */
    public static final Path SYSTEM_FILE = Path.of("/etc/berth/berth.yaml");

    /** Names a file that is read in place of the system's and the user's. */
    static final String CONFIG_VARIABLE = "BERTH_CONFIG";

    boolean isRoot() {
        return uid == 0;
    }

    /**
     * The user's own file, by the XDG base directory specification. A server of root serves the whole machine and has
     * none: the home that its variables name may be that of the one who called sudo.
     */
    Optional<Path> userFile() {
        if (isRoot()) {
            return Optional.empty();
        }
        String config = said("XDG_CONFIG_HOME");
        String home = said("HOME");
        Path base = config != null && config.startsWith("/")
                ? Path.of(config)
                : home != null && home.startsWith("/") ? Path.of(home, ".config") : null;
        return Optional.ofNullable(base).map(it -> it.resolve("berth/berth.yaml"));
    }

    /** A variable's value, null where it is unset or empty. */
    @Nullable
    String said(String variable) {
        String value = variables.get(variable);
        return value == null || value.isEmpty() ? null : value;
    }
}
