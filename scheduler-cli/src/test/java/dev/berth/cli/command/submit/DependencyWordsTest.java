package dev.berth.cli.command.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Given;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The jobs that a line says to wait for. */
class DependencyWordsTest {
    private static List<String> of(List<String> behindAfter, List<String> after, List<String> dependencies) {
        return DependencyWords.of(
                after.isEmpty() ? null : new Given("", "--after", after, behindAfter, null),
                dependencies.isEmpty() ? null : new Given("", "--dependency", dependencies, List.of(), null));
    }

    @Test
    void eachIsAKindAndAJob() {
        assertThat(of(List.of(), List.of("12, train", "last"), List.of("afterany:7:8, afternotok:9", "afterok:x")))
                .containsExactly(
                        "afterok:12",
                        "afterok:train",
                        "afterok:last",
                        "afterany:7",
                        "afterany:8",
                        "afternotok:9",
                        "afterok:x");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "12|is none of afterok, afterany, afternotok, aftercorr with a job",
                "''|is none of afterok, afterany, afternotok, aftercorr with a job",
                "afterOk:12|is none of",
                "afterok|names no job",
                "afterok:|has an empty id",
                "afterok:12::13|has an empty id",
                "afterok:12?afterok:13|waits for one of several jobs",
                "after:12|waits for a start",
                "singleton|waits for jobs of the same name",
            })
    void whatSlurmHasBesideIsToldApart(String dependency, String rule) {
        assertThatThrownBy(() -> of(List.of(), List.of(), List.of(dependency)))
                .isInstanceOf(Failure.class)
                .hasMessageStartingWith("--dependency: '" + dependency + "' " + rule)
                .hasMessageEndingWith("; for example --dependency afterok:12:13,afterany:14");
    }

    @ParameterizedTest
    @CsvSource({"'12,'", "',12'", "''", "'12,,13'"})
    void anEmptyPlaceIsNoJob(String after) {
        assertThatThrownBy(() -> of(List.of(), List.of(after), List.of()))
                .hasMessage("--after: '" + after + "' has an empty id; for example --after 12,13");
    }

    @Test
    void aSecondIdBehindABlankIsNoArgumentOfTheProgram() {
        assertThatThrownBy(() -> of(List.of("13"), List.of("12"), List.of()))
                .hasMessage("--after 12 13 is written --after 12,13; a number that is the program's stands behind --");
        assertThatThrownBy(() -> of(List.of("42_8"), List.of("42_7"), List.of()))
                .hasMessageStartingWith("--after 42_7 42_8 is written --after 42_7,42_8; ");
        assertThatThrownBy(() -> of(List.of("14", "x.py"), List.of("12", "13"), List.of()))
                .hasMessageStartingWith("--after 12 14 is written --after 12,14");
        assertThat(of(List.of("train.py"), List.of("12"), List.of())).containsExactly("afterok:12");
    }
}
