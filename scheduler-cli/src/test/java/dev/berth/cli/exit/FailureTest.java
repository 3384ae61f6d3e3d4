package dev.berth.cli.exit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a failure says. */
class FailureTest {
    @Test
    void aVeryLongWordDoesNotHideWhatIsSaidAboutIt() {
        Failure failure = Failure.usage("name: 'a" + "x".repeat(10_000) + "b' is too long; take a shorter one");

        assertThat(failure.lines().getFirst())
                .startsWith("name: 'axxx")
                .contains("xxx...xxx")
                .endsWith("xb' is too long; take a shorter one")
                .hasSizeLessThan(500);
        assertThat(failure.error().message()).isEqualTo(failure.lines().getFirst());
    }

    @Test
    void whatAPathMayBeIsWhole() {
        String sentence = "the directory /" + "x".repeat(500) + " cannot be read";

        assertThat(Failure.usage(sentence).lines()).containsExactly(sentence);
    }
}
