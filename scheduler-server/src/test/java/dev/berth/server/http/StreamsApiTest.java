package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.testclient.Following;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job's events over a real socket, followed and resumed. */
@Timeout(60)
class StreamsApiTest {
    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    private record Event(long id, String name, String data) {
        static Event next(Following stream) throws IOException {
            String line = stream.line();
            while (line.startsWith(":") || line.isEmpty()) {
                line = stream.line();
            }
            Event event = new Event(
                    Long.parseLong(after("id: ", line)),
                    after("event: ", stream.line()),
                    after("data: ", stream.line()));
            assertThat(stream.line()).isEmpty();
            return event;
        }

        private static String after(String start, String line) {
            assertThat(line).startsWith(start);
            return line.substring(start.length());
        }
    }

    private Following events(long id, long after) {
        return Wire.open(fixture.socket(), "/api/v1/jobs/" + id + "/events", "Last-Event-ID: " + after);
    }

    private static List<Event> events(Following stream, int count) throws IOException {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(Event.next(stream));
        }
        return events;
    }

    @Test
    void eventsComeAsTheyHappenAndEndWithTheJob() throws IOException {
        long blocker = fixture.running(4);
        long id = fixture.submitted(1);
        try (Following stream = Wire.open(fixture.socket(), "/api/v1/jobs/" + id + "/events")) {
            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.header("content-type")).isEqualTo("text/event-stream");
            assertThat(events(stream, 2)).extracting(Event::name).containsExactly("JobAccepted", "ImageArrived");
            fixture.end(blocker, 0);
            List<Event> started = events(stream, 3);
            assertThat(started)
                    .extracting(Event::name)
                    .containsExactly("Allocated", "ContainerCreated", "ContainerStarted");
            assertThat(started.getLast().data())
                    .startsWith("{\"sequence\":" + started.getLast().id() + ",\"job\":" + id + ",\"at\":\"")
                    .endsWith(
                            "\"event\":\"ContainerStarted\",\"from\":\"STARTING\",\"to\":\"RUNNING\",\"attempt\":1,\"sentence\":null,\"details\":null,\"number\":\"%d\"}"
                                    .formatted(id));
            fixture.end(id, 0);
            assertThat(Event.next(stream).name()).isEqualTo("ContainerExited");
            assertThat(stream.rest()).isEmpty();
        }
    }

    /** As in the state of a job: without the steps through which an engine hands an error on. */
    @Test
    void whatAnEngineSaysIsASentenceWithAllOfItBehind() throws IOException {
        long blocker = fixture.running(4);
        long id = fixture.submitted(1);
        String said = "the engine said: OCI runtime create failed: exec: not found: unknown";
        try (Following stream = events(id, 0)) {
            // A job that is held before its image is there has no event of that.
            assertThat(events(stream, 2).getLast().name()).isEqualTo("ImageArrived");
            fixture.scheduling().tell(new JobId(id), new HoldRequested("ada", said));
            assertThat(Event.next(stream).data())
                    .contains("\"sentence\":\"the engine said: exec: not found\",\"details\":\"" + said + "\"");
        }
        fixture.end(blocker, 0);
    }

    @Test
    void aStreamGoesOnBehindTheLastEventThatWasSeen() throws IOException {
        long id = fixture.running(1);
        List<Event> before;
        try (Following stream = events(id, 0)) {
            before = events(stream, 5);
        }
        fixture.running(1);
        for (int seen = 0; seen < before.size(); seen++) {
            try (Following stream =
                    events(id, seen == 0 ? 0 : before.get(seen - 1).id())) {
                assertThat(events(stream, before.size() - seen)).isEqualTo(before.subList(seen, before.size()));
            }
        }
        fixture.end(id, 0);
        try (Following stream = events(id, before.getLast().id())) {
            assertThat(Event.next(stream).name()).isEqualTo("ContainerExited");
            assertThat(stream.rest()).isEmpty();
        }
    }

    @Test
    void whoHasSeenTheEndIsToldNothingMore() throws IOException {
        long id = fixture.running(1);
        fixture.end(id, 0);
        fixture.await(id, StateName.COMPLETED);
        long last;
        try (Following stream = events(id, 0)) {
            last = events(stream, 6).getLast().id();
            assertThat(stream.rest()).isEmpty();
        }
        try (Following stream = events(id, last)) {
            assertThat(stream.rest()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "1.5", "99999999999999999999"})
    void anEventIdIsANumber(String id) throws IOException {
        long job = fixture.submitted(1);
        try (Following stream =
                Wire.open(fixture.socket(), "/api/v1/jobs/" + job + "/events", "Last-Event-ID: " + id)) {
            assertThat(stream.status()).isEqualTo(400);
            assertThat(stream.rest()).contains("Last-Event-ID: '" + id + "' must be the id of an event");
        }
    }

    /** An answer that looked complete would be taken for all there is. */
    @Test
    void whoFollowsIsLetGoWhenTheServerStopsAndSeesThatItIsNotTheEnd() throws Exception {
        long id = fixture.running(1);
        try (Following log = Wire.open(fixture.socket(), "/api/v1/jobs/" + id + "/log?follow=true");
                Following events = events(id, 0)) {
            assertThat(log.status()).isEqualTo(200);
            assertThat(events(events, 4)).hasSize(4);
            fixture.close();
            assertThatThrownBy(log::rest).isInstanceOf(IOException.class);
            assertThatThrownBy(events::rest).isInstanceOf(IOException.class);
            fixture = new ServerFixture(Files.createDirectory(directory.resolve("next")));
        }
    }
}
