package dev.berth.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The rights of a server are written down in three places, which say the same. */
class LeastRightsTest {
    private static final Path DISTRIBUTION = Path.of("src/main/distribution");

    @Test
    void theScriptLeavesTheSame() throws IOException {
        assertThat(Files.readString(DISTRIBUTION.resolve("bin/berth")))
                .contains("--bounding-set=-all,+" + String.join(",+", LeastRights.CAPABILITIES) + "'");
    }

    @Test
    void theUnitLeavesTheSame() throws IOException {
        String names = LeastRights.CAPABILITIES.stream()
                .map(name -> "CAP_" + name.toUpperCase(Locale.ROOT))
                .collect(Collectors.joining(" "));
        assertThat(Files.readAllLines(DISTRIBUTION.resolve("share/systemd/berth.service")))
                .contains("CapabilityBoundingSet=" + names);
    }

    @Test
    void whatGivesThemUpIsTriedBeforeItIsUsed() {
        List<String> words = LeastRights.words();
        if (!words.isEmpty()) {
            assertThat(words.subList(0, 3)).containsExactly("prlimit", "--core=0:0", "setpriv");
            assertThat(words.getLast()).isEqualTo("--no-new-privs");
        }
    }
}
