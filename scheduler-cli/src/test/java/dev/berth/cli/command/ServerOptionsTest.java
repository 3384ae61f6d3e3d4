package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Captured;
import dev.berth.cli.launch.ServerJvm;
import dev.berth.cli.launch.ServerPlaces;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.LineReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the server is told of a line, and where it is looked for. */
class ServerOptionsTest {
    private static final String HERE = Path.of("").toAbsolutePath().toString();

    @TempDir
    private Path home;

    private Session session(Arguments arguments, Map<String, String> variables) {
        return Session.of(
                Reach.MACHINE,
                arguments,
                new Environment(
                        variables,
                        home,
                        "alice",
                        false,
                        "9.9",
                        new Captured().screen(0),
                        InstantSource.fixed(Instant.EPOCH),
                        () -> 0,
                        _ -> {}));
    }

    private List<String> words(String... line) {
        Arguments arguments = LineReader.read(new ServerStart(), List.of(line));
        return ServerOptions.words(arguments, session(arguments, Map.of()));
    }

    @Test
    void whatIsNotSaidIsNotPassedOn() {
        assertThat(words()).containsExactly("directory=" + HERE, "default-data-dir=" + home + "/.local/state/berth");
    }

    @Test
    void whatIsSaidIsPassedOnAsItIs() {
        assertThat(words(
                        "-g",
                        "--port=none",
                        "--set",
                        "jobs.image=a b",
                        "--set",
                        "x",
                        "--config",
                        "here.yaml",
                        "--allow-insecure-bind",
                        "--socket",
                        "s",
                        "--tls-key",
                        "k"))
                .startsWith("directory=" + HERE)
                .contains(
                        "--gpus=true",
                        "--allow-insecure-bind=true",
                        "--port=none",
                        "--tls-key=k",
                        "--socket=s",
                        "--config=here.yaml",
                        "--set=jobs.image=a b",
                        "--set=x")
                .hasSize(10);
    }

    private ServerPlaces places(Map<String, String> variables, String... line) throws IOException {
        Path java = home.resolve("jdk/bin/java");
        Files.createDirectories(home.resolve("jdk/bin"));
        Files.createDirectories(home.resolve("lib"));
        Files.writeString(java, "#!/bin/sh\necho /asked\necho /asked/s\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        Arguments arguments = LineReader.read(new ServerStart(), List.of(line));
        Session session = session(arguments, variables);
        ServerJvm jvm = new ServerJvm(home.resolve("jdk"), home, "");
        return ServerOptions.places(ServerOptions.words(arguments, session), jvm, session, home.resolve("etc"));
    }

    @Test
    void theServerIsAskedWhereAConfigurationMaySayIt() throws IOException {
        ServerPlaces asked = new ServerPlaces(Path.of("/asked"), Path.of("/asked/s"));
        assertThat(places(Map.of(), "--config", "x")).isEqualTo(asked);
        assertThat(places(Map.of(), "--set", "a=b")).isEqualTo(asked);
        assertThat(places(Map.of("BERTH_CONFIG", "x"))).isEqualTo(asked);
        Files.createDirectories(home.resolve("xdg/berth"));
        assertThat(places(Map.of("XDG_CONFIG_HOME", home + "/xdg"))).isEqualTo(asked);
        Files.createDirectories(home.resolve(".config/berth"));
        assertThat(places(Map.of())).isEqualTo(asked);
        Files.delete(home.resolve(".config/berth"));
        Files.createDirectory(home.resolve("etc"));
        assertThat(places(Map.of())).isEqualTo(asked);
    }

    @Test
    void theUsualPlacesNeedNoQuestion() throws IOException {
        Path usual = home.resolve(".local/state/berth");
        assertThat(places(Map.of())).isEqualTo(new ServerPlaces(usual, usual.resolve("berth.sock")));
        assertThat(places(Map.of("BERTH_SOCKET", "/run/s", "BERTH_CONFIG", ""), "--data-dir", "/d"))
                .isEqualTo(new ServerPlaces(Path.of("/d"), Path.of("/d/berth.sock")));
    }
}
