package dev.berth.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Captured;
import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.DoctorView;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The findings of an examination for people, programs and scripts. */
class DoctorTextTest {
    private static final List<DoctorFinding> FINDINGS = List.of(
            new DoctorFinding("driver", "ok", "driver 570.00 is loaded", null, null),
            new DoctorFinding("persistence", "warning", "it is off", "nvidia-smi -pm 1", null),
            new DoctorFinding("way", "failure", "no \u001b[31mruntime", "see https://example.org", "all\nof it"));

    private static final DoctorView VIEW = new DoctorView(false, "no job with a GPU can run", FINDINGS);

    private final Captured captured = new Captured();

    private String said(Output output) {
        FINDINGS.forEach(output::found);
        output.examined(VIEW);
        return captured.out();
    }

    @Test
    void peopleReadALineForEachThingAndOneForItsMend() {
        assertThat(said(new TextOutput(captured.screen(0), InstantSource.system())))
                .isEqualTo("""
                ok    driver       driver 570.00 is loaded
                warn  persistence  it is off
                                   fix: nvidia-smi -pm 1
                FAIL  way          no \\x1b[31mruntime
                                   fix: see https://example.org
                                   in full: all\\nof it
                no job with a GPU can run
                """);
    }

    @Test
    void verdictsHaveColoursWhereThereAreColours() {
        assertThat(said(new TextOutput(captured.screen(0), InstantSource.system(), true)))
                .contains(
                        "\u001b[32mok\u001b[0m    driver",
                        "\u001b[33mwarn\u001b[0m  persistence",
                        "\u001b[31mFAIL\u001b[0m  way");
    }

    @Test
    void programsReadOneObjectAndScriptsWhatFails() {
        assertThat(said(new JsonOutput(captured.screen(0))))
                .startsWith(
                        "{\"ready\":false,\"sentence\":\"no job with a GPU can run\",\"findings\":[{\"check\":\"driver\",")
                .hasLineCount(1);
        Captured quiet = new Captured();
        QuietOutput output = new QuietOutput(quiet.screen(0));
        FINDINGS.forEach(output::found);
        output.examined(VIEW);
        assertThat(quiet.out()).isEqualTo("way\n");
    }
}
