package dev.berth.server.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Submitter;
import dev.berth.server.config.Settings;
import dev.berth.server.linux.Users;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that changes while the server runs. */
class ProfilesTest {
    @TempDir
    private Path folder;

    private Path file = Path.of("");
    private Profiles profiles = Profiles.of(Settings.of());

    @BeforeEach
    void name() {
        file = folder.resolve("profiles.yaml");
        profiles = Profiles.of(Settings.of("profiles.file=" + file));
    }

    private void write(String... names) throws IOException {
        StringBuilder text = new StringBuilder("profiles:\n  jupyterlab:\n");
        for (String name : names) {
            text.append("  - display_name: ").append(name).append('\n');
        }
        // As an editor does it, so that the file is another one also within one tick of the file system's clock.
        Path draft = folder.resolve("draft");
        Files.writeString(draft, text);
        Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-r--r--"));
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private List<String> names() {
        return profiles.now().set().profiles().stream().map(Profile::name).toList();
    }

    @Test
    void aChangedFileIsReadAnew() throws IOException {
        write("a");
        assertThat(names()).containsExactly("a");
        write("b");
        assertThat(names()).containsExactly("b");
        Files.writeString(file, "profiles: {jupyterlab: [{display_name: c}]}");
        assertThat(names()).containsExactly("c");
        assertThat(profiles.now()).isSameAs(profiles.now());
    }

    @Test
    void aBadFileKeepsTheProfilesOfBefore() throws IOException {
        write("a");
        assertThat(names()).containsExactly("a");
        write("b", "b");
        assertThat(names()).containsExactly("a");
        assertThat(profiles.now().problems())
                .containsExactly(file + ":4: display_name: 'b' is the name of the profile in line 3 already");
        write("c");
        assertThat(names()).containsExactly("c");
        assertThat(profiles.now().problems()).isEmpty();
    }

    @Test
    void aFileThatIsNamedHasToBeThere() throws IOException {
        assertThat(profiles.now().problems()).containsExactly(file + ": there is no such file");
        write("a");
        assertThat(names()).containsExactly("a");
        Files.delete(file);
        assertThat(names()).containsExactly("a");
        assertThat(profiles.now().problems()).containsExactly(file + ": there is no such file");
    }

    @Test
    void theUsualFileNeedNotBeThere() {
        Profiles usual = Profiles.of(Settings.of());
        assertThat(usual.now().file()).isEqualTo(Path.of("/profiles.yaml"));
        assertThat(usual.now().problems()).isEmpty();
        assertThat(usual.now().set()).isEqualTo(ProfileSet.NONE);
        assertThat(Profiles.of(Settings.of("profiles.file=none")).now().file()).isNull();
    }

    @Test
    void aFileThatOthersCanWriteIsNotTaken() throws IOException {
        write("a");
        assertThat(names()).containsExactly("a");
        write("b");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(names()).containsExactly("a");
        assertThat(profiles.now().problems()).singleElement().asString().contains("can be written by everybody");
        write("b");
        assertThat(names()).containsExactly("b");
    }

    @Test
    void accessIsByUserAndByGroup() {
        Users users = new Users();
        Submitter ada = new Submitter(1_000, 1_000, List.of(0L), "ada");
        Submitter bob = new Submitter(1_001, 1_001, List.of(), "bob");
        assertThat(new Audience.Everybody().includes(bob, users)).isTrue();
        assertThat(new Audience.Named(List.of("ada"), List.of()).includes(ada, users))
                .isTrue();
        assertThat(new Audience.Named(List.of("ada"), List.of()).includes(bob, users))
                .isFalse();
        assertThat(new Audience.Named(List.of(), List.of("root")).includes(ada, users))
                .isTrue();
        assertThat(new Audience.Named(List.of(), List.of("root")).includes(bob, users))
                .isFalse();
        assertThat(new Audience.Named(List.of(), List.of("no-such-group")).includes(bob, users))
                .isFalse();
        assertThat(new Audience.Named(List.of(), List.of()).includes(bob, users))
                .isFalse();
        assertThat(new Audience.OfKeycloak().includes(ada, users)).isFalse();
    }
}
