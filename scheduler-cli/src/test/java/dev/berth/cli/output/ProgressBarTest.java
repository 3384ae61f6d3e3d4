package dev.berth.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Captured;
import dev.berth.cli.snapshot.Progress.Step;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
    private final Captured captured = new Captured();
    private long now = Long.MAX_VALUE - 5;

    private void draw(Screen screen, boolean wanted) {
        try (ProgressBar bar = new ProgressBar(screen, () -> now, wanted)) {
            bar.at(Step.READING, 1, 100);
            now += Duration.ofSeconds(1).toNanos();
            bar.at(Step.READING, 50, 100);
            bar.at(Step.READING, 60, 100);
            now += Duration.ofSeconds(1).toNanos();
            bar.at(Step.SENDING, 1536, 1536);
        }
    }

    @Test
    void aTerminalSeesHowFarItIsAndNothingInTheEnd() {
        draw(captured.watched(), true);
        assertThat(captured.err())
                .isEqualTo("\rreading [" + "#".repeat(15) + ".".repeat(15) + "] 50% of 100 B\u001b[K\rsending ["
                        + "#".repeat(30) + "] 100% of 1.5 KiB\u001b[K\r\u001b[K");
        assertThat(captured.out()).isEmpty();
    }

    @Test
    void nobodyElseSeesAnything() {
        draw(captured.screen(80), true);
        draw(captured.watched(), false);
        assertThat(captured.err()).isEmpty();
    }

    @Test
    void whatIsDoneInNoTimeIsNotShown() {
        try (ProgressBar bar = new ProgressBar(captured.watched(), () -> now, true)) {
            bar.at(Step.READING, 100, 100);
        }
        assertThat(captured.err()).isEmpty();
    }
}
