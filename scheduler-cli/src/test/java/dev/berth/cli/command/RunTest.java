package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.exit.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code berth run} of what cannot run on this machine: refused before anybody waits for a turn. */
class RunTest {
    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

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
