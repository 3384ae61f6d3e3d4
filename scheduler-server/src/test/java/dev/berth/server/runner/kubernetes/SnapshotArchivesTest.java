package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.SERVER;
import static dev.berth.server.runner.kubernetes.Handovers.handed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import dev.berth.server.runner.target.Handover;
import dev.berth.testclient.StrictServer;
import io.fabric8.kubernetes.api.model.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ways by which a directory gets to its pod. */
class SnapshotArchivesTest {
    private static final Handover HANDOVER = Handovers.with(Handovers.of(7), Handovers.snapshot("files"));

    @TempDir
    private Path volume;

    private static SnapshotArchives archives(SnapshotWay way) {
        return new SnapshotArchives(
                way,
                new AttemptSecret(Handovers.by(way), new AttemptLabels(SERVER)),
                handed -> "/api/v1/fetch?token=t-" + handed.attempt().job());
    }

    private SnapshotArchives onVolume() {
        return archives(new SnapshotWay.OnVolume("shared", volume, "debian:13"));
    }

    private Path place() {
        return volume.resolve(handed(7).name());
    }

    @Test
    void anArchiveOnTheVolumeIsTheSubmittersToReadAndGoesInTheEnd() throws IOException {
        assertThat(onVolume().prepare(HANDOVER)).isEmpty();
        onVolume().prepare(HANDOVER);
        Path archive = place().resolve("snapshot.tar");
        assertThat(archive).hasContent("files");
        boolean isRoot = Files.getAttribute(volume, "unix:uid").equals(0);
        assertThat(Files.getAttribute(archive, "unix:mode"))
                .isEqualTo(isRoot || Files.getAttribute(archive, "unix:uid").equals(1000) ? 0100400 : 0100444);
        if (isRoot) {
            assertThat(Files.getAttribute(archive, "unix:uid")).isEqualTo(1000);
        }
        onVolume().remove(handed(7));
        onVolume().remove(handed(7));
        assertThat(volume).isEmptyDirectory();
    }

    @Test
    void aDirectoryThatIsALinkIsNotWrittenTo() throws IOException {
        Path elsewhere = Files.createDirectory(volume.resolve("elsewhere"));
        Files.createSymbolicLink(place(), elsewhere);
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> onVolume().prepare(HANDOVER))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.FAILING))
                .withMessageEndingWith("see that it is mounted there and that the server may write to it");
        assertThat(elsewhere).isEmptyDirectory();
    }

    @Test
    void aVolumeThatIsNotThereIsSaid() {
        SnapshotWay missing = new SnapshotWay.OnVolume("shared", volume.resolve("missing"), "debian:13");
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> archives(missing).prepare(HANDOVER))
                .withMessageStartingWith("the job's directory could not be written to the volume at " + volume);
    }

    @Test
    void aLinkIsInASecretAlone() {
        Secret secret = archives(new SnapshotWay.ByLink("https://berth.example.org:5555", "debian:13"))
                .prepare(HANDOVER)
                .orElseThrow();
        assertThat(new String(Base64.getDecoder().decode(secret.getData().get("BERTH_SNAPSHOT_LINK")), UTF_8))
                .isEqualTo("https://berth.example.org:5555/api/v1/fetch?token=t-7");
        assertThat(StrictServer.problems(secret)).isEmpty();
    }

    @Test
    void aJobWithoutADirectoryNeedsNothing() {
        assertThat(onVolume().prepare(Handovers.of(7))).isEmpty();
        assertThat(volume).isEmptyDirectory();
    }
}
