package dev.berth.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobSpecTest {
    private static final String SECRET = "hush-7f3a";

    @Test
    void aJobNeedsACommand() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> spec(List.of(), Map.of(), null))
                .withMessage("a job needs a command");
    }

    @Test
    void aTimeLimitIsLongerThanNothing() {
        assertThatIllegalArgumentException().isThrownBy(() -> withTimeLimit(Duration.ZERO));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> withTimeLimit(Duration.ofSeconds(-1)))
                .withMessage("a time limit is longer than nothing, not PT-1S");
    }

    @Test
    void aTimeLimitIsShortEnoughToHaveADeadline() {
        assertThat(withTimeLimit(JobSpec.MAX_TIME_LIMIT).timeLimit()).isEqualTo(JobSpec.MAX_TIME_LIMIT);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> withTimeLimit(Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageStartingWith("a time limit is at most 3650 days, not PT");
    }

    @Test
    void itsTextNamesTheVariablesAndNeverTheirValues() {
        JobSpec spec = spec(List.of("python", "main.py"), Map.of("TOKEN", SECRET, "DEBUG", "yes-" + SECRET), null);
        assertThat(spec.toString())
                .contains("TOKEN", "DEBUG", "python", "main.py")
                .doesNotContain(SECRET);
    }

    @Test
    void theTextOfAJobKeepsTheValuesOutToo() {
        Submitter owner = new Submitter(1000, 1000, List.of(), "ada");
        JobSpec spec = spec(List.of("true"), Map.of("TOKEN", SECRET), null);
        JobState state = new JobState.Queued(1, new ImageState.Pending());
        assertThat(new Job(new JobId(1), spec, owner, Instant.EPOCH, state).toString())
                .contains("TOKEN")
                .doesNotContain(SECRET);
    }

    @Test
    void itKeepsWhatItWasGivenWhateverTheGiverDoesNext() {
        List<String> command = new ArrayList<>(List.of("true"));
        Map<String, String> environment = new LinkedHashMap<>(Map.of("A", "1"));
        JobSpec spec = spec(command, environment, null);
        command.add("false");
        environment.put("B", "2");
        assertThat(spec.command()).containsExactly("true");
        assertThat(spec.environment()).containsExactly(Map.entry("A", "1"));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> spec.environment().put("C", "3"));
    }

    @Test
    void theEnvironmentIsInTheOrderOfItsNames() {
        Map<String, String> environment = new LinkedHashMap<>();
        List.of("C", "A", "B").forEach(name -> environment.put(name, "1"));
        assertThat(spec(List.of("true"), environment, null).environment().keySet())
                .containsExactly("A", "B", "C");
    }

    private static JobSpec withTimeLimit(Duration timeLimit) {
        return spec(List.of("true"), Map.of(), timeLimit);
    }

    private static JobSpec spec(List<String> command, Map<String, String> environment, @Nullable Duration timeLimit) {
        return new JobSpec(
                "train",
                "ships",
                command,
                "5a5a",
                "python:3.13",
                GpuRequest.NONE,
                environment,
                timeLimit,
                JobOptions.NONE);
    }
}
