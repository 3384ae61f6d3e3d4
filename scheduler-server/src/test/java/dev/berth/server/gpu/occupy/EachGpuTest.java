package dev.berth.server.gpu.occupy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.GpuId;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EachGpuTest {
    private static final List<GpuId> BOTH = List.of(CsvCards.SECOND, CsvCards.FIRST);

    @Test
    void eachHasItsAnswer() {
        assertThat(EachGpu.of(BOTH, GpuId::uuid))
                .containsExactly(
                        Map.entry(CsvCards.FIRST, CsvCards.FIRST.uuid()),
                        Map.entry(CsvCards.SECOND, CsvCards.SECOND.uuid()));
    }

    /** Whoever asks again after an engine's failure knows it by its kind. */
    @Test
    void aFailureIsTheAskersAsItWas() {
        EngineException away = new EngineException(Kind.UNREACHABLE, "away");
        assertThatThrownBy(() -> EachGpu.of(BOTH, _ -> {
                    throw away;
                }))
                .isSameAs(away);
    }
}
