package dev.berth.server.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.berth.server.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerReceiversTest {
    @TempDir
    private Path directory;

    private Path file(String text, String permissions) throws IOException {
        Path file = Files.writeString(directory.resolve("receivers"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private static NotifyRules rules() {
        return new NotifyRules(Settings.of(), CommandRules.none("a test"));
    }

    @Test
    void eachLineIsAReceiver() throws IOException {
        Path file = file("# of all\n\nend:https://example.org/x\nfail:ntfy:https://ntfy.sh/y\n", "rw-------");
        assertThat(ServerReceivers.read(file, rules())).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw--w----", "rw----r--", "rw-----w-"})
    void noOtherUserMayReadOrChangeIt(String permissions) throws IOException {
        Path file = file("end:https://example.org/x\n", permissions);
        assertThatIOException()
                .isThrownBy(() -> ServerReceivers.read(file, rules()))
                .withMessage(file + " can be read or changed by others; run: chmod 600 " + file);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mail:ada@example.org      | is mail, and this server sends none (notify.mail-server)",
                "cmd:/usr/bin/told sEcReT  | names a command, and none is run with the rights of the server",
                "https://10.0.0.1/sEcReT   | cannot be sent to: its address is none of the public internet",
                "never:https://sEcReT.org  | must be MOMENT",
            })
    void whatMayNotBeHadIsSaidAtTheStart(String line, String rule) throws IOException {
        Path file = file("\nend:" + line + "\n", "rw-------");
        assertThatIOException()
                .isThrownBy(() -> ServerReceivers.read(file, rules()))
                .withMessageStartingWith(file + ": line 2 ")
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("sEcReT"));
        if (!line.startsWith("never")) {
            assertThatIOException()
                    .isThrownBy(() -> ServerReceivers.read(file, rules()))
                    .withMessageContaining(rule);
        }
    }
}
