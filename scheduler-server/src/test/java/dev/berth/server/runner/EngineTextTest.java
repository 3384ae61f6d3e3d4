package dev.berth.server.runner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What engines say, as they said it, and the sentence for people. */
class EngineTextTest {
    private static final String HANDED_ON =
            "failed to create task for container: failed to create shim task: OCI runtime"
                    + " create failed: runc create failed: unable to start container process: ";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "exec: \"foo\": executable file not found in $PATH: unknown | exec: \"foo\": executable file not found in $PATH",
                "./runtime did not terminate successfully: exit status 1: : unknown | ./runtime did not terminate successfully: exit status 1",
                "error during container init: error running hook #0: x | error running hook #0: x",
                "error during container init: error mounting \"/a\" to rootfs: no such file or directory: unknown | error mounting \"/a\" to rootfs: no such file or directory",
            })
    void theWayOfAnErrorThroughTheEngineIsLeftAway(String said, String sentence) {
        EngineText text = EngineText.of("the container could not be started: " + HANDED_ON + said);
        assertThat(text.sentence()).isEqualTo("the container could not be started: " + sentence);
        assertThat(text.details()).isEqualTo("the container could not be started: " + HANDED_ON + said);
    }

    @Test
    void ofANvidiaHookWhatItSaysIsShown() {
        String said = "2 starts in a row failed on it, and so did Berth's own test container: " + HANDED_ON
                + "error during container init: error running prestart hook #0: exit status 1, stdout: , stderr:"
                + " Auto-detected mode as 'legacy'\nnvidia-container-cli: device error: GPU-8a56: unknown device:"
                + " unknown";
        assertThat(EngineText.of(said).sentence())
                .isEqualTo("2 starts in a row failed on it, and so did Berth's own test container:"
                        + " nvidia-container-cli: device error: GPU-8a56: unknown device");
        assertThat(EngineText.of(said).details()).isEqualTo(said);
    }

    @Test
    void aLongTextIsCutInItsMiddle() {
        String said = "no such image " + "x".repeat(700) + " at the end";
        EngineText text = EngineText.of(said);
        assertThat(text.sentence())
                .hasSizeLessThan(310)
                .startsWith("no such image xxx")
                .endsWith("xxx at the end")
                .contains("...");
        assertThat(text.details()).isEqualTo(said);
    }

    @Test
    void aSentenceStaysAsItIs() {
        assertThat(EngineText.of("cancelled by ada")).isEqualTo(new EngineText("cancelled by ada", null));
        assertThat(EngineText.of("failed to create shim task"))
                .isEqualTo(new EngineText("failed to create shim task", null));
    }
}
