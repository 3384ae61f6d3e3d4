package dev.berth.cli.command.submit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.LineReader;
import dev.berth.core.api.ApiError;
import dev.berth.core.option.JobOption;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the server refuses is told of the option that was typed, whichever it is, and never of a field. */
class OptionRefusalTest {
    /** Options whose values are no words of the line. */
    private static final Set<JobOption> COLLECTED =
            EnumSet.of(JobOption.ENVIRONMENT_FILES, JobOption.VOLUMES, JobOption.DEPENDENCY);

    private static Failure refusal(String field, String value, String rule) {
        return Failure.refused(
                400,
                new ApiError(
                        "INVALID_FIELD",
                        field + ": '" + value + "' " + rule,
                        Map.of("field", field, "value", value, "rule", rule)));
    }

    private static GivenOptions line(boolean host, String... options) {
        List<String> line = new ArrayList<>(List.of(options));
        line.addAll(host ? List.of("--", "true") : List.of("scheduler", ".", "true"));
        return GivenOptions.of(LineReader.read(host ? new Run() : new Submit(), line));
    }

    private static String typedValue(JobOption option) {
        return switch (option.kind()) {
            case FLAG -> "";
            case GPUS, NUMBER, TASK_COUNT -> "2";
            case TASKS -> "0-31%4";
            case CPUS -> "1.5";
            case SIZE, MEMORY -> "900g";
            case DURATION, DATE -> "2h";
            case SIGNAL -> "USR1@5m";
            case JOBS -> "12";
            case DEPENDENCIES -> "afterok:12";
            case VARIABLES -> "A=secret";
            case VOLUMES -> "/a:/b";
            case TEXT, TEXTS, PULL, VARIABLE_FILES -> "x";
        };
    }

    private static String value(JobOption option) {
        return switch (option.kind()) {
            case FLAG -> "";
            case GPUS, CPUS, NUMBER, SIZE, MEMORY, DURATION, DATE -> "966367641600";
            case TASKS, TASK_COUNT -> "0-31%4";
            case SIGNAL -> "USR1@300";
            case JOBS, DEPENDENCIES -> "afterok:12";
            case VARIABLES -> "A";
            case VOLUMES -> "/a:/b";
            case TEXT, TEXTS, PULL, VARIABLE_FILES -> "x";
        };
    }

    @ParameterizedTest
    @EnumSource(JobOption.class)
    void everyOptionIsNamedAsItWasTyped(JobOption option) {
        for (String name : option.names()) {
            String typed = typedValue(option);
            GivenOptions line =
                    typed.isEmpty() ? line(!option.isOf(false), name) : line(!option.isOf(false), name, typed);
            Failure told = OptionRefusal.retold(refusal(option.field(), value(option), "is too much"), line);
            String shown = option == JobOption.ENVIRONMENT ? "A" : typed;
            assertThat(told.getMessage())
                    .isEqualTo(
                            COLLECTED.contains(option)
                                    ? name + ": '" + typed + "' is too much"
                                    : (name + " " + shown).strip() + " is too much");
            assertThat(told.exitCode()).isEqualTo(2);
            assertThat(told.error().details()).containsEntry("field", option.field());
        }
    }

    @Test
    void aShareIsOfTheSameOption() {
        Failure told = OptionRefusal.retold(refusal("gpuMilli", "500", "is refused"), line(false, "--num-gpus", "0.5"));
        assertThat(told).hasMessage("--num-gpus 0.5 is refused");
    }

    @Test
    void ofSeveralTheOneIsNamed() {
        GivenOptions line = line(false, "--tag", "a", "--tag=b c");
        assertThat(OptionRefusal.retold(refusal("tags", "b c", "is odd"), line)).hasMessage("--tag 'b c' is odd");
        assertThat(OptionRefusal.retold(refusal("tags", "33 tags", "must be at most 32"), line))
                .hasMessage("--tag: '33 tags' must be at most 32");
    }

    @Test
    void aVariableOfAFileIsToldOfTheFile() {
        GivenOptions line = line(false, "-e", "A=1", "--env-file", "f");
        assertThat(OptionRefusal.retold(refusal("environment", "B", "is odd"), line))
                .hasMessage("--env-file: 'B' is odd");
    }

    @Test
    void aVariableWithAnInvisibleNameIsToldAsItMayBeShown() {
        assertThat(OptionRefusal.retold(refusal("environment", "A?", "is odd"), line(false, "-e", "A\u001b=x")))
                .hasMessage("-e: 'A?' is odd");
    }

    @Test
    void whatTheLineDoesNotSayIsToldWithItsOption() {
        assertThat(OptionRefusal.retold(refusal("project", "a?b", "must not"), line(false)))
                .hasMessage("--project, which is 'a?b' where the line does not say it, must not");
        assertThat(OptionRefusal.retold(refusal("image", "", "must name an image"), line(false)))
                .hasMessage("--image is not given: it must name an image");
        Failure other = refusal("command", "", "must name a program");
        assertThat(OptionRefusal.retold(other, line(false))).isSameAs(other);
    }
}
