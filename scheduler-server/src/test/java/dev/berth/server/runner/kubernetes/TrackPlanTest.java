package dev.berth.server.runner.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.Resources;
import dev.berth.testclient.SlurmCluster;
import io.fabric8.kubernetes.client.VersionInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script of the container that prints what programs tell, by the machine's own shell. */
@Timeout(60)
class TrackPlanTest {
    @TempDir
    private Path directory;

    private Path lines;
    private Path log;
    private Process script;

    @BeforeEach
    void start() throws IOException {
        lines = directory.resolve("lines");
        log = directory.resolve("log");
        List<String> command = new ArrayList<>(
                TrackPlan.container("image", Resources.of(GpuRequest.NONE)).getCommand());
        command.set(command.size() - 1, lines.toString());
        // As a node does it: both streams are one log.
        script = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    @AfterEach
    void end() {
        script.destroyForcibly();
    }

    private void tell(String text) throws IOException {
        Files.writeString(lines, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void untilPrinted(String text) throws IOException {
        while (!Files.readString(log).equals(text)) {
            SlurmCluster.pause();
        }
    }

    @Test
    void itPrintsEachByteOnceAndTheRestAtItsEnd() throws Exception {
        tell("one\n");
        untilPrinted("one\n");
        tell("two\nth");
        untilPrinted("one\ntwo\nth");
        tell("ree\n" + "x".repeat(200_000) + "\n");
        script.destroy();
        assertThat(script.waitFor()).isZero();
        assertThat(Files.readString(log)).isEqualTo("one\ntwo\nthree\n" + "x".repeat(200_000) + "\n");
    }

    @Test
    void nothingIsPrintedWhereNothingWasTold() throws Exception {
        // It sleeps between two looks.
        while (script.descendants().findAny().isEmpty()) {
            SlurmCluster.pause();
        }
        script.destroy();
        assertThat(script.waitFor()).isZero();
        assertThat(log).isEmptyFile();
    }

    @Test
    void aFileThatWasMadeShorterIsPrintedFromItsBeginning() throws Exception {
        tell("a long first line\n");
        untilPrinted("a long first line\n");
        Files.writeString(lines, "new\n");
        untilPrinted("a long first line\nnew\n");
    }

    @ParameterizedTest
    @CsvSource({"1,31,false", "1,31+,false", "1,32,true", "1,32+,true", "2,0,true", "1,'',false", "'','',false"})
    void onlyClustersWithoutOlderNodesHaveIt(String major, String minor, boolean isPossible) throws Exception {
        VersionInfo version = new VersionInfo.Builder()
                .withMajor(major)
                .withMinor(minor)
                .withBuildDate("2026-01-01T00:00:00Z")
                .build();
        assertThat(TrackPlan.isPossible(version)).isEqualTo(isPossible);
    }
}
