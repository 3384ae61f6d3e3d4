package dev.berth.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written for people about settings is what the settings are. */
class ConfigurationReferenceTest {
    @TempDir
    private Path folder;

    @Test
    void theReferenceIsThatOfTheTable() throws IOException {
        ReferencePage.writeIfAsked();
        assertThat(Files.exists(ReferencePage.file()) ? Files.readString(ReferencePage.file()) : "")
                .as("docs/configuration.md is stale; renew it: " + ReferencePage.HOW_TO_RENEW)
                .isEqualTo(ReferencePage.fromTable());
    }

    @Test
    void theExampleIsGood() throws IOException {
        ConfigurationFiles stage = new ConfigurationFiles(folder);
        String example = Files.readString(ReferencePage.docs().resolve("examples/berth.yaml"));
        stage.file(stage.user(), example);
        assertThat(stage.read().settings().get(Keys.JOB_IMAGE)).isNotEmpty();
        assertThat(settings(example)).isNotEmpty().allMatch(Keys.NAMES::contains);
    }

    @Test
    void whatTheExampleLeavesOutAsACommentIsGoodToo() throws IOException {
        ConfigurationFiles stage = new ConfigurationFiles(folder);
        String example = Files.readString(ReferencePage.docs().resolve("examples/berth.yaml"));
        String all = example.replaceAll("(?m)^  #([a-z])", "  $1");
        assertThat(all).isNotEqualTo(example);
        assertThat(settings(all)).containsExactlyInAnyOrderElementsOf(Keys.NAMES);
        stage.file(stage.user(), all);
        assertThat(stage.read().files()).containsExactly(stage.user());
    }

    /** The names in a file, by its indentation alone; those of targets are the operator's. */
    private static List<String> settings(String text) {
        String[] section = {""};
        return text.lines()
                .flatMap(line -> {
                    if (line.matches("[a-z].*:\\s*")) {
                        section[0] = line.substring(0, line.indexOf(':'));
                    }
                    return line.matches("  [a-z].*")
                            ? Stream.of(section[0] + "." + line.substring(2, line.indexOf(':')))
                            : Stream.of();
                })
                .filter(name -> !name.startsWith("targets."))
                .toList();
    }
}
