package dev.berth.cli.client;

import dev.berth.cli.exit.Failure;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the server is, from what the user said and the usual places.
 *
 * @param socketOption {@code --socket}, null where it is not given
 * @param dataDirectoryOption {@code --data-dir}, null where it is not given
 * @param variables the environment variables
 * @param home the user's home directory
 * @param root whether the user is root
 * @param system where a server that root started keeps its data
 */
public record ServerLocation(
        @Nullable String socketOption,
        @Nullable String dataDirectoryOption,
        Map<String, String> variables,
        Path home,
        boolean root,
        Path system) {
    public static final String SOCKET_VARIABLE = "BERTH_SOCKET";
    public static final String URL_VARIABLE = "BERTH_URL";
    public static final String DATA_DIRECTORY_VARIABLE = "BERTH_DATA_DIR";

    /** Where a system's server keeps its data. */
    public static final Path SYSTEM_DATA_DIRECTORY = Path.of("/var/lib/berth");

    /** sun_path of unix(7) has 108 bytes, the last one for the terminating zero. */
    private static final int MAX_SOCKET_BYTES = 107;

    private static final String SOCKET_NAME = "berth.sock";

    /** The socket to speak to: as said, else the user's own if it is there, else the system's. */
    public Path socket() {
        String said = saidSocket();
        if (said != null) {
            return checked(Path.of(said).toAbsolutePath());
        }
        String directory = saidDataDirectory();
        if (directory != null) {
            return checked(Path.of(directory).toAbsolutePath().resolve(SOCKET_NAME));
        }
        Path own = ownDataDirectory().resolve(SOCKET_NAME);
        return checked(Files.exists(own) ? own : system.resolve(SOCKET_NAME));
    }

    /**
     * The URL of a server to speak to over TCP, null where the socket is used. An option beats a variable.
     *
     * @param urlOption {@code --url}, null where it is not given
     */
    public @Nullable String url(@Nullable String urlOption) {
        if (urlOption != null && (socketOption != null || dataDirectoryOption != null)) {
            throw Failure.usage("--url and " + (socketOption == null ? "--data-dir" : "--socket")
                    + " exclude each other; give one of them");
        }
        if (urlOption != null || socketOption != null || dataDirectoryOption != null) {
            return urlOption;
        }
        String url = said(null, URL_VARIABLE);
        if (url != null && said(null, SOCKET_VARIABLE) != null) {
            throw Failure.usage(URL_VARIABLE + " and " + SOCKET_VARIABLE
                    + " are both set; unset the one that is not meant, or say --url or --socket");
        }
        return url;
    }

    /** The socket that the user named, by option or variable; null where none is named. */
    public @Nullable String saidSocket() {
        return said(socketOption, SOCKET_VARIABLE);
    }

    /** Where a server that is started now keeps its data. */
    public Path dataDirectory() {
        String directory = saidDataDirectory();
        return directory != null ? Path.of(directory).toAbsolutePath().normalize() : usualDataDirectory();
    }

    /** Where a server keeps its data that nobody names a place for. */
    public Path usualDataDirectory() {
        return root ? system : ownDataDirectory();
    }

    private @Nullable String saidDataDirectory() {
        return said(dataDirectoryOption, DATA_DIRECTORY_VARIABLE);
    }

    private @Nullable String said(@Nullable String option, String variable) {
        if (option != null) {
            return option;
        }
        String value = variables.get(variable);
        return value == null || value.isEmpty() ? null : value;
    }

    /** By the XDG base directory specification, which wants a relative value ignored. */
    private Path ownDataDirectory() {
        String state = variables.get("XDG_STATE_HOME");
        Path base = state != null && state.startsWith("/") ? Path.of(state) : home.resolve(".local/state");
        return base.resolve("berth");
    }

    /** The path itself where the kernel takes it as a socket's name. */
    public static Path checked(Path socket) {
        int bytes = socket.toString().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_SOCKET_BYTES) {
            throw Failure.usage(
                    "the socket path " + socket + " has " + bytes + " bytes, but a Unix socket's path has at" + " most "
                            + MAX_SOCKET_BYTES + "; name a shorter one by --socket");
        }
        return socket;
    }
}
