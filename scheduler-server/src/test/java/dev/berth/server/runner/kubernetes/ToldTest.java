package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;
import static dev.berth.server.runner.kubernetes.Handovers.SETTINGS;
import static dev.berth.server.runner.kubernetes.Handovers.handed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.KeptOutput;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.TargetEngine.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What looks ask a cluster that tells of changes by itself, and what they say where it does not. */
@Timeout(120)
class ToldTest {
    private static final String JOBS = "GET /apis/batch/v1/namespaces/lab/jobs?";
    private static final String PODS = "GET /api/v1/namespaces/lab/pods?";
    private static final String WATCH = "allowWatchBookmarks";
    private static final Handed JOB = handed(1);
    private static final List<Handed> ALL =
            LongStream.rangeClosed(1, 20).mapToObj(Handovers::handed).toList();

    /** Not the one that looks ask for first. */
    private static final Handed LAST = ALL.getLast();

    private static final Duration START_DEADLINE = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofMillis(20);

    /** So rare that what is told arrives before looks have asked for each job by name. */
    private static final Duration LATER = Duration.ofMillis(200);

    private final MockCluster cluster = new MockCluster();
    private volatile Instant now = NOW;
    private final KubernetesEngine engine = cluster.watching(SETTINGS, () -> now);

    @AfterEach
    void close() {
        cluster.close();
    }

    private void handOverAll() {
        for (Handed one : ALL) {
            engine.handOver(Handovers.of(one.attempt().job().value()));
            cluster.makePod(one.name());
        }
    }

    private Phase phase(Handed one) {
        return Objects.requireNonNull(engine.look(ALL).get(one));
    }

    /** What a look asks. */
    private List<String> asked() {
        int before = cluster.server().requests().size();
        assertThat(engine.look(ALL)).hasSize(ALL.size());
        List<String> all = cluster.server().requests();
        return all.subList(before, all.size());
    }

    private static String named(Handed one) {
        return "GET /apis/batch/v1/namespaces/lab/jobs/" + one.name();
    }

    private void awaitAlive(Handed one) throws InterruptedException {
        while (!(phase(one) instanceof Phase.Alive)) {
            Thread.sleep(SOON);
        }
    }

    /** Two lists, and then one Job with its pods, however many there are. */
    @Test
    void aLookAsksForOneJobWhileChangesAreWatched() {
        handOverAll();
        assertThat(asked())
                .satisfiesExactly(
                        list -> assertThat(list).startsWith(PODS).endsWith("resourceVersion=0"),
                        watch -> assertThat(watch)
                                .startsWith(PODS + WATCH)
                                .contains("&resourceVersion=")
                                .endsWith("watch=true"),
                        list -> assertThat(list).startsWith(JOBS).endsWith("resourceVersion=0"),
                        watch -> assertThat(watch)
                                .startsWith(JOBS + WATCH)
                                .contains("&resourceVersion=")
                                .endsWith("watch=true"));
        for (Handed one : ALL) {
            assertThat(asked())
                    .satisfiesExactly(
                            job -> assertThat(job).isEqualTo(named(one)),
                            pods -> assertThat(pods)
                                    .startsWith(PODS)
                                    .contains(
                                            "dev.berth%2Fjob%3D" + one.attempt().job() + "%2C")
                                    .endsWith("&resourceVersion=0"));
        }
    }

    @Test
    void whatHappensIsToldWithoutAList() throws InterruptedException {
        handOverAll();
        assertThat(phase(LAST)).isInstanceOf(Phase.Waiting.class);
        int before = cluster.server().requests().size();
        cluster.running(LAST.name());
        awaitAlive(LAST);
        List<String> all = cluster.server().requests();
        assertThat(all.subList(before, all.size())).noneMatch(request -> request.contains("watch=true"));
    }

    @Test
    void aListIsGoodForAMinute() {
        handOverAll();
        asked();
        now = now.plus(Watched.GOOD_FOR);
        assertThat(asked()).hasSize(4).anyMatch(request -> request.startsWith(JOBS));
        // Whoever sets the clock back lets it be no longer.
        now = now.minusSeconds(1);
        assertThat(asked()).hasSize(4);
    }

