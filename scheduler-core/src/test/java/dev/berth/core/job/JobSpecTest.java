package dev.berth.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Place.OnHost;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobSpecTest {
    @Test
    void aTimeLimitIsLongerThanNothing() {
        assertThatIllegalArgumentException().isThrownBy(() -> spec(Duration.ZERO));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> spec(Duration.ofSeconds(-1)))
                .withMessage("a time limit is longer than nothing, not PT-1S");
    }

    @Test
    void aTimeLimitIsShortEnoughToHaveADeadline() {
        assertThat(spec(Limits.MAX).timeLimit()).isEqualTo(Limits.MAX);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> spec(Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageStartingWith("a time limit is at most 3650 days, not PT");
    }

    @Test
    void itsBytesAreThoseOfAllItsTexts() {
        assertThat(spec(null).bytes()).isEqualTo("trainships5a5apython:3.13bridge".length());
        Label label = new Label("n", "p", List.of("täg"));
        Resources resources =
                new Resources(GpuRequest.NONE, new GpuTraits(null, "a100", List.of("fast")), null, null, 0);
        Place container = new InContainer(
                "s", "i", PullPolicy.MISSING, "/w", null, InContainer.BRIDGE, List.of(new Mount("/€", "/d", true)));
        JobSpec full = new JobSpec(label, container, resources, Limits.NONE, false, null);
        assertThat(full.bytes()).isEqualTo(4 + 4 + 2 + 6 + 4 + 2 + 4 + 4);
        JobSpec host = new JobSpec(label, new OnHost("/home", false, false), resources, Limits.NONE, false, null);
        assertThat(host.bytes()).isEqualTo(2 + 4 + 4 + 4 + 5);
    }

    private static JobSpec spec(@Nullable Duration timeLimit) {
        return new JobSpec(
                new Label("train", "ships", List.of()),
                InContainer.of("5a5a", "python:3.13"),
                Resources.of(GpuRequest.NONE),
                new Limits(timeLimit, null),
                false,
                null);
    }
}
