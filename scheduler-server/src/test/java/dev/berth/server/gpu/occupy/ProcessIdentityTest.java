package dev.berth.server.gpu.occupy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.SimulatedGpus;
import dev.berth.server.gpu.process.RunningProcesses;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProcessIdentityTest {
    private static final long OWN = ProcessHandle.current().pid();

    @Test
    void aProcessHasItsWordsItsUserAndItsJob() {
        GpuOccupants occupants = occupants(
                process -> process.pid() == OWN ? Optional.of(new Attempt(new JobId(17), 1)) : Optional.empty());
        ProcessIdentity process = occupants.identify(OWN);
        assertThat(process.user()).isEqualTo(System.getProperty("user.name"));
        assertThat(process.command()).startsWith("java").doesNotContain("-cp");
        assertThat(process.line()).contains("java ");
        assertThat(process.job()).isEqualTo(new JobId(17));
    }

    @Test
    void anEngineThatFailsLeavesAProcessWithoutAJob() {
        GpuOccupants occupants = occupants(_ -> {
            throw new IllegalStateException("nobody answers");
        });
        assertThat(occupants.identify(OWN).job()).isNull();
    }

    @Test
    void ofAProcessThatIsGoneNothingIsKnown() {
        GpuOccupants occupants = occupants(_ -> Optional.empty());
        assertThat(occupants.identify(Integer.MAX_VALUE).user()).isEqualTo("?");
    }

    private static GpuOccupants occupants(OwnProcesses own) {
        return new GpuOccupants(
                new SimulatedGpus(0),
                RunningProcesses.ofThisMachine(),
                _ -> Optional.empty(),
                List.of(own),
                InstantSource.system());
    }
}
