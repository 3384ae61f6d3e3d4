package dev.berth.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.client.http.ServerUnreachable;
import dev.berth.cli.exit.Failure;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.JobEventView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventFollowerTest {
    private static final String FOLLOW = "GET /api/v1/events?follow=true";
    private static final ApiError NOT_YOU = new ApiError("NO_SUCH_USER", "you are nobody", Map.of());

    @TempDir
    private Path directory;

    private final List<Long> seen = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();

    @AutoClose
    private ScriptedServer server;

    private EventFollower follower;

    @BeforeEach
    void start() throws IOException {
        server = ScriptedServer.at(directory.resolve("s"));
        BerthClient client = new BerthClient(directory.resolve("s"), "9.9", _ -> {}, _ -> {});
        follower = new EventFollower(client, _ -> {}, notices::add);
    }

    private static JobEventView event(long sequence) {
        return Samples.event(sequence, 17, "QUEUED", "STARTING");
    }

    private void followToTheRefusal() {
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> follower.follow(event -> seen.add(event.sequence())))
                .withMessage("you are nobody");
    }

    private List<String> resumed() {
        return server.received().stream()
                .map(received -> received.headers().getOrDefault("last-event-id", "none"))
                .toList();
    }

    @Test
    void aBreakMakesNoGapAndNoRepetition() {
        server.allEvents(FOLLOW, false, event(4), event(5))
                .allEvents(FOLLOW, true, event(6))
                .on(FOLLOW, "")
                .allEvents(FOLLOW, true, event(9))
                .json(FOLLOW, 403, NOT_YOU);
        followToTheRefusal();
        assertThat(seen).containsExactly(4L, 5L, 6L, 9L);
        assertThat(resumed()).containsExactly("none", "5", "6", "6", "9");
    }

    @Test
    void aNumberWithoutAnEventIsWhereToGoOn() {
        server.on(FOLLOW, ScriptedServer.chunked("text/event-stream", false, "id: 41\n\n"))
                .json(FOLLOW, 403, NOT_YOU);
        followToTheRefusal();
        assertThat(resumed()).containsExactly("none", "41");
    }

    @Test
    void zeroIsANumberToo() {
        server.on(FOLLOW, ScriptedServer.chunked("text/event-stream", false, "id: 0\n\n"))
                .json(FOLLOW, 403, NOT_YOU);
        followToTheRefusal();
        assertThat(resumed()).containsExactly("none", "0");
    }

    @Test
    void anEventThatBreaksOffComesAgain() {
        server.on(FOLLOW, ScriptedServer.chunked("text/event-stream", false, "id: 41\n\nid: 42\ndata: {\"seq"))
                .json(FOLLOW, 403, NOT_YOU);
        followToTheRefusal();
        assertThat(resumed()).containsExactly("none", "41");
    }

    @Test
    void aServerThatStaysAwayIsGivenUp() {
        BerthClient nobody = new BerthClient(directory.resolve("nobody"), "9.9", _ -> {}, _ -> {});
        EventFollower alone = new EventFollower(nobody, _ -> {}, notices::add);
        assertThatExceptionOfType(ServerUnreachable.class).isThrownBy(() -> alone.follow(_ -> {}));
        assertThat(notices).containsExactly("the server is away; trying again for 60 s");
    }
}