    /** Waits for a look that lists. */
    private void awaitList() throws InterruptedException {
        while (asked().stream().noneMatch(request -> request.startsWith(JOBS + "labelSelector"))) {
            Thread.sleep(SOON);
        }
    }

    @Test
    void allIsListedWhereAWatchHasEnded() throws InterruptedException {
        handOverAll();
        asked();
        cluster.server().endWatches();
        awaitList();
        cluster.running(LAST.name());
        awaitAlive(LAST);
    }

    /** What the cluster keeps of changes is bounded (kubernetes.io, "410 Gone"). */
    @Test
    void allIsListedWhereTheVersionOfAWatchIsTooOld() throws InterruptedException {
        handOverAll();
        asked();
        cluster.server().expireWatches();
        awaitList();
        cluster.running(LAST.name());
        awaitAlive(LAST);
    }

    /** Of another job than looks ask for by name. */
    @Test
    void aJobThatIsDeletedIsToldWithoutAList() throws InterruptedException {
        handOverAll();
        asked();
        int before = cluster.server().requests().size();
        cluster.client()
                .batch()
                .v1()
                .jobs()
                .inNamespace("lab")
                .withName(LAST.name())
                .delete();
        cluster.collectGarbage();
        while (!(phase(LAST) instanceof Phase.Unknown)) {
            Thread.sleep(LATER);
        }
        List<String> all = cluster.server().requests();
        assertThat(all.subList(before, all.size())).noneMatch(request -> request.contains("watch=true"));
    }

    /** A connection that was lost without a word, or a watch that lags behind. */
    @Test
    void allIsListedWhereAJobIsNotAsItWasTold() {
        handOverAll();
        cluster.server().silent();
        asked();
        cluster.running(JOB.name());
        cluster.editJob(
                JOB.name(),
                job -> job.editMetadata().addToAnnotations("any", "other").endMetadata());
        assertThat(phase(JOB)).isInstanceOf(Phase.Alive.class);
    }

    /** The two have connections of their own. */
    @Test
    void allIsListedWhereAPodIsNotAsItWasTold() {
        handOverAll();
        cluster.server().silent();
        asked();
        cluster.running(JOB.name());
        assertThat(phase(JOB)).isInstanceOf(Phase.Alive.class);
    }

    /** A proxy may take the connection and let nothing through. */
    @Test
    void aWatchThatIsNotAnsweredIsNotWaitedFor() {
        KubernetesEngine brief = cluster.watching(Handovers.within(Duration.ofSeconds(1)), () -> now);
        brief.handOver(Handovers.of(1));
        cluster.server().hang(PODS + WATCH);
        cluster.server().hang(JOBS + WATCH);
        List<String> before = List.of();
        for (int look = 0; look < 2; look++) {
            before = cluster.server().requests();
            assertThat(brief.look(List.of(JOB)).get(JOB)).isInstanceOf(Phase.Waiting.class);
        }
        List<String> all = cluster.server().requests();
        assertThat(all.subList(before.size(), all.size())).noneMatch(request -> request.contains("watch=true"));
        cluster.server().resume();
        now = now.plus(Watched.UNWATCHED);
        assertThat(brief.look(List.of(JOB)).get(JOB)).isInstanceOf(Phase.Waiting.class);
        assertThat(cluster.server()
                        .requests()
                        .subList(all.size(), cluster.server().requests().size()))
                .anyMatch(request -> request.contains("watch=true"));
    }

    @Test
    void aClusterThatIsAwayIsSeenThoughNothingNewIsTold() {
        handOverAll();
        asked();
        cluster.server().failNext(named(JOB), 503, "ServiceUnavailable", "the server is shutting down");
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(this::asked)
                .withMessageContaining("the server is shutting down");
        assertThat(asked()).hasSize(2);
    }

    /** The Role of an earlier docs/kubernetes.md has no such right. */
    @Test
    void whoMayNotWatchLists() {
        handOverAll();
        cluster.server().failNext(PODS + WATCH, 403, "Forbidden", "cannot watch");
        cluster.server().failNext(JOBS + WATCH, 403, "Forbidden", "cannot watch");
        asked();
        cluster.waiting(JOB.name(), "ImagePullBackOff", null);
        assertThat(asked()).hasSize(2).allMatch(request -> request.endsWith("resourceVersion=0"));
        cluster.running(JOB.name());
        assertThat(phase(JOB)).isInstanceOf(Phase.Alive.class);
    }

