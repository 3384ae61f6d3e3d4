package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a hand-over costs over a bare create of the same Job, in the same minute, and what a look at all of them does. Run by hand, as
 * {@link RealClusterTest} is.
 */
@Tag("bench")
class RealFiguresBench {
    private static final String NAMESPACE = "berth-figures";
    private static final int JOBS = Integer.getInteger("berth.figures.jobs", 1_000);

    /** As many as jobs, where controllers run, and no scheduler, which would bind pods to a node; without controllers none. */
    private static final int PODS = Integer.getInteger("berth.figures.pods", 0);

    private static final Duration ONE_SECOND = Duration.ofSeconds(1);
    private static final int LOOKS = 20;
    private static final double MILLION = 1e6;

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void handOversAndLooks() throws InterruptedException {
        try (KubernetesClient client = RealClusterTest.open()) {
            client.resource(new NamespaceBuilder()
                            .withNewMetadata()
                            .withName(NAMESPACE)
                            .endMetadata()
                            .build())
                    .createOr(there -> there.update());
            KubernetesEngine engine = new KubernetesEngine(
                    Handovers.server(), Handovers.in(NAMESPACE), client, () -> NOW, Watched.GOOD_FOR);
            KubernetesEngine lister =
                    new KubernetesEngine(Handovers.server(), Handovers.in(NAMESPACE), client, () -> NOW, Duration.ZERO);
            List<Handed> all = new ArrayList<>();
            List<Double> handOvers = new ArrayList<>();
            List<Double> creates = new ArrayList<>();
            for (int number = 1; number <= JOBS; number++) {
                Handover known = Handovers.of(number);
                Handover handover = new Handover(
                        known.handed(), known.job(), known.program(), known.environment(), null, List.of(), false);
                all.add(handover.handed());
                handOvers.add(milliseconds(() -> engine.handOver(handover)));
                Job bare = new JobBuilder(
                                new JobManifest(Handovers.in(NAMESPACE), new AttemptLabels("bare"), Brought.NOTHING)
                                        .of(handover))
                        .editMetadata()
                        .withName("bare-" + number)
                        .endMetadata()
                        .build();
                creates.add(milliseconds(() -> client.resource(bare).create()));
                client.resource(bare)
                        .withPropagationPolicy(DeletionPropagation.BACKGROUND)
                        .delete();
            }
            awaitPods(client);
            // The one look a minute that lists.
            assertThat(engine.look(all)).hasSize(JOBS);
            List<Double> looks = new ArrayList<>();
            List<Double> listing = new ArrayList<>();
            List<Double> lists = new ArrayList<>();
            for (int look = 0; look < LOOKS; look++) {
                looks.add(milliseconds(() -> assertThat(engine.look(all)).hasSize(JOBS)));
                listing.add(milliseconds(() -> assertThat(lister.look(all)).hasSize(JOBS)));
                lists.add(milliseconds(() -> {
                    assertThat(client.raw("/apis/batch/v1/namespaces/" + NAMESPACE + "/jobs?resourceVersion=0"))
                            .isNotNull();
                    assertThat(client.raw("/api/v1/namespaces/" + NAMESPACE + "/pods?resourceVersion=0"))
                            .isNotNull();
                }));
            }
            System.out.printf(
                    "hand-over %.1f ms, bare create %.1f ms, ratio %.2f; of %d jobs with %d pods, bare lists as text"
                            + " %.0f ms, a look that lists %.0f ms, ratio %.2f, one that has a watch %.1f ms, ratio %.3f"
                            + " (medians)%n",
                    median(handOvers),
                    median(creates),
                    median(handOvers) / median(creates),
                    JOBS,
                    PODS,
                    median(lists),
                    median(listing),
                    median(listing) / median(lists),
                    median(looks),
                    median(looks) / median(lists));
            client.namespaces().withName(NAMESPACE).delete();
        }
    }

    private static void awaitPods(KubernetesClient client) throws InterruptedException {
        while (client.batch()
                                .v1()
                                .jobs()
                                .inNamespace(NAMESPACE)
                                .list()
                                .getItems()
                                .size()
                        != JOBS
                || client.pods().inNamespace(NAMESPACE).list().getItems().size() != PODS) {
            Thread.sleep(ONE_SECOND);
        }
    }

    private static double milliseconds(Runnable work) {
        long begin = System.nanoTime();
        work.run();
        return (System.nanoTime() - begin) / MILLION;
    }

    private static double median(List<Double> all) {
        return all.stream().sorted().toList().get(all.size() / 2);
    }
}
