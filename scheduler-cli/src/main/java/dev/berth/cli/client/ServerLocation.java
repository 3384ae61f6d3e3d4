package dev.berth.cli.client;

import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The server that is meant, from what the user said and the usual places. This is the one place that decides it, for
 * every command: the first {@link Source} that says something counts, and what comes behind it says nothing.
 *
 * @param line what the line says
 * @param variables the environment variables
 * @param home the user's home directory
 * @param root whether the user is root
 * @param system where a server that root started keeps its data
 */
public record ServerLocation(Line line, Map<String, String> variables, Path home, boolean root, Path system) {
    public static final String SOCKET_VARIABLE = "BERTH_SOCKET";
    public static final String URL_VARIABLE = "BERTH_URL";
    public static final String DATA_DIRECTORY_VARIABLE = "BERTH_DATA_DIR";

    /** The directory where a system's server keeps its data. */
    public static final Path SYSTEM_DATA_DIRECTORY = Path.of("/var/lib/berth");

    /** sun_path of unix(7) has 108 bytes, the last one for the terminating zero. */
    private static final int MAX_SOCKET_BYTES = 107;

    private static final List<Source> OPTIONS =
            List.of(Source.URL_OPTION, Source.SOCKET_OPTION, Source.DATA_DIRECTORY_OPTION);

    private static final String SOCKET_NAME = "berth.sock";

    /** The options of a line that name a server, null where they are not given. */
    public record Line(
            @Nullable String url,
            @Nullable String socket,
            @Nullable String dataDirectory) {}

    /** The sources that can name a server: options before variables, and in both the narrower first. */
    public enum Source {
        URL_OPTION("--url"),
        SOCKET_OPTION("--socket"),
        DATA_DIRECTORY_OPTION("--data-dir"),
        URL_VARIABLE(ServerLocation.URL_VARIABLE),
        SOCKET_VARIABLE(ServerLocation.SOCKET_VARIABLE),
        DATA_DIRECTORY_VARIABLE(ServerLocation.DATA_DIRECTORY_VARIABLE),
        USUAL("");

        private final String word;

        Source(String word) {
            this.word = word;
        }

        /** As the user writes it, empty for the usual places. */
        public String word() {
            return word;
        }

        boolean isUrl() {
            return this == URL_OPTION || this == URL_VARIABLE;
        }
    }

    /**
     * The source that names the server that is spoken to. Options that contradict each other are refused, and so are
     * variables.
     */
    public Source source() {
        if (line.url != null && (line.socket != null || line.dataDirectory != null)) {
            throw Failure.usage("--url and " + (line.socket == null ? "--data-dir" : "--socket")
                    + " exclude each other; give one of them");
        }
        for (Source option : OPTIONS) {
            if ("".equals(said(option))) {
                throw Failure.usage(option.word + " is given with nothing behind it; name a server, or leave it out");
            }
        }
        Source source = first(true);
        if (source == Source.URL_VARIABLE && said(Source.SOCKET_VARIABLE) != null) {
            throw Failure.usage(URL_VARIABLE + " and " + SOCKET_VARIABLE
                    + " are both set; unset the one that is not meant, or say --url, --socket or --data-dir");
        }
        return source;
    }

    private Source first(boolean elsewhere) {
        for (Source source : Source.values()) {
            if (said(source) != null && (elsewhere || !source.isUrl())) {
                return source;
            }
        }
        return Source.USUAL;
    }

    private @Nullable String said(Source source) {
        return switch (source) {
            case URL_OPTION -> line.url;
            case SOCKET_OPTION -> line.socket;
            case DATA_DIRECTORY_OPTION -> line.dataDirectory;
            case URL_VARIABLE, SOCKET_VARIABLE, DATA_DIRECTORY_VARIABLE -> {
                String value = variables.get(source.word);
                yield value == null || value.isEmpty() ? null : value;
            }
            case USUAL -> null;
        };
    }

    /** The URL of the server that is spoken to over TCP, null where its socket is used. */
    public @Nullable String url() {
        Source source = source();
        return source.isUrl() ? said(source) : null;
    }

    /**
     * The socket of the server that is spoken to on this machine: as said, else the user's own if it is there, else
     * the system's.
     */
    public Path socket() {
        Path said = saidSocket();
        return checked(said != null ? said : hasOwn() ? ownSocket() : system.resolve(SOCKET_NAME));
    }

    /** The socket of a server that is started now. */
    public Path socketOfNew() {
        Path said = saidSocket();
        return said != null ? said : dataDirectory().resolve(SOCKET_NAME);
    }

    private @Nullable Path saidSocket() {
        Source source = first(false);
        String said = said(source);
        return switch (source) {
            case SOCKET_OPTION, SOCKET_VARIABLE ->
                WorkingDirectory.absolute(source.word, String.valueOf(said)).normalize();
            case DATA_DIRECTORY_OPTION, DATA_DIRECTORY_VARIABLE ->
                dataDirectory().resolve(SOCKET_NAME);
            case URL_OPTION, URL_VARIABLE, USUAL -> null;
        };
    }

    /** The directory where a server that is started now keeps its data. */
    public Path dataDirectory() {
        Source source = line.dataDirectory != null ? Source.DATA_DIRECTORY_OPTION : Source.DATA_DIRECTORY_VARIABLE;
        String said = said(source);
        return said == null
                ? usualDataDirectory()
                : WorkingDirectory.absolute(source.word, said).normalize();
    }

    /** The directory where a server keeps its data that nobody names a place for. */
    public Path usualDataDirectory() {
        return root ? system : ownDataDirectory();
    }

    /**
     * Refuses to take the usual data directory for that of a server of which the user said only where it answers.
     *
     * @param work what is done to the files
     */
    public void requireFiles(String work) {
        Source source = source();
        boolean isSaid = line.dataDirectory != null
                || (source == Source.SOCKET_VARIABLE && said(Source.DATA_DIRECTORY_VARIABLE) != null);
        boolean isOfFiles = source == Source.DATA_DIRECTORY_VARIABLE || source == Source.USUAL;
        if (!isSaid && !isOfFiles) {
            throw Failure.usage(work + ", and " + source.word
                    + " says only where that server answers; name its data directory by --data-dir");
        }
    }

    /** By the XDG base directory specification, which wants a relative value ignored. */
    private Path ownDataDirectory() {
        String state = variables.get("XDG_STATE_HOME");
        Path base = state != null && state.startsWith("/") ? Path.of(state) : home.resolve(".local/state");
        return base.resolve("berth");
    }

    private Path ownSocket() {
        return ownDataDirectory().resolve(SOCKET_NAME);
    }

    /** Root's server is the system's. A process that became another user may still have the home of the one before. */
    private boolean hasOwn() {
        try {
            return !root
                    && Files.getAttribute(ownSocket(), "unix:uid", LinkOption.NOFOLLOW_LINKS)
                            .equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException none) {
            return false;
        }
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
