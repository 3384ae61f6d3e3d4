package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.server.linux.Umask;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One server a data directory, in this process and beside it. */
class DataDirectoryTest {
    private static final String REFUSAL =
            "a server already uses %s; berth server status shows it, berth server stop ends it, --data-dir DIR takes"
                    + " another";

    @TempDir
    private Path directory;

    private Path path;

    @BeforeEach
    void nameIt() {
        path = directory.resolve("made/on/demand");
    }

    /** A process of its own: to this one its own locks are no obstacle. */
    public static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws IOException {
            Umask.ownerOnly();
            try (DataDirectory _ = DataDirectory.hold(Path.of(arguments[0]))) {
                System.out.println("held");
                System.out.flush();
                int _ = System.in.read();
            } catch (StartException e) {
                System.out.println(e.sentence());
            }
        }
    }

    private static Process startHolder(Path path) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = System.getProperty("java.class.path");
        return new ProcessBuilder(
                        java,
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classes,
                        Holder.class.getName(),
                        path.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String firstLine(Process process) throws IOException {
        return process.inputReader(StandardCharsets.UTF_8).readLine();
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    /** And not in /tmp, where others may write. */
    @Test
    void theLibraryOfTheDatabaseIsUnpackedInIt() throws IOException {
        Path place = path.resolve("native");
        // Another test's directory may be held in this process.
        System.clearProperty("org.sqlite.tmpdir");
        try (DataDirectory _ = DataDirectory.hold(path)) {
            assertThat(mode(place)).isEqualTo("rwx------");
            assertThat(System.getProperty("org.sqlite.tmpdir")).isEqualTo(place.toString());
            Files.writeString(place.resolve("sqlite-of-a-killed-server.so"), "");
        }
        assertThat(System.getProperty("org.sqlite.tmpdir")).isNull();
        try (DataDirectory _ = DataDirectory.hold(path)) {
            assertThat(place).isEmptyDirectory();
        }
    }

    @Test
    void theRoomsAreMadeAndOthersMayPassToTheirJobs() throws IOException {
        try (DataDirectory data = DataDirectory.hold(path)) {
            assertThat(data.path()).isEqualTo(path);
            assertThat(data.database()).isEqualTo(path.resolve("berth.db"));
            assertThat(mode(path)).isEqualTo("rwx--x--x");
            assertThat(mode(data.jobs())).isEqualTo("rwx------");
            assertThat(mode(data.snapshots())).isEqualTo("rwx------");
        }
    }

    @Test
    void whatIsMadeAboveItLetsOthersThrough() throws Exception {
        Path above = path.resolveSibling("above");
        Path deep = above.resolve("more/data");
        Process other = startHolder(deep);
        try {
            assertThat(firstLine(other)).isEqualTo("held");
            for (Path made : List.of(above, above.resolve("more"))) {
                assertThat(mode(made)).as(made.toString()).isEqualTo("rwxr-xr-x");
            }
            assertThat(mode(deep)).isEqualTo("rwx--x--x");
        } finally {
            other.getOutputStream().close();
        }
        assertThat(other.waitFor()).isZero();
    }

    @Test
    void aDirectoryWithOtherThingsIsNotTakenOver(@TempDir Path home) throws IOException {
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-x---"));
        Files.writeString(home.resolve("thesis.tex"), "");
        assertThatThrownBy(() -> DataDirectory.hold(home)).hasMessageContaining("holds other things than Berth's");
        assertThat(mode(home)).isEqualTo("rwxr-x---");
        assertThat(home.resolve("jobs")).doesNotExist();
    }

    @Test
    void aDirectoryOfSomebodyElseIsNotTakenOver(@TempDir Path theirs) throws IOException {
        Files.setAttribute(theirs, "unix:uid", 65_534);
        assertThatThrownBy(() -> DataDirectory.hold(theirs)).hasMessageContaining("belongs to user 65534");
    }

    @Test
    void aSecondHoldInThisProcessIsRefused() throws IOException {
        try (DataDirectory _ = DataDirectory.hold(path)) {
            assertRefused(path);
            assertRefused(path.resolve("../demand"));
            Path link = Files.createSymbolicLink(directory.resolve("link"), path);
            assertRefused(link);
        }
    }

    private static void assertRefused(Path path) {
        StartException refusal = catchThrowableOfType(StartException.class, () -> DataDirectory.hold(path));
        assertThat(refusal).as("it was held twice").isNotNull();
        assertThat(refusal.sentence()).isEqualTo(REFUSAL, path);
        assertThat(refusal.exitCode()).isEqualTo(125);
    }

    @Test
    void whatAnotherProcessHoldsIsRefused() throws Exception {
        Process other = startHolder(path);
        try {
            assertThat(firstLine(other)).isEqualTo("held");
            assertRefused(path);
            assertRefused(path);
        } finally {
            other.getOutputStream().close();
        }
        assertThat(other.waitFor()).isZero();
        DataDirectory.hold(path).close();
    }

    /** A lock would be gone with the first channel on its file that anybody of this process closes. */
    @Test
    void aRefusedSecondHoldDoesNotGiveTheFirstOneBack() throws Exception {
        try (DataDirectory _ = DataDirectory.hold(path)) {
            assertRefused(path);
            Process other = startHolder(path);
            assertThat(firstLine(other)).isEqualTo(REFUSAL.formatted(path));
            assertThat(other.waitFor()).isZero();
        }
    }

    @Test
    void whatWasGivenBackCanBeHeldAgain() {
        DataDirectory.hold(path).close();
        DataDirectory.hold(path).close();
        DataDirectory.hold(path).close();
    }

    @Test
    void twoDirectoriesHaveTwoServers() {
        try (DataDirectory _ = DataDirectory.hold(path);
                DataDirectory other = DataDirectory.hold(directory.resolve("other"))) {
            assertThat(other.jobs()).isDirectory();
        }
    }

    @Test
    void aFileInItsPlaceIsSaid() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "x");
        assertThatThrownBy(() -> DataDirectory.hold(file))
                .isInstanceOf(StartException.class)
                .hasMessageStartingWith("the data directory " + file + " cannot be used: ");
    }

    @Test
    void aLockThatCannotBeMadeDoesNotBlockTheNextTry() throws IOException {
        Files.createDirectories(path.resolve("lock"));
        assertThatThrownBy(() -> DataDirectory.hold(path))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("cannot be used");
        Files.delete(path.resolve("lock"));
        DataDirectory.hold(path).close();
    }
}
