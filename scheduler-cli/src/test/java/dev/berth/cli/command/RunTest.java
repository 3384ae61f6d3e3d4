package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Samples;
import dev.berth.cli.ScriptedServer;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.json.JsonText;
import dev.berth.cli.program.ProcessRecord;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.LeaseEnded;
import dev.berth.core.api.LeaseWaiting;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code berth run} of what cannot run on this machine: refused before anybody waits for a turn. */
class RunTest {
    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    /** The server learns of a foreign process when it looks at the GPU that it has allocated. */
    @Test
    void whoDoesNotWaitIsToldOfAForeignProcessInOneLine() {
        ProcessRecord own = ProcessRecord.own();
        String ended = "it was not to wait, and its GPUs cannot be had: GPU 0: process 4711 is on it";
        stage.server()
                .json("POST /api/v1/jobs", 201, Samples.queued(7, 1))
                .on(
                        "GET /api/v1/jobs/7/lease?pid=" + own.pid() + "&startTicks=" + own.startTicks(),
                        ScriptedServer.chunked(
                                "text/event-stream",
                                true,
                                "event: waiting\ndata: "
                                        + JsonText.of(new LeaseWaiting(
                                                "STARTING", null, "its berth command starts it on GPU 0"))
                                        + "\n\nevent: ended\ndata: "
                                        + JsonText.of(new LeaseEnded("FAILED", ended, null)) + "\n\n"))
                .json("GET /api/v1/gpus", 200, new GpuList(List.of(), false));
        int code = stage.run("run", "--num-gpus", "1", "--no-wait", "--", "true");
        assertThat(code).as(stage.err()).isEqualTo(ExitCode.NOT_NOW);
        assertThat(stage.err()).isEqualTo("berth: " + ended + "; free GPUs: none\n");
    }

    @Test
    void aScriptThatIsNotThereIsRefused() {
        assertThat(stage.run("run", "--", "sh", "./no-such-script.sh")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).startsWith("berth: command: './no-such-script.sh' is not a file in the directory");
    }

    @Test
    void aProgramThatIsNotThereIsRefusedWithWhatIs() {
        assertThat(stage.run("run", "--", "sh -c true")).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(stage.err())
                .isEqualTo(
                        "berth: command: 'sh -c true' is no program on this machine; it is one word with blanks in it:"
                                + " take the quotes away\n");
        assertThat(stage.run("run", "--", "pom.xml")).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(stage.err())
                .endsWith("command: 'pom.xml' is no program on this machine; the file here is ./pom.xml\n");
        assertThat(stage.run("run", "--", "no-such-program")).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(stage.err()).endsWith("berth run runs programs as your shell finds them\n");
    }
}
