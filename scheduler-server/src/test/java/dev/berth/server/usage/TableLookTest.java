package dev.berth.server.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.process.ProcessTable;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TableLookTest {
    private static final long OWN = ProcessHandle.current().pid();

    @Test
    void aProcessHasItsWordsItsUserAndItsJob() {
        TableLook look = new TableLook(
                ProcessTable.ofThisMachine(),
                process -> process.pid() == OWN ? Optional.of(new Attempt(new JobId(17), 1)) : Optional.empty());
        ProcessLook.Seen seen = look.look(OWN);
        assertThat(seen.user()).isEqualTo(System.getProperty("user.name"));
        assertThat(seen.command()).startsWith("java").doesNotContain("-cp");
        assertThat(seen.line()).contains("java ");
        assertThat(seen.job()).isEqualTo(new JobId(17));
    }

    @Test
    void anEngineThatFailsLeavesAProcessWithoutAJob() {
        TableLook look = new TableLook(ProcessTable.ofThisMachine(), _ -> {
            throw new IllegalStateException("nobody answers");
        });
        assertThat(look.look(OWN).job()).isNull();
    }

    @Test
    void ofAProcessThatIsGoneNothingIsKnown() {
        TableLook look = new TableLook(ProcessTable.ofThisMachine(), _ -> Optional.empty());
        assertThat(look.look(Integer.MAX_VALUE).user()).isEqualTo("?");
    }
}
