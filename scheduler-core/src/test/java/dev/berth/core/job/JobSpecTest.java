package dev.berth.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Place.OnHost;
import java.time.Duration;
import java.time.Instant;
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

    @Test
    void aTaskIsRepeatedAloneAndAnArrayAsAWhole() {
        Submitter ada = new Submitter(1000, 1000, List.of(), "ada");
        Job array = new Job(
                new JobId(42),
                spec(null).with(Tasks.parse("3,7-9%2")),
                ada,
                Instant.EPOCH,
                new JobState.Queued(1, new ImageState.Pending()));
        assertThat(spec(null).repeating(array)).isEqualTo(repeated(null));
        assertThat(array.spec().repeating(array))
                .isEqualTo(repeated(array.spec().tasks()));
        assertThat(array.spec().repeating(array.task(7))).isEqualTo(repeated(Tasks.parse("7")));
    }

    @Test
    void anotherProjectChangesNothingElse() {
        JobSpec spec = spec(null)
                .with(Tasks.parse("0-3"))
                .telling(List.of(Notification.parse("fail:https://example.org/hook")));
        assertThat(spec.of("cars").project()).isEqualTo("cars");
        assertThat(spec.of("cars").of("ships")).isEqualTo(spec);
    }

    private static JobSpec repeated(@Nullable Tasks tasks) {
        JobSpec spec = spec(null);
        return new JobSpec(
                spec.label(),
                spec.place(),
                spec.resources(),
                spec.limits(),
                Prerequisites.NONE,
                tasks,
                false,
                Retry.NONE,
                List.of(),
                42L);
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
