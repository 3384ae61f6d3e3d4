package dev.berth.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.client.http.ServerUnreachable;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.JobView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lost answer makes one job: every try has the same key, and no two jobs have one. */
class RetriedRequestTest {
    private static final String SUBMIT = "POST /api/v1/jobs";
    private static final String CANCEL = "POST /api/v1/jobs/17/cancel";
    private static final String LOST = "";

    @TempDir
    private Path directory;

    private final List<Duration> pauses = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - 5;

    @AutoClose
    private ScriptedServer server;

    private BerthClient client;
    private RetriedRequest retried;

    @BeforeEach
    void start() throws IOException {
        server = ScriptedServer.at(directory.resolve("s"));
        client = new BerthClient(directory.resolve("s"), "9.9", pauses::add, _ -> {});
        retried = new RetriedRequest(pauses::add, () -> nanos, notices::add);
    }

    private static Map<String, Object> request() {
        return Map.of("command", List.of("true"));
    }

    private JobView submit() throws IOException {
        return retried.once(key -> client.submit(request(), key));
    }

    private Set<String> keys() {
        Set<String> keys = new HashSet<>();
        for (ScriptedServer.Received received : server.received()) {
            keys.add(received.headers().getOrDefault("idempotency-key", "none"));
        }
        return keys;
    }

    @Test
    void aLostAnswerIsAskedForAgainWithTheSameKey() throws IOException {
        server.on(SUBMIT, LOST).on(SUBMIT, LOST).json(SUBMIT, 200, Samples.queued(17, 1));
        assertThat(submit().id()).isEqualTo(17);
        assertThat(server.received()).hasSize(3);
        assertThat(keys()).hasSize(1).allMatch(key -> key.matches("[0-9a-f]{32}"));
        assertThat(notices).containsExactly("the server is away; trying again for 60 s", "the server is back");
        assertThat(pauses).hasSize(2);
    }

    @Test
    void everyJobHasAKeyOfItsOwn() throws IOException {
        server.json(SUBMIT, 201, Samples.queued(17, 1)).json(SUBMIT, 201, Samples.queued(18, 2));
        assertThat(submit().id()).isEqualTo(17);
        assertThat(submit().id()).isEqualTo(18);
        assertThat(keys()).hasSize(2);
    }

    @Test
    void aServerThatIsEndingSaysNothingAboutTheTryBefore() throws IOException {
        server.on(SUBMIT, LOST)
                .json(SUBMIT, 503, new ApiError("STOPPING", "it is stopping", Map.of()))
                .json(SUBMIT, 200, Samples.queued(17, 1));
        assertThat(submit().id()).isEqualTo(17);
        assertThat(keys()).hasSize(1);
    }

    @Test
    void aRefusalAtOnceIsOne() {
        server.json(SUBMIT, 503, new ApiError("STOPPING", "it is stopping", Map.of()));
        assertThatExceptionOfType(Failure.class).isThrownBy(this::submit).withMessage("it is stopping");
    }

    @Test
    void aRefusalAfterABreakIsOne() {
        server.on(SUBMIT, LOST).json(SUBMIT, 422, new ApiError("NEVER_FITS", "too many", Map.of()));
        assertThatExceptionOfType(Failure.class).isThrownBy(this::submit).withMessage("too many");
    }

    private void pauseWithoutAServer(Duration length) {
        pauses.add(length);
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void patienceIsAMinuteAndThenNobodyKnows() {
        server.on(SUBMIT, LOST);
        retried = new RetriedRequest(this::pauseWithoutAServer, () -> nanos, notices::add);
        assertThatExceptionOfType(Failure.class).isThrownBy(this::submit).satisfies(failure -> {
            assertThat(failure.exitCode()).isEqualTo(ExitCode.BERTH_FAILED);
            assertThat(failure.error().code()).isEqualTo("UNKNOWN_IF_ACCEPTED");
            assertThat(failure)
                    .hasMessageStartingWith("the connection to the server broke (")
                    .hasMessageEndingWith(
                            ") and trying again for 60 s did not help; berth ps -n 5 shows whether the job was accepted");
        });
        assertThat(keys()).hasSize(1);
        Duration waited = pauses.stream().reduce(Duration.ZERO, Duration::plus);
        assertThat(waited).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(70));
    }

    /** The tries themselves may take as long as the pauses between them; the first break may be at any reading. */
    @Test
    void patienceCountsTheTriesToo() {
        server.on(SUBMIT, LOST).on(SUBMIT, LOST).on(SUBMIT, LOST);
        retried = new RetriedRequest(
                length -> {
                    pauses.add(length);
                    nanos += Duration.ofSeconds(40).toNanos();
                },
                () -> nanos,
                notices::add);
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(this::submit)
                .satisfies(failure -> assertThat(failure.error().code()).isEqualTo("UNKNOWN_IF_ACCEPTED"));
        assertThat(pauses).hasSize(2);
    }

    @Test
    void aServerThatWasNeverThereIsToldAtOnce() {
        BerthClient nobody = new BerthClient(directory.resolve("nobody"), "9.9", pauses::add, _ -> {});
        assertThatExceptionOfType(ServerUnreachable.class)
                .isThrownBy(() -> retried.once(key -> nobody.submit(request(), key)));
        assertThat(pauses).isEmpty();
    }

    private JobView cancel() throws IOException {
        return retried.steered(
                17, client::cancel, client::job, job -> job.state().equals("CANCELLED"));
    }

    @Test
    void aLostAnswerToACancelIsAskedForAgain() throws IOException {
        server.on(CANCEL, LOST).json(CANCEL, 202, Samples.running(17));
        assertThat(cancel().state()).isEqualTo("RUNNING");
    }

    /** The first try was heard, its answer was not. */
    @Test
    void aRefusalBehindALostAnswerCountsOnlyWhereTheJobIsNotAsItWasToBe() throws IOException {
        ApiError over = new ApiError("JOB_ENDED", "job 17 is over already", Map.of());
        server.on(CANCEL, LOST)
                .json(CANCEL, 409, over)
                .json("GET /api/v1/jobs/17", 200, Samples.ended(17, "CANCELLED", 0));
        assertThat(cancel().state()).isEqualTo("CANCELLED");

        server.on(CANCEL, LOST)
                .json(CANCEL, 409, over)
                .json("GET /api/v1/jobs/17", 200, Samples.ended(17, "COMPLETED", 0));
        assertThatExceptionOfType(Failure.class).isThrownBy(this::cancel).withMessage("job 17 is over already");

        server.json(CANCEL, 409, over);
        assertThatExceptionOfType(Failure.class).isThrownBy(this::cancel).withMessage("job 17 is over already");
    }

    @Test
    void aResubmitIsHandedInTheSameWay() throws IOException {
        String line = "POST /api/v1/jobs/17/resubmit";
        server.on(line, LOST).json(line, 200, Samples.queued(21, 1));
        assertThat(retried.once(key -> client.resubmit(17, false, key)).id()).isEqualTo(21);
        assertThat(keys()).hasSize(1).doesNotContain("none");
    }
}
