package dev.berth.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.job.JobId;
import dev.berth.core.job.Submitter;
import dev.berth.server.example.Jobs;
import dev.berth.server.http.ServerFixture;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may do what; job 1 is Ada's, job 2 is Bob's. */
class AccessTest {
    private static final Submitter SAME_GROUP_AS_ADA = new Submitter(1002, 1000, List.of(27L), "eve");

    @TempDir
    private Path directory;

    private JobStore store;
    private JobQueries queries;

    @BeforeEach
    void open() {
        store = new JobStore(directory.resolve("berth.db"));
        store.write(Jobs.upTo(Jobs.accepted(1, 0, Jobs.ADA)));
        store.write(Jobs.upTo(Jobs.accepted(2, 0, Jobs.BOB)));
        store.commit();
        queries = new JobQueries(directory.resolve("berth.db"));
    }

    @AfterEach
    void close() {
        queries.close();
        store.close();
    }

    private Access runBy(Submitter server) {
        return new Access(queries, server.uid());
    }

    private static ApiException refusal(ThrowingCallable call) {
        ApiException refusal = catchThrowableOfType(ApiException.class, call);
        assertThat(refusal).as("it was allowed").isNotNull();
        return refusal;
    }

    private JobId seen(Submitter peer, long id) {
        return runBy(Jobs.ROOT)
                .job(Caller.local(peer), Map.of("id", Long.toString(id)))
                .id();
    }

    @Test
    void anOwnerSeesTheJob() {
        assertThat(seen(Jobs.ADA, 1)).isEqualTo(new JobId(1));
        assertThat(seen(Jobs.BOB, 2)).isEqualTo(new JobId(2));
    }

    @Test
    void rootSeesEverybodysJobs() {
        assertThat(seen(Jobs.ROOT, 1)).isEqualTo(new JobId(1));
        assertThat(seen(Jobs.ROOT, 2)).isEqualTo(new JobId(2));
        assertThat(Caller.local(Jobs.ROOT).seesAll()).isTrue();
        assertThat(Caller.local(Jobs.ADA).seesAll()).isFalse();
    }

    @Test
    void anothersJobIsAsIfItWereNotThere() {
        ApiException foreign = refusal(() -> seen(Jobs.BOB, 1));
        ApiException missing = refusal(() -> seen(Jobs.BOB, 3));
        assertThat(foreign.status()).isEqualTo(404).isEqualTo(missing.status());
        assertThat(foreign.error().code())
                .isEqualTo("JOB_NOT_FOUND")
                .isEqualTo(missing.error().code());
        assertThat(foreign.error().details()).isEqualTo(missing.error().details());
        assertThat(foreign.error().message())
                .isEqualTo(missing.error().message().replace("no job 3", "no job 1"));
        assertThat(refusal(() -> seen(SAME_GROUP_AS_ADA, 1)).status()).isEqualTo(404);
    }

    @Test
    void aServerOfRootServesEverybody() {
        assertThatCode(() -> {
                    runBy(Jobs.ROOT).requireSubmitter(Caller.local(Jobs.ROOT));
                    runBy(Jobs.ROOT).requireSubmitter(Caller.local(Jobs.ADA));
                    runBy(Jobs.ROOT).requireSubmitter(Caller.local(Jobs.BOB));
                })
                .doesNotThrowAnyException();
    }

    @Test
    void anotherServerServesItsOwnUserAlone() {
        assertThatCode(() -> runBy(Jobs.ADA).requireSubmitter(Caller.local(Jobs.ADA)))
                .doesNotThrowAnyException();
        ApiException refusal = refusal(() -> runBy(Jobs.ADA).requireSubmitter(Caller.local(Jobs.BOB)));
        assertThat(refusal.status()).isEqualTo(403);
        assertThat(refusal.error().code()).isEqualTo("NOT_SERVED");
        assertThat(refusal.error().message())
                .isEqualTo("this server runs as user 1000 and serves that user alone; you are bob (1001)");
        assertThat(refusal(() -> runBy(Jobs.ADA).requireSubmitter(Caller.local(Jobs.ROOT)))
                        .status())
                .as("its containers would not run as root")
                .isEqualTo(403);
    }

    @Test
    void onlyRootAndItsOwnUserEndAServer() {
        assertThatCode(() -> {
                    runBy(Jobs.ADA).requireOperator(Caller.local(Jobs.ADA));
                    runBy(Jobs.ADA).requireOperator(Caller.local(Jobs.ROOT));
                    runBy(Jobs.ROOT).requireOperator(Caller.local(Jobs.ROOT));
                })
                .doesNotThrowAnyException();
        assertThat(refusal(() -> runBy(Jobs.ADA).requireOperator(Caller.local(Jobs.BOB)))
                        .error()
                        .code())
                .isEqualTo("NOT_OPERATOR");
        assertThat(refusal(() -> runBy(Jobs.ROOT).requireOperator(Caller.local(Jobs.ADA)))
                        .status())
                .isEqualTo(403);
    }

    /** The same on the wire, where the test's own user is a foreigner to a server of somebody else. */
    @Test
    void aForeignerMayNeitherUploadNorSubmit() throws IOException {
        try (ServerFixture fixture = new ServerFixture(Files.createDirectory(directory.resolve("foreign")), 4_711, 0)) {
            assertThat(fixture.upload(new byte[1_024]).code()).isEqualTo("NOT_SERVED");
            Answer answer = fixture.post("/api/v1/jobs", "{\"not\": \"even read\"}");
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.code()).isEqualTo("NOT_SERVED");
        }
    }
}
