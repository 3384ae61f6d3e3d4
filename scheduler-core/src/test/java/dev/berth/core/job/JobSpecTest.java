package dev.berth.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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
        assertThat(spec(JobSpec.MAX_TIME_LIMIT).timeLimit()).isEqualTo(JobSpec.MAX_TIME_LIMIT);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> spec(Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageStartingWith("a time limit is at most 3650 days, not PT");
    }

    @Test
    void itsBytesAreThoseOfAllItsTexts() {
        assertThat(spec(null).bytes()).isEqualTo("trainships5a5apython:3.13bridge".length());
        JobOptions options = new JobOptions(
                List.of("täg"),
                PullPolicy.MISSING,
                "/w",
                null,
                null,
                null,
                JobOptions.BRIDGE,
                List.of(new Mount("/€", "/d", true)),
                false,
                null,
                new GpuTraits(null, "a100", List.of("fast")),
                new HostRun("/home", false, false),
                null);
        JobSpec full = new JobSpec("n", "p", "s", "i", GpuRequest.NONE, null, options);
        assertThat(full.bytes()).isEqualTo(4 + 4 + 2 + 6 + 4 + 2 + 4 + 4 + 5);
    }

    private static JobSpec spec(@Nullable Duration timeLimit) {
        return new JobSpec("train", "ships", "5a5a", "python:3.13", GpuRequest.NONE, timeLimit, JobOptions.NONE);
    }
}
