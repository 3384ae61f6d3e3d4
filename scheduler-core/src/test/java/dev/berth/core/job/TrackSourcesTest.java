package dev.berth.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.core.job.TrackSources.Source;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrackSourcesTest {
    @Test
    void wordsComeBackInOneOrder() {
        assertThat(TrackSources.parse("stdout,tensorboard,stdout").words()).containsExactly("tensorboard", "stdout");
        assertThat(TrackSources.parse("csv,tensorboard")).isEqualTo(TrackSources.USUAL);
        assertThat(TrackSources.parse(TrackSources.NONE.toString())).isEqualTo(TrackSources.NONE);
        assertThat(TrackSources.USUAL.has(Source.STDOUT)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "none,csv", "csv,none", "csv,", "CSV", " csv", "wandb"})
    void otherWordsAreRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TrackSources.parse(text))
                .withMessage(TrackSources.RULE);
    }
}
