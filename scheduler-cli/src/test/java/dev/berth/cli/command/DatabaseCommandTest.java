package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.ScriptedServer;
import dev.berth.cli.exit.ExitCode;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.BackupView;
import dev.berth.core.api.CheckView;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The commands about the database: what they ask for, and what comes of the answer. */
class DatabaseCommandTest {
    private static final String BACKUP = "POST /api/v1/server/backup";
    private static final String CHECK = "POST /api/v1/server/check";

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private final ScriptedServer server = stage.server();

    @Test
    void aBackupGoesToTheServersOwnPlace() {
        BackupView backup =
                new BackupView("/data/backups/b.db", "2026-11-21T03:00:00Z", 4096, "/data/backups/b.tracking.db");
        server.json(BACKUP, 201, backup).json(BACKUP, 201, backup);
        assertThat(stage.run("server", "backup")).isZero();
        assertThat(stage.out())
                .isEqualTo(
                        "the database is copied to /data/backups/b.db (4096 bytes), and what jobs told of themselves to"
                                + " /data/backups/b.tracking.db\n");
        assertThat(server.received(BACKUP).text()).isEqualTo("{\"file\":null}");
        assertThat(stage.run("server", "backup", "-q")).isZero();
        assertThat(stage.out()).endsWith("\n/data/backups/b.db\n");
    }

    @Test
    void aRelativePlaceIsTheUsers() {
        server.json(BACKUP, 409, new ApiError("FILE_EXISTS", "there is a file already", Map.of()));
        assertThat(stage.run("server", "backup", "sub/../b.db")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.err()).isEqualTo("berth: there is a file already\n");
        assertThat(server.received(BACKUP).text())
                .isEqualTo("{\"file\":\"" + Path.of("b.db").toAbsolutePath() + "\"}");
    }

    @Test
    void noRoomIsTheServersTrouble() {
        server.json(BACKUP, 507, new ApiError("NO_SPACE", "there is no room", Map.of()));
        assertThat(stage.run("server", "backup")).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(stage.err()).isEqualTo("berth: there is no room\n");
    }

    @Test
    void aCheckSaysHowItWasFound() {
        server.json(CHECK, 200, new CheckView("/data/berth.db", true, List.of(), "the database is whole"));
        assertThat(stage.run("server", "check")).isZero();
        assertThat(stage.out()).isEqualTo("the database is whole\n");
    }

    @Test
    void aBrokenDatabaseIsAFailure() {
        server.json(CHECK, 200, new CheckView("/data/berth.db", false, List.of("a"), "the database is broken: a"));
        assertThat(stage.run("server", "check")).isEqualTo(ExitCode.BERTH_FAILED);
        assertThat(stage.err()).isEqualTo("berth: the database is broken: a\n");
    }

    @Test
    void wrongLinesAreToldApart() {
        assertThat(stage.run("server", "backup", "a", "b")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("server", "restore", "a", "b")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("server", "check", "now")).isEqualTo(ExitCode.USAGE);
        assertThat(server.received()).isEmpty();
    }
}
