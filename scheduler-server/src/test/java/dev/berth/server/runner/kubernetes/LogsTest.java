package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;
import static dev.berth.server.runner.kubernetes.Handovers.SETTINGS;
import static dev.berth.server.runner.kubernetes.Handovers.handed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.KeptOutput;
import dev.berth.server.runner.target.TargetEngine.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogsTest {
    private static final Handed JOB = handed(7);
    private static final String POD = JOB.name() + "-x7k2p";

    private final MockCluster cluster = new MockCluster();
    private final AtomicReference<Instant> now = new AtomicReference<>(NOW);
    private final KubernetesEngine engine = cluster.engine(SETTINGS, now::get);
    private final KeptOutput kept = KeptOutput.of(JOB);

    @BeforeEach
    void handOver() {
        engine.handOver(Handovers.of(7));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void runs() {
        cluster.makePod(JOB.name());
        cluster.running(JOB.name());
    }

    @Test
    void nothingIsAskedForBeforeTheProgramRuns() {
        assertThat(engine.collect(List.of(kept))).isFalse();
        cluster.makePod(JOB.name());
        assertThat(engine.collect(List.of(kept))).isFalse();
        assertThat(cluster.server().requests()).noneMatch(request -> request.contains("/log"));
    }

    @Test
    void outputIsTakenAsItComes() {
        runs();
        cluster.log(POD, "2026-11-28T12:01:00.1Z epoch 1\n");
        assertThat(engine.collect(List.of(kept))).isFalse();
        cluster.log(
                POD, "2026-11-28T12:01:00.1Z epoch 1\n2026-11-28T12:01:00.1Z epoch 2\n2026-11-28T12:01:02Z epoch 3\n");
        engine.collect(List.of(kept));
        engine.collect(List.of(kept));
        assertThat(kept.text(Reading.Stream.OUTPUT)).isEqualTo("epoch 1\nepoch 2\nepoch 3\n");
        assertThat(cluster.server().requests()).anyMatch(request -> request.contains("sinceTime=2026-11-28T12"));
    }

    @Test
    void whatTheProgramTellsOfItselfComesApart() {
        runs();
        cluster.log(POD, "2026-11-28T12:01:00.1Z epoch 1\n");
        cluster.track(POD, "2026-11-28T12:01:01.1Z {\"metric\":\"loss\"");
        assertThat(engine.collect(List.of(kept))).isFalse();
        cluster.track(POD, "2026-11-28T12:01:01.1Z {\"metric\":\"loss\",\"value\":1}\n");
        cluster.ended(JOB.name(), 0, "Completed");
        cluster.engine(SETTINGS, () -> NOW).collect(List.of(kept));
        assertThat(kept.text(Reading.Stream.TRACK)).isEqualTo("{\"metric\":\"loss\",\"value\":1}\n");
        assertThat(kept.text(Reading.Stream.OUTPUT)).isEqualTo("epoch 1\n");
    }

    /** It has a log of its own then, with all that was told until now. */
    @Test
    void whatIsPrintedAgainByAContainerThatWasStartedAgainIsKnown() {
        runs();
        cluster.track(POD, "2026-11-28T12:01:01.1Z one\n");
        engine.collect(List.of(kept));
        cluster.editPod(
                JOB.name(),
                pod -> pod.editStatus()
                        .addNewInitContainerStatus()
                        .withName("track")
                        .withRestartCount(1)
                        .endInitContainerStatus()
                        .endStatus());
        cluster.track(POD, "2026-11-28T12:02:01.1Z one\n2026-11-28T12:02:01.2Z two\n");
        engine.collect(List.of(kept));
        cluster.track(POD, "2026-11-28T12:02:01.1Z one\n2026-11-28T12:02:01.2Z two\n2026-11-28T12:02:01.3Z three\n");
        engine.collect(List.of(kept));
        assertThat(kept.text(Reading.Stream.TRACK)).isEqualTo("one\ntwo\nthree\n");
    }

    /** It would wait for the end of that container before it starts the program. */
    @Test
    void anOlderClusterHasNoContainerForIt() {
        cluster.server().minor("31+");
        cluster.engine(SETTINGS, () -> NOW).handOver(Handovers.of(9));
        cluster.makePod(handed(9).name());
        cluster.running(handed(9).name());
        assertThat(engine.collect(List.of(KeptOutput.of(handed(9))))).isFalse();
        assertThat(cluster.pod(handed(9).name()).getSpec().getInitContainers()).isEmpty();
        assertThat(cluster.server().requests()).noneMatch(request -> request.contains("container=track"));
    }

    @Test
    void aServerThatStartsAnewGoesOnWhereItWas() {
        runs();
        cluster.log(POD, "2026-11-28T12:01:00.1Z epoch 1\n2026-11-28T12:01:00.1Z epo");
        engine.collect(List.of(kept));
        cluster.log(POD, "2026-11-28T12:01:00.1Z epoch 1\n2026-11-28T12:01:00.1Z epoch 2\n");
        cluster.engine(SETTINGS, () -> NOW).collect(List.of(kept));
        assertThat(kept.text(Reading.Stream.OUTPUT)).isEqualTo("epoch 1\nepoch 2\n");
    }

    @Test
    void itGoesOnFromTheNoteWhereTheNodeHasThrownTheBeginAway() {
        runs();
        StringBuilder log = new StringBuilder();
        for (int i = 0; i < 1_500; i++) {
            log.append("2026-11-28T12:%02d:%02d.000000001Z ".formatted(i / 60, i % 60))
                    .append("x".repeat(1_000))
                    .append('\n');
        }
        cluster.log(POD, log.toString());
        while (engine.collect(List.of(kept))) {
            assertThat(kept.known(Reading.Stream.OUTPUT)).isPositive();
        }
        assertThat(kept.known(Reading.Stream.OUTPUT)).isEqualTo(1_500 * 1_001);
        assertThat(cluster.job(JOB.name()).getMetadata().getAnnotations().get("dev.berth/log"))
                .isEqualTo("1501500 2026-11-28T12:24:59.000000001Z 1");
        String rotated = log.substring(log.indexOf("2026-11-28T12:24:50")) + "2026-11-28T12:25:00Z last\n";
        cluster.log(POD, rotated);
        cluster.engine(SETTINGS, () -> NOW).collect(List.of(kept));
        assertThat(kept.text(Reading.Stream.OUTPUT)).endsWith("xx\nlast\n");
        assertThat(kept.known(Reading.Stream.OUTPUT)).isEqualTo(1_500 * 1_001 + 5);
    }

    @Test
    void aLogThatIsWholeIsNotAskedForAgain() {
        runs();
        cluster.log(POD, "2026-11-28T12:01:00.1Z done\n");
        cluster.track(POD, "");
        cluster.ended(JOB.name(), 0, "Completed");
        engine.collect(List.of(kept));
        int before = cluster.server().requests().size();
        assertThat(engine.collect(List.of(kept))).isFalse();
        assertThat(cluster.server()
                        .requests()
                        .subList(before, cluster.server().requests().size()))
                .noneMatch(request -> request.contains("/log"));
        assertThat(kept.text(Reading.Stream.OUTPUT)).isEqualTo("done\n");
    }

    @Test
    void aNodeThatDoesNotAnswerKeepsNoOtherLogBack() {
        runs();
        engine.handOver(Handovers.of(8));
        cluster.makePod(handed(8).name());
        cluster.running(handed(8).name());
        cluster.log(POD, "2026-11-28T12:01:00Z one\n");
        cluster.log(handed(8).name() + "-x7k2p", "2026-11-28T12:01:00Z two\n");
        cluster.server()
                .failNext(
                        "GET /api/v1/namespaces/lab/pods/" + POD + "/log?pretty=false&container=job",
                        500,
                        "InternalError",
                        "no preferred addresses found");
        KeptOutput other = KeptOutput.of(handed(8));
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> engine.collect(List.of(kept, other)))
                .withMessage("Kubernetes failed to read logs (500): no preferred addresses found");
        assertThat(other.text(Reading.Stream.OUTPUT)).isEqualTo("two\n");
        engine.collect(List.of(kept, other));
        assertThat(kept.text(Reading.Stream.OUTPUT)).isEqualTo("one\n");
    }

    private static String logOf(Handed handed) {
        return "/pods/" + handed.name() + "-x7k2p/log?";
    }

    private List<String> logsAskedFor(Runnable work) {
        int before = cluster.server().requests().size();
        work.run();
        return cluster.server().requests().stream()
                .skip(before)
                .filter(request -> request.contains("/log?") && request.contains("container=job"))
                .map(request -> request.replaceAll(".*/pods/(.*)-x7k2p/log.*", "$1"))
                .toList();
    }

    /** Some of its logs are asked for at the same time; what others wrote comes the next time, and goes first from then on. */
    @Test
    void aNodeThatIsSilentIsAskedRarelyAndBehindAllOthers() {
        KubernetesEngine hasty = cluster.engine(Handovers.within(Duration.ofSeconds(2)), now::get);
        List<KeptOutput> all = LongStream.rangeClosed(10, 19)
                .mapToObj(id -> output(id, "gpu-01"))
                .toList();
        KeptOutput other = output(20, "gpu-02");
        all.forEach(one -> cluster.server().hang("GET /api/v1/namespaces/lab" + logOf(one.handed())));
        List<Reading> both =
                Stream.<Reading>concat(all.stream(), Stream.of(other)).toList();
        Runnable collect = () -> assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> hasty.collect(both))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.LATE));

        assertThat(logsAskedFor(collect)).doesNotContain(other.handed().name()).hasSizeLessThan(all.size());
        assertThat(logsAskedFor(collect)).containsExactly(other.handed().name());
        assertThat(other.text(Reading.Stream.OUTPUT)).isEqualTo("line\n");

        now.set(NOW.plus(Logs.SILENCE));
        assertThat(logsAskedFor(collect)).contains(other.handed().name()).hasSizeGreaterThan(1);

        now.set(NOW.plus(Logs.SILENCE.multipliedBy(2)));
        cluster.server().resume();
        assertThat(hasty.collect(both)).isFalse();
        assertThat(all)
                .allSatisfy(one -> assertThat(one.text(Reading.Stream.OUTPUT)).isEqualTo("line\n"));
    }

    private KeptOutput output(long id, String node) {
        Handed handed = handed(id);
        engine.handOver(Handovers.of(id));
        cluster.makePod(handed.name());
        cluster.running(handed.name());
        cluster.editPod(handed.name(), pod -> pod.editSpec().withNodeName(node).endSpec());
        cluster.log(handed.name() + "-x7k2p", "2026-11-28T12:01:00Z line\n");
        return KeptOutput.of(handed);
    }

    private void nodeFails() {
        cluster.server()
                .failNext(
                        "GET /api/v1/namespaces/lab/pods/" + POD + "/log?pretty=false&container=job",
                        500,
                        "",
                        "no preferred addresses found");
    }

    @Test
    void aNodeThatDoesNotHandOutALogIsAskedForSomeTimeOnly() {
        runs();
        cluster.log(POD, "2026-11-28T12:01:00.000000001Z first\n");
        assertThat(engine.collect(List.of(kept))).isFalse();
        cluster.ended(JOB.name(), 0, "Completed");
        nodeFails();
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> engine.collect(List.of(kept)))
                .withMessage("Kubernetes failed to read logs (500): no preferred addresses found");
        now.set(NOW.plus(Logs.PATIENCE));
        nodeFails();
        assertThat(engine.collect(List.of(kept))).isFalse();
        assertThat(kept.text(Reading.Stream.OUTPUT))
                .isEqualTo("first\n[berth: the rest of the output is missing: its node did not hand it out]\n");
        cluster.log(POD, "2026-11-28T12:01:00.000000001Z first\n2026-11-28T12:01:00.000000002Z second\n");
        assertThat(engine.collect(List.of(kept))).isFalse();
        assertThat(kept.text(Reading.Stream.OUTPUT)).doesNotContain("second");
    }

    /** A kubelet says so with the code of success where its container engine has removed the container. */
    @Test
    void theWordsOfANodeThatHasNoLogAreNoOutput() {
        runs();
        cluster.log(POD, "2026-11-28T12:01:00.000000001Z first\nunable to retrieve container logs for docker://4711");
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> engine.collect(List.of(kept)))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.FAILING))
                .withMessage("node gpu-01 hands no log of " + JOB.name()
                        + " out: unable to retrieve container logs for docker://4711");
        assertThat(kept.text(Reading.Stream.OUTPUT)).isEqualTo("first\n");
        cluster.ended(JOB.name(), 0, "Completed");
        assertThatExceptionOfType(EngineException.class).isThrownBy(() -> engine.collect(List.of(kept)));
        now.set(NOW.plus(Logs.PATIENCE));
        assertThat(engine.collect(List.of(kept))).isFalse();
        assertThat(kept.text(Reading.Stream.OUTPUT))
                .isEqualTo("first\n[berth: the rest of the output is missing: its node did not hand it out]\n");
    }

    /** Nobody could ask meanwhile. */
    @Test
    void anOutageOfHoursIsNoTimeInWhichANodeFailed() {
        runs();
        cluster.ended(JOB.name(), 0, "Completed");
        nodeFails();
        assertThatExceptionOfType(EngineException.class).isThrownBy(() -> engine.collect(List.of(kept)));
        now.set(NOW.plus(Duration.ofHours(3)));
        nodeFails();
        assertThatExceptionOfType(EngineException.class).isThrownBy(() -> engine.collect(List.of(kept)));
        assertThat(kept.text(Reading.Stream.OUTPUT)).isEmpty();
    }

    @Test
    void aNodeThatIsOffIsNotWaitedForForEver() {
        runs();
        cluster.ended(JOB.name(), 0, "Completed");
        nodeFails();
        assertThatExceptionOfType(EngineException.class).isThrownBy(() -> engine.collect(List.of(kept)));
        now.set(NOW.plus(Logs.PATIENCE.multipliedBy(2)));
        assertThat(engine.collect(List.of(kept))).isFalse();
        assertThat(kept.text(Reading.Stream.OUTPUT))
                .isEqualTo("[berth: the rest of the output is missing: its node did not hand it out]\n");
    }
}
