package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Program;
import dev.berth.server.example.Jobs;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PipelineTest {
    @Test
    void aJobOfTheListTakesAsMuchAsOneThatIsThere() {
        JobSpec spec = Jobs.spec(1);
        Program program = new Program(List.of("x"), Map.of());
        JobSpec waiting = spec.waitingFor(
                new Prerequisites(null, List.of(new Dependency(DependencyKind.AFTER_OK, new JobId(1))), false));
        Pipeline.Stage stage =
                new Pipeline.Stage(spec, program, List.of(new Pipeline.Earlier(DependencyKind.AFTER_OK, 0)));
        assertThat(stage.bytes()).isEqualTo(new Pipeline.Stage(waiting, program, List.of()).bytes());
    }
}
