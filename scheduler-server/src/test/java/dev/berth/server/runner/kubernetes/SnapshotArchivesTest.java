package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.ADA;
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
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ways by which a directory gets to its pod. */
class SnapshotArchivesTest {
    private static final Handover HANDOVER = Handovers.with(Handovers.of(7), Handovers.snapshot("files"));

    @TempDir
    private Path volume;

    @TempDir
    private Path here;

    private static SnapshotArchives archives(SnapshotWay way) {
        return new SnapshotArchives(
                way, new AttemptSecret(Handovers.by(way), new AttemptLabels(SERVER)), Handovers.server());
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

    private Path outputs() {
        return place().resolve("outputs");
    }

    /** The directory of the job's results on this machine; its owner may get there. */
    private Path results() throws IOException {
        Path results = Files.createDirectory(here.resolve("results"));
        Files.setPosixFilePermissions(here, PosixFilePermissions.fromString("rwx--x--x"));
        give(results);
        return results;
    }

    private static void give(Path path) throws IOException {
        Files.setAttribute(path, "unix:uid", (int) ADA.uid(), LinkOption.NOFOLLOW_LINKS);
    }

    private Path left(String name, String text) throws IOException {
        Path file = outputs().resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        return file;
    }

    @Test
    void resultsComeFromTheVolumeAndGoThere() throws IOException {
        assertThat(onVolume().prepareOutputs(handed(7))).isTrue();
        assertThat(onVolume().prepareOutputs(handed(7))).isTrue();
        assertThat(Files.getAttribute(outputs(), "unix:mode")).isEqualTo(0040700);
        assertThat(Files.getAttribute(outputs(), "unix:uid")).isEqualTo((int) ADA.uid());
        give(left("model.pt", "weights"));
        give(left("logs/run.txt", "lines"));
        give(outputs().resolve("logs"));
        Files.setPosixFilePermissions(outputs().resolve("logs"), PosixFilePermissions.fromString("r-xr-xr-x"));
        Files.createSymbolicLink(outputs().resolve("latest"), Path.of("model.pt"));
        Files.createSymbolicLink(outputs().resolve("secret"), Path.of("/etc/shadow"));
        Path results = results();
        onVolume().fetch(handed(7), () -> true, results);
        // One that was cut off is repeated.
        onVolume().fetch(handed(7), () -> true, results);
        assertThat(results.resolve("model.pt")).hasContent("weights");
        assertThat(results.resolve("latest")).hasContent("weights").isSymbolicLink();
        assertThat(results.resolve("secret")).isSymbolicLink();
        assertThat(results.resolve("logs/run.txt")).hasContent("lines");
        assertThat(Files.getAttribute(results.resolve("logs"), "unix:mode")).isEqualTo(0040555);
        assertThat(Files.getAttribute(results.resolve("logs/run.txt"), "unix:uid"))
                .isEqualTo((int) ADA.uid());
        onVolume().remove(handed(7));
        assertThat(volume).isEmptyDirectory();
    }

    @Test
    void whatTheSubmitterCannotReadDoesNotCome() throws IOException {
        assertThat(onVolume().prepareOutputs(handed(7))).isTrue();
        Path others = left("others", "secret");
        Files.setPosixFilePermissions(others, PosixFilePermissions.fromString("rw-------"));
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> onVolume().fetch(handed(7), () -> true, results()))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.FAILING))
                .withMessageStartingWith("what the program left on the volume at " + volume + " could not be copied");
    }

    /** Who plants links among the job's results here makes them lead to nothing of others. */
    @Test
    void whatIsThereIsReplacedAndNoLinkIsFollowed() throws IOException {
        assertThat(onVolume().prepareOutputs(handed(7))).isTrue();
        give(left("file", "new"));
        give(left("directory/file", "new"));
        give(outputs().resolve("directory"));
        Path results = results();
        Path elsewhere = Files.createDirectory(here.resolve("elsewhere"));
        give(elsewhere);
        Path kept = Files.writeString(elsewhere.resolve("file"), "old");
        give(kept);
        Files.createSymbolicLink(results.resolve("file"), kept);
        Files.createSymbolicLink(results.resolve("directory"), elsewhere);
        onVolume().fetch(handed(7), () -> true, results);
        assertThat(kept).hasContent("old");
        assertThat(results.resolve("file")).hasContent("new").isRegularFile();
        assertThat(results.resolve("directory/file")).hasContent("new");
    }

    @Test
    void withoutAVolumeNothingComes() throws IOException {
        SnapshotArchives bySecret = archives(Handovers.SETTINGS.snapshots());
        assertThat(bySecret.prepareOutputs(handed(7))).isFalse();
        Path results = results();
        bySecret.fetch(handed(7), () -> true, results);
        assertThat(results).isEmptyDirectory();
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
                .isEqualTo("https://berth.example.org:5555/fetch?of=berth-a1b2c3-7-1");
        assertThat(StrictServer.problems(secret)).isEmpty();
    }

    @Test
    void aJobWithoutADirectoryNeedsNothing() {
        assertThat(onVolume().prepare(Handovers.of(7))).isEmpty();
        assertThat(volume).isEmptyDirectory();
    }
}
