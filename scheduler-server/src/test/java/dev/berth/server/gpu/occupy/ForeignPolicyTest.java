package dev.berth.server.gpu.occupy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuProcess.Kind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForeignPolicyTest {
    private static boolean blocks(String policy, Kind kind, @Nullable Long mebibytes) {
        Long bytes = mebibytes == null ? null : mebibytes << 20;
        return ForeignPolicy.parse(policy).orElseThrow().blocks(new GpuProcess(7, kind, bytes));
    }

    @ParameterizedTest
    @CsvSource({
        "any-process, COMPUTE, true",
        "any-process, COMPUTE_AND_GRAPHICS, true",
        "any-process, GRAPHICS, false",
        "ignore-graphics, COMPUTE, true",
        "ignore-graphics, COMPUTE_AND_GRAPHICS, false",
        "ignore-graphics, GRAPHICS, false",
        "memory:300, COMPUTE, false",
        "memory:200, COMPUTE, true",
        "memory:200, GRAPHICS, true",
        "off, COMPUTE, false"
    })
    void eachCountsWhatItSays(String policy, Kind kind, boolean blocks) {
        assertThat(blocks(policy, kind, 250L)).isEqualTo(blocks);
    }

    @Test
    void ofUnknownMemoryOnlyAComputingProcessCounts() {
        assertThat(blocks("memory:300", Kind.COMPUTE, null)).isTrue();
        assertThat(blocks("memory:300", Kind.COMPUTE_AND_GRAPHICS, null)).isTrue();
        assertThat(blocks("memory:300", Kind.GRAPHICS, null)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "any", "memory", "memory:", "memory:0", "memory:-1", "memory:1g", "memory:99999999", "Off"})
    void anythingElseIsNoPolicy(String text) {
        assertThat(ForeignPolicy.parse(text)).isEmpty();
    }
}
