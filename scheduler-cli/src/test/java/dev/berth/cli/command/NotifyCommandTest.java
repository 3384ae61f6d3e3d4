package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.ReceiverList;
import dev.berth.core.api.ReceiverView;
import dev.berth.core.api.TestedReceiver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code berth notify}: requests, output, exit codes. */
class NotifyCommandTest {
    private static final String ADD = "POST /api/v1/receivers";
    private static final String LIST = "GET /api/v1/receivers";
    private static final String TEST = "POST /api/v1/receivers/3/test";
    private static final String REMOVE = "DELETE /api/v1/receivers/3";

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    @TempDir
    private Path directory;

    private static ReceiverView receiver(long id, long waiting, @Nullable String sentAt, @Nullable String error) {
        return new ReceiverView(
                id,
                "ada",
                List.of("end", "fail"),
                "https://hooks.slack.com/...eT99",
                "2026-02-01T09:30:00Z",
                waiting,
                sentAt,
                error);
    }

    private static ReceiverView fresh() {
        return receiver(3, 0, null, null);
    }

    @Test
    void aReceiverIsAdded() {
        stage.server().json(ADD, 201, fresh());
        assertThat(stage.run("notify", "add", "end,fail:https://hooks.slack.com/x/sEcReT99"))
                .isZero();
        assertThat(stage.server().received(ADD).text())
                .isEqualTo("{\"receiver\":\"end,fail:https://hooks.slack.com/x/sEcReT99\"}");
        assertThat(stage.out()).isEqualTo("receiver 3 (end,fail:https://hooks.slack.com/...eT99) is added\n");
    }

    @Test
    void aSecretComesFromAFile() throws IOException {
        Path file = Files.writeString(directory.resolve("hook"), "end:https://example.org/x \nmore\n");
        stage.server().json(ADD, 201, fresh());
        assertThat(stage.run("notify", "add", "--file", file.toString(), "-q")).isZero();
        assertThat(stage.server().received(ADD).text()).isEqualTo("{\"receiver\":\"end:https://example.org/x\"}");
        assertThat(stage.out()).isEqualTo("3\n");
    }

    @Test
    void aLineThatIsWrongIsRefusedHereWithoutRepeatingIt() {
        assertThat(stage.run("notify", "add")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("notify", "add", "end:https://h/sEcReT", "more")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("notify", "test", "https://h/sEcReT")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("notify", "test", "1", "2")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("notify", "remove")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("notify", "remove", "-1")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("notify", "list", "x")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .contains("needs one receiver", "that is not the id of a receiver")
                .doesNotContain("sEcReT");
    }

    @Test
    void receiversAreListed() {
        ReceiverList list = new ReceiverList(List.of(
                fresh(),
                receiver(4, 0, "2026-02-02T10:00:00Z", null),
                receiver(5, 12, "2026-02-02T10:00:00Z", "it answered 500")));
        stage.server()
                .json(LIST, 200, list)
                .json(LIST, 200, list)
                .json(LIST, 200, list)
                .json(LIST, 200, new ReceiverList(List.of()));
        assertThat(stage.run("notify", "list")).isZero();
        assertThat(stage.out().lines())
                .hasSize(4)
                .anySatisfy(line -> assertThat(line).startsWith("3 ").endsWith("nothing sent yet"))
                .anySatisfy(line -> assertThat(line).startsWith("4 ").endsWith("last sent 2026-02-02 10:00:00 UTC"))
                .anySatisfy(line -> assertThat(line).startsWith("5 ").endsWith("fails: it answered 500, 12 waiting"));
        assertThat(stage.run("notify", "list", "-q")).isZero();
        assertThat(stage.out()).endsWith("3\n4\n5\n");
        assertThat(stage.run("notify", "list", "--json")).isZero();
        assertThat(stage.out()).endsWith(JsonText.of(list) + "\n");
        assertThat(stage.run("notify", "list")).isZero();
        assertThat(stage.err()).isEqualTo("nobody is told of your jobs; berth notify add has somebody told\n");
    }

    @Test
    void aTestEndsAsItWent() {
        stage.server()
                .json(TEST, 200, new TestedReceiver(fresh(), true, "it answered 200"))
                .json(TEST, 200, new TestedReceiver(fresh(), false, "it answered 404"));
        assertThat(stage.run("notify", "test", "3")).isZero();
        assertThat(stage.run("notify", "test", "3")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.out()).isEqualTo("""
                    receiver 3 (end,fail:https://hooks.slack.com/...eT99) has it: it answered 200
                    receiver 3 (end,fail:https://hooks.slack.com/...eT99) does not have it: it answered 404
                    """);
    }

    @Test
    void receiversAreRemovedOneByOne() {
        stage.server()
                .json(
                        "DELETE /api/v1/receivers/2",
                        404,
                        new ApiError("RECEIVER_NOT_FOUND", "there is no such receiver of yours", Map.of()))
                .json(REMOVE, 200, fresh());
        assertThat(stage.run("notify", "remove", "2", "3")).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.out()).endsWith(" is removed\n");
        assertThat(stage.err()).contains("there is no such receiver of yours");
    }
}
