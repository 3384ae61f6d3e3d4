package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Attempt;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.End.ByEngine;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.PlayedEngine;
import dev.berth.server.runner.target.TargetEngine.Abilities;
import dev.berth.server.runner.target.TargetEngine.Ability;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import dev.berth.server.runner.target.TargetSettings;
import dev.berth.server.runner.target.Targets;
import dev.berth.server.runner.target.Targets.Target;
import dev.berth.testclient.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs that are handed over to a target, from their submit to their end. */
class TargetJobsApiTest {
    private static final Instant STARTED = Instant.parse("2026-01-01T09:00:00Z");
    private static final Instant ENDED = Instant.parse("2026-01-01T10:00:00Z");
    private static final int AT_ONCE = 2;

    @TempDir
    private Path directory;

    private final PlayedEngine engine = new PlayedEngine();
    private final PlayedEngine pods = new PlayedEngine()
            .able(new Abilities(
                    "Pods",
                    "as it likes",
                    Set.of(Ability.CONTAINERS, Ability.NODE_TRAITS, Ability.GRACE, Ability.WORKING_DIRECTORY)));

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(
                directory,
                new Targets(new TreeMap<>(Map.of(
                        "cluster", new Target(new TargetSettings("cluster", AT_ONCE, List.of()), engine),
                        "pods", new Target(new TargetSettings("pods", AT_ONCE, List.of()), pods),
                        "closed", new Target(new TargetSettings("closed", 1, List.of("nobody-else")), engine)))));
    }

    private Answer post(String fields) {
        return fixture.post("/api/v1/jobs", "{\"command\":[\"python3\",\"main.py\"]," + fields + "}");
    }

    private long submitted() {
        return submitted("\"target\":\"cluster\"");
    }

    private long submitted(String fields) {
        return post(fields).expect(201).json().path("id").asLong();
    }

    private static String name(long id) {
        return "berth-harbour1-" + id + "-1";
    }

    private void awaitWords(long id, String words) {
        fixture.awaitSentence(id, words);
    }

    @Test
    void aJobWaitsInTheQueueOfItsTargetInThatOnesWords() {
        long id = submitted("\"target\":\"cluster\",\"gpus\":64");
        awaitWords(id, "Played waits for Resources (job 4711)");
        JsonNode job = fixture.job(id);
        assertThat(job.path("state").asText()).isEqualTo("QUEUED");
        assertThat(job.path("reason").asText()).isEqualTo("AT_TARGET");
        assertThat(job.path("target").asText()).isEqualTo("cluster");
        assertThat(job.path("targetKind").asText()).isEqualTo("Played");
        assertThat(job.path("position").isNull()).isTrue();
        assertThat(fixture.get("/api/v1/jobs?state=QUEUED").json().path("jobs")).hasSize(1);
        assertThat(fixture.get("/api/v1/jobs/" + id + "/explanation")
                        .expect(200)
                        .json()
                        .path("sentence")
                        .asText())
                .contains("Played waits");
        long own = fixture.running(4);
        assertThat(fixture.state(own)).as("the machine's own queue goes on").isEqualTo("RUNNING");
    }

    @Test
    void itRunsAndEndsAsThatOneSays() {
        long id = submitted("\"target\":\"cluster\",\"gpus\":2");
        fixture.await(id, StateName.QUEUED);
        engine.write(name(id), Stream.OUTPUT, "hello\n");
        engine.bring(name(id), new Phase.Alive("4711", STARTED, "node1"));
        fixture.await(id, StateName.RUNNING);
        awaitWords(id, "runs at target cluster (Played): job 4711 on node1");
        engine.bring(
                name(id),
                new Phase.Over(
                        "4711", new Exited(3, false), STARTED, ENDED, new Phase.Used(Duration.ofHours(2), 3L << 30)));
        fixture.await(id, StateName.FAILED);
        JsonNode job = fixture.job(id);
        assertThat(job.path("exitCode").asInt()).isEqualTo(3);
        assertThat(job.path("startedAt").asText()).startsWith("2026-01-01T09:00:00");
        fixture.await("it is so", () -> engine.asked().contains("discard " + name(id)));
        assertThat(fixture.get("/api/v1/jobs/" + id + "/log").text()).contains("hello");
        fixture.await(
                "it is so",
                () -> fixture.job(id).path("machineUsage").path("cpuSeconds").asLong() == 7_200);
        assertThat(fixture.job(id).path("usage").path("gpuSeconds").asLong())
                .as("an hour on two GPUs")
                .isEqualTo(7_200);
        assertThat(fixture.get("/api/v1/jobs?scope=ended")
                        .json()
                        .path("jobs")
                        .path(0)
                        .path("machineUsage")
                        .path("peakMemoryMiB")
                        .asLong())
                .as("in history")
                .isEqualTo(3 << 10);
    }

    @Test
    void whatItPrintsForBerthIsReadWhereThatIsAskedFor() {
        List<Long> ids = List.of(submitted("\"target\":\"cluster\",\"track\":[\"stdout\"]"), submitted());
        for (long id : ids) {
            fixture.await(id, StateName.QUEUED);
            engine.write(name(id), Stream.OUTPUT, "::berth metric loss=0.25\n");
            engine.write(name(id), Stream.TRACK, "{\"metric\":\"acc\",\"value\":0.75}\n");
            engine.bring(name(id), new Phase.Over("4711", new Exited(0, false), STARTED, ENDED, null));
            fixture.await(id, StateName.COMPLETED);
        }
        assertThat(fixture.job(ids.getFirst()).path("track").path(0).asText()).isEqualTo("stdout");
        fixture.await("it is so", () -> metrics(ids.getFirst()).equals(List.of("acc", "loss")));
        fixture.await("it is so", () -> metrics(ids.getLast()).equals(List.of("acc")));
    }

    private List<String> metrics(long id) {
        return fixture.get("/api/v1/jobs/" + id + "/tracking")
                .expect(200)
                .json()
                .path("metrics")
                .findValuesAsText("name");
    }

    @Test
    void whatTheEngineEndsIsToldWithItsReason() {
        long id = submitted();
        fixture.await(id, StateName.QUEUED);
        Outcome outcome = new Outcome(StateName.LOST, OutcomeReason.NODE_LOST, "node1 was lost", null);
        engine.bring(name(id), new Phase.Over("4711", new ByEngine(outcome), STARTED, ENDED, null));
        fixture.await(id, StateName.LOST);
        assertThat(fixture.job(id).path("reason").asText()).isEqualTo("NODE_LOST");
        assertThat(fixture.job(id).path("sentence").asText()).isEqualTo("node1 was lost");
    }

    @Test
    void itIsHeldReleasedAndCancelledThere() {
        long id = submitted();
        awaitWords(id, "Played waits");
        assertThat(fixture.verb(id, "hold").expect(202).json().path("state").asText())
                .isEqualTo("HELD");
        fixture.await("it is so", () -> engine.asked().contains("hold " + name(id)));
        assertThat(fixture.verb(id, "release").expect(202).json().path("state").asText())
                .isEqualTo("QUEUED");
        fixture.await("it is so", () -> engine.asked().contains("release " + name(id)));
        assertThat(fixture.verb(id, "cancel").status()).isEqualTo(202);
        fixture.await(id, StateName.CANCELLED);
        assertThat(engine.asked()).contains("cancel " + name(id) + " after 10 s");
    }

    @Test
    void whatATargetCannotDoIsRefusedInASentence() {
        long id = submitted("\"target\":\"pods\",\"image\":\"python:3.13\"");
        awaitWords(id, "Played waits");
        Answer answer = fixture.verb(id, "hold");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.json().path("message").asText())
                .contains("is in the queue of target pods (Pods), which sets no job aside");
    }

    @Test
    void atMostSoManyOfItsJobsAreThereAtOnce() {
        List<Long> ids = List.of(submitted(), submitted(), submitted());
        awaitWords(ids.getLast(), "cluster has 2 jobs of this server, as many as it may");
        assertThat(fixture.job(ids.getLast()).path("reason").asText()).isEqualTo("TARGET_FULL");
        long other = submitted("\"target\":\"pods\",\"image\":\"python:3.13\"");
        awaitWords(other, "Played waits");
        engine.bring(name(ids.getFirst()), new Phase.Over("1", new Exited(0, false), STARTED, ENDED, null));
        fixture.await(ids.getFirst(), StateName.COMPLETED);
        awaitWords(ids.getLast(), "Played waits");
        assertThat(engine.names())
                .containsExactlyElementsOf(
                        ids.stream().map(TargetJobsApiTest::name).toList());
    }

    @Test
    void anEngineThatIsAwayIsASentenceAndNoFailure() {
        engine.away();
        long id = submitted();
        awaitWords(id, "target cluster does not answer since");
        assertThat(fixture.state(id)).isEqualTo("STARTING");
        assertThat(fixture.job(id).path("reason").asText()).isEqualTo("ENGINE_UNREACHABLE");
        engine.failing(null);
        awaitWords(id, "Played waits");
    }

    @Test
    void oneThatTheEngineRefusesHasFailedWithItsWords() {
        engine.failing(new EngineException(Kind.REFUSED, "Slurm has no partition gpu"));
        long id = submitted();
        fixture.await(id, StateName.FAILED);
        assertThat(fixture.job(id).path("sentence").asText()).isEqualTo("Slurm has no partition gpu");
        assertThat(fixture.job(id).path("reason").asText()).isEqualTo("START_FAILED");
        engine.failing(null);
    }

    @Test
    void whatTheEngineWouldNotTakeIsNotAccepted() {
        Answer answer = post("\"target\":\"cluster\",\"gpus\":65");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.json().path("code").asText()).isEqualTo("TARGET_REFUSES");
        assertThat(answer.json().path("message").asText())
                .isEqualTo("not accepted, as target cluster would refuse it: it has 64 GPUs");
    }

    @Test
    void oneThatWouldNotBeTakenAnyMoreIsNotTakenAgain() {
        long id = submitted("\"target\":\"cluster\",\"gpus\":64");
        fixture.await(id, StateName.QUEUED);
        engine.bring(name(id), new Phase.Over("4711", new Exited(0, false), STARTED, ENDED, null));
        fixture.await(id, StateName.COMPLETED);
        assertThat(fixture.verb(id, "resubmit").status()).isEqualTo(201);
        engine.having(63);
        Answer answer = fixture.verb(id, "resubmit");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.json().path("code").asText()).isEqualTo("TARGET_REFUSES");
    }

    @Test
    void anImageIsPulledWhereTheTargetLacksIt() {
        long id = submitted("\"target\":\"pods\",\"image\":\"python:3.13\"");
        awaitWords(id, "Played waits");
        assertThat(pods.handover(name(id))
                        .orElseThrow()
                        .job()
                        .spec()
                        .container()
                        .pull())
                .isEqualTo(PullPolicy.MISSING);
    }

    @Test
    void theTasksOfAnArrayGoThereEachForItself() {
        long id = submitted("\"target\":\"cluster\",\"array\":\"0-2\"");
        fixture.await("it is so", () -> engine.names().size() == AT_ONCE);
        assertThat(engine.handover(engine.names().getFirst()).orElseThrow().environment())
                .containsEntry("BERTH_ARRAY_TASK", "0")
                .containsEntry("BERTH_JOB_ID", id + "_0");
    }

    @Test
    void oneThatWaitsForAnotherGoesThereOnceThatHasEnded() {
        long first = submitted();
        long second = submitted("\"target\":\"cluster\",\"dependencies\":[\"afterok:" + first + "\"]");
        awaitWords(second, "waits for the end of job " + first);
        awaitWords(first, "Played waits");
        engine.bring(name(first), new Phase.Over("1", new Exited(0, false), STARTED, ENDED, null));
        awaitWords(second, "Played waits");
    }

    @Test
    void aDryRunSaysWhereItWouldGoAndHandsNothingOver() {
        JsonNode plan = fixture.post(
                        "/api/v1/jobs?dryRun=true", "{\"command\":[\"true\"],\"target\":\"cluster\",\"gpus\":8}")
                .expect(200)
                .json();
        assertThat(plan.path("sentence").asText()).isEqualTo("it would be handed over to target cluster at once");
        assertThat(plan.path("settings").findValuesAsText("name"))
                .contains("target")
                .doesNotContain("volumes", "shmBytes");
        assertThat(engine.names()).isEmpty();
    }

    @Test
    void onlyALinkOfAnAttemptGivesItsDirectory() {
        String snapshot = fixture.snapshot();
        long id = submitted("\"target\":\"cluster\",\"snapshot\":\"" + snapshot + "\"");
        awaitWords(id, "Played waits");
        String link =
                fixture.links().link(engine.handover(name(id)).orElseThrow().handed());
        assertThat(fixture.get(link).status()).isEqualTo(200);
        for (String other : List.of(
                link.replace("/" + id + ".1.", "/" + id + ".2."),
                link.replace("/" + id + ".1.", "/" + (id + 1) + ".1."),
                link.substring(0, link.length() - "0/snapshot".length()) + "x/snapshot")) {
            assertThat(fixture.get(other).status()).as(other).isEqualTo(404);
        }
        fixture.verb(id, "cancel");
        fixture.await(id, StateName.CANCELLED);
        assertThat(fixture.get(link).status()).isEqualTo(404);
    }

    /** That job is in no queue. */
    @Test
    void theDirectoryOfATrialIsFetchedByItsLink() {
        Handed trial = new Handed(new Attempt(new JobId(Long.MAX_VALUE), 1), "trial", Jobs.ADA, STARTED);
        assertThat(fixture.get(fixture.links().link(trial)).expect(200).text())
                .contains("berth-trial.txt", "berth was here");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'target':'clustre' | target | is no target of this server; did you mean cluster?",
                "'target':'../x' | target | berth targets lists them",
                "'target':'cluster','image':'python:3.13' | image | programs run on its nodes as they are",
                "'target':'cluster','workingDirectory':'/tmp' | workingDirectory | begin in the one that is submitted",
                "'target':'cluster','graceSeconds':5,'timeLimitSeconds':60 | graceSeconds | is the same for all of its jobs",
                "'target':'cluster','volumes':['/data:/data'] | volumes | mounts paths of this machine",
                "'target':'cluster','network':'none' | network | a target's engine has its own",
                "'target':'cluster','gpuMilli':500 | gpuMilli | asks for a share of a GPU; ask for whole ones",
                "'target':'cluster','idleTimeoutSeconds':60,'gpus':1 | idleTimeoutSeconds | needs a look at the GPUs",
                "'target':'cluster','memoryBytes':5 | memoryBytes | must be from",
                "'target':'cluster','cpuMilli':0 | cpuMilli | must be from 1 to",
                "'target':'cluster','track':['stdout','csv'] | track | take --track stdout",
                "'target':'cluster','track':['stout'] | track | must be of tensorboard, csv and stdout",
                "'target':'pods' | image | must name an image that target pods can pull",
            })
    void badInputNamesTheFieldAndTheRule(String fields, String field, String rule) {
        Answer answer = post(fields.replace('\'', '"'));
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.json().path("details").path("field").asText()).isEqualTo(field);
        assertThat(answer.json().path("message").asText()).contains(rule);
        assertThat(engine.names()).isEmpty();
    }
}
