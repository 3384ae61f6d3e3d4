package dev.berth.server.gpu.occupy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.GpuId;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ParallelLookTest {
    private static final List<GpuId> BOTH = List.of(CsvGpus.SECOND, CsvGpus.FIRST);

    @Test
    void eachHasItsAnswer() {
        assertThat(ParallelLook.of(BOTH, GpuId::uuid))
                .containsExactly(
                        Map.entry(CsvGpus.FIRST, CsvGpus.FIRST.uuid()),
                        Map.entry(CsvGpus.SECOND, CsvGpus.SECOND.uuid()));
    }

    /** Anyone who asks again after an engine's failure knows it by its kind. */
    @Test
    void aFailureIsTheAskersAsItWas() {
        EngineException away = new EngineException(Kind.UNREACHABLE, "away");
        assertThatThrownBy(() -> ParallelLook.of(BOTH, _ -> {
                    throw away;
                }))
                .isSameAs(away);
    }
}
