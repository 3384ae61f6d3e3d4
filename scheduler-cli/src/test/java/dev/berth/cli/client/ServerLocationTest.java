package dev.berth.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerLocationTest {
    private static final Map<String, String> BOTH = Map.of("BERTH_SOCKET", "/b/env.sock", "BERTH_DATA_DIR", "/b/data");

    @TempDir
    private Path home;

    private Path own;

    @BeforeEach
    void findOwn() {
        own = home.resolve(".local/state/berth");
    }

    private ServerLocation location(@Nullable String socket, @Nullable String data, Map<String, String> variables) {
        return new ServerLocation(
                new ServerLocation.Line(null, socket, data), variables, home, false, Path.of("/system"));
    }

    private ServerLocation location(Map<String, String> variables) {
        return location(null, null, variables);
    }

    @Test
    void theOptionComesFirst() {
        assertThat(location("/o.sock", "/d", BOTH).socket()).isEqualTo(Path.of("/o.sock"));
        assertThat(location("o.sock", null, BOTH).socket())
                .isEqualTo(Path.of("o.sock").toAbsolutePath());
    }

    @Test
    void thenTheSocketVariable() {
        assertThat(location(BOTH).socket()).isEqualTo(Path.of("/b/env.sock"));
    }

    @Test
    void thenTheDataDirectory() {
        assertThat(location(null, "/d", Map.of()).socket()).isEqualTo(Path.of("/d/berth.sock"));
        assertThat(location(null, "/d", Map.of("BERTH_DATA_DIR", "/b/data")).socket())
                .isEqualTo(Path.of("/d/berth.sock"));
        assertThat(location(Map.of("BERTH_DATA_DIR", "/b/data")).socket()).isEqualTo(Path.of("/b/data/berth.sock"));
    }

    @Test
    void thenTheUsersOwnIfItIsThere() throws IOException {
        assertThat(location(Map.of()).socket()).isEqualTo(Path.of("/system/berth.sock"));
        Files.createDirectories(own);
        Files.createFile(own.resolve("berth.sock"));
        assertThat(location(Map.of()).socket()).isEqualTo(own.resolve("berth.sock"));
        assertThat(location(Map.of("XDG_STATE_HOME", "/elsewhere")).socket()).isEqualTo(Path.of("/system/berth.sock"));
    }

    @Test
    void anEmptyVariableSaysNothing() {
        assertThat(location(Map.of("BERTH_SOCKET", "", "BERTH_DATA_DIR", "")).socket())
                .isEqualTo(Path.of("/system/berth.sock"));
    }

    @Test
    void aNewServerKeepsItsDataWhereTheUserMay() {
        assertThat(location(null, "/d/../e", BOTH).dataDirectory()).isEqualTo(Path.of("/e"));
        assertThat(location(BOTH).dataDirectory()).isEqualTo(Path.of("/b/data"));
        assertThat(location(Map.of()).dataDirectory()).isEqualTo(own);
        assertThat(location(Map.of("XDG_STATE_HOME", "/state")).dataDirectory()).isEqualTo(Path.of("/state/berth"));
        assertThat(location(Map.of("XDG_STATE_HOME", "relative")).dataDirectory())
                .isEqualTo(own);
        assertThat(new ServerLocation(
                                new ServerLocation.Line(null, null, null), Map.of(), home, true, Path.of("/system"))
                        .dataDirectory())
                .isEqualTo(Path.of("/system"));
    }

    @Test
    void aPathTooLongForASocketIsRefused() {
        String longest = "/" + "x".repeat(106);
        assertThat(location(longest, null, Map.of()).socket()).isEqualTo(Path.of(longest));
        assertThatThrownBy(() -> location(longest + "x", null, Map.of()).socket())
                .isInstanceOf(Failure.class)
                .hasMessageContaining("has 108 bytes")
                .hasMessageContaining("at most 107");
        assertThatThrownBy(() -> location("/" + "ü".repeat(60), null, Map.of()).socket())
                .isInstanceOf(Failure.class)
                .hasMessageContaining("has 121 bytes");
    }
}