    /** Else a program that runs would be ended for what its pod once waited for. */
    @Test
    void aPodThatHasStartedUnseenIsNotGivenUp() {
        KubernetesEngine impatient = cluster.watching(
                new KubernetesSettings(
                        SETTINGS.access(),
                        SETTINGS.namespace(),
                        null,
                        SETTINGS.nodes(),
                        List.of(),
                        SETTINGS.snapshots(),
                        START_DEADLINE,
                        SETTINGS.callDeadline()),
                () -> now);
        cluster.server().silent();
        handOverAll();
        cluster.waiting(LAST.name(), "ImagePullBackOff", "Back-off pulling image");
        assertThat(impatient.look(ALL).get(LAST)).isInstanceOf(Phase.Waiting.class);
        cluster.running(LAST.name());
        now = now.plus(START_DEADLINE);
        assertThat(impatient.look(ALL).get(LAST)).isInstanceOf(Phase.Waiting.class);
        assertThat(cluster.job(LAST.name()).getSpec().getActiveDeadlineSeconds())
                .isNull();
        assertThat(impatient.look(ALL).get(LAST)).isInstanceOf(Phase.Alive.class);
    }

    /** It would be taken for one that the cluster took back while it ran. */
    @Test
    void aProgramThatWasSeenToRunDoesNotWaitByAnOldList() {
        handOverAll();
        cluster.running(LAST.name());
        cluster.server().silent();
        assertThat(phase(LAST)).isInstanceOf(Phase.Alive.class);
        cluster.waiting(LAST.name(), "ContainerCreating", null);
        now = now.plus(Watched.GOOD_FOR);
        assertThat(phase(LAST)).isInstanceOf(Phase.Waiting.class);
        cluster.running(LAST.name());
        assertThat(phase(LAST)).isInstanceOf(Phase.Alive.class);
    }

    /** A connection of pods that was lost without a word, while Jobs are told. */
    @Test
    void anEndIsToldAsSoonAsItsJobIsOver() {
        handOverAll();
        cluster.running(LAST.name());
        cluster.server().silent();
        assertThat(phase(LAST)).isInstanceOf(Phase.Alive.class);
        now = now.plus(Watched.GOOD_FOR);
        cluster.over(LAST.name(), "Complete", "");
        assertThat(phase(LAST)).isInstanceOf(Phase.Alive.class);
        cluster.ended(LAST.name(), 0, "Completed");
        assertThat(phase(LAST)).isInstanceOf(Phase.Over.class);
    }

    @Test
    void theOutputOfAProgramThatHasStartedUnseenIsTaken() {
        handOverAll();
        cluster.server().silent();
        asked();
        cluster.ended(JOB.name(), 0, "Completed");
        cluster.log(cluster.pod(JOB.name()).getMetadata().getName(), "2026-11-28T12:01:00.1Z all\n");
        KeptOutput kept = KeptOutput.of(JOB);
        engine.collect(List.of(kept));
        assertThat(kept.text(Reading.Stream.OUTPUT)).isEqualTo("all\n");
    }

    @Test
    void whatAContainerPrintsThatWasStartedAgainUnseenIsKnown() {
        handOverAll();
        cluster.running(JOB.name());
        cluster.server().silent();
        asked();
        String pod = cluster.pod(JOB.name()).getMetadata().getName();
        KeptOutput kept = KeptOutput.of(JOB);
        cluster.track(pod, "2026-11-28T12:01:01.1Z one\n");
        engine.collect(List.of(kept));
        cluster.editPod(
                JOB.name(),
                running -> running.editStatus()
                        .addNewInitContainerStatus()
                        .withName("track")
                        .withRestartCount(1)
                        .endInitContainerStatus()
                        .endStatus());
        cluster.track(pod, "2026-11-28T12:02:01.1Z one\n2026-11-28T12:02:01.2Z two\n");
        assertThat(engine.collect(List.of(kept))).isFalse();
        assertThat(kept.text(Reading.Stream.TRACK)).isEqualTo("one\ntwo\n");
    }
}
