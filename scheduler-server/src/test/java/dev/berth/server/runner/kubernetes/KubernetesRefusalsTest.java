package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.PYTHON;
import static dev.berth.server.runner.kubernetes.Handovers.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Label;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Mount;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Signal;
import dev.berth.server.runner.kubernetes.KubernetesSettings.Nodes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Kubernetes cannot do is refused before it is tried, with the way out. */
class KubernetesRefusalsTest {
    private static final Resources NONE = Resources.of(GpuRequest.NONE);

    private static String refusal(InContainer place, Resources resources, Limits limits) {
        return KubernetesRefusals.of(Handovers.spec(place, resources, limits), Handovers.ADA, SETTINGS)
                .orElse("");
    }

    private static String ofTraits(GpuTraits traits, KubernetesSettings settings) {
        Resources resources = new Resources(GpuRequest.whole(1), traits, null, null, 0);
        return KubernetesRefusals.of(Handovers.spec(PYTHON, resources, Limits.NONE), Handovers.ADA, settings)
                .orElse("");
    }

    private static InContainer place(String network, List<Mount> mounts) {
        return new InContainer("", "python:3.13", PullPolicy.MISSING, null, null, network, mounts);
    }

    @Test
    void anOrdinaryJobIsTaken() {
        assertThat(KubernetesRefusals.of(Handovers.gpus(2), Handovers.ADA, SETTINGS))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " python:3.13", "python:3.13 ", "-v", "a b", "python:3.13\nx", "$(IMAGE)"})
    void aTextThatIsNoImageIsRefused(String image) {
        assertThat(refusal(InContainer.of("", image), NONE, Limits.NONE)).contains("is not an image's name");
    }

    @Test
    void anImageOfThisMachineIsRefused() {
        assertThat(refusal(InContainer.of("", "sha256:" + "0a".repeat(32)), NONE, Limits.NONE))
                .endsWith("Kubernetes' nodes cannot pull it; push it to a registry and give its name there");
    }

    @Test
    void aPartOfAGpuIsRefused() {
        assertThat(refusal(PYTHON, Resources.of(new GpuRequest(500)), Limits.NONE))
                .isEqualTo(
                        "--num-gpus 0.5 is a part of a GPU: Kubernetes counts whole ones; ask for 1, or submit to the"
                                + " queue of this machine");
    }

    @Test
    void whatIsAskedOfGpusIsWhatTheOperatorHasWordsFor() {
        Nodes nodes = new Nodes(Map.of(), List.of(), null, "nvidia.com/gpu", Map.of("a100", Map.of("gpu", "a100")));
        GpuTraits a100 = new GpuTraits(null, "a100", List.of());
        assertThat(ofTraits(a100, Handovers.on(nodes))).isEmpty();
        assertThat(ofTraits(a100, SETTINGS))
                .isEqualTo("the word \"a100\" means no kind of node to this target: its setting gpu-types has none");
        assertThat(ofTraits(new GpuTraits(null, null, List.of("fast")), Handovers.on(nodes)))
                .isEqualTo("the word \"fast\" means no kind of node to this target: its setting gpu-types has a100");
        assertThat(ofTraits(new GpuTraits(1L << 34, null, List.of()), SETTINGS))
                .startsWith("Kubernetes does not choose GPUs by their memory");
    }

    @Test
    void whatOnlyThisMachineHasIsRefused() {
        assertThat(refusal(place(InContainer.BRIDGE, List.of(new Mount("/data", "/data", true))), NONE, Limits.NONE))
                .isEqualTo(
                        "--volume /data:/data:ro is a path of this machine, which Kubernetes' nodes do not have: leave"
                                + " it out");
        assertThat(refusal(place("none", List.of()), NONE, Limits.NONE)).startsWith("--network none is a network");
        assertThat(refusal(PYTHON, new Resources(GpuRequest.NONE, GpuTraits.ANY, null, null, 5), Limits.NONE))
                .startsWith("Kubernetes has no nice value");
    }

    @Test
    void limitsThatNeedBerthOnTheNodeAreRefused() {
        Duration hour = Duration.ofHours(1);
        assertThat(refusal(
                        PYTHON,
                        NONE,
                        new Limits(hour, null, new LimitSignal(Signal.USR1, Duration.ofMinutes(1)), null)))
                .startsWith("Kubernetes sends a program no signal but TERM");
        assertThat(refusal(PYTHON, NONE, new Limits(null, hour))).endsWith("leave --idle-timeout out");
    }

    @Test
    void aJobWithoutAContainerIsRefused() {
        JobSpec host = new JobSpec(
                new Label("x", "y", List.of()), new OnHost("/home", false, false), NONE, Limits.NONE, false, null);
        assertThat(KubernetesRefusals.of(host, Handovers.ADA, SETTINGS))
                .contains("a job without a container cannot go to Kubernetes: give it an image with --image");
    }
}
