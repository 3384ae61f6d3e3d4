package dev.berth.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GpuRequestTest {

    @ParameterizedTest
    @ValueSource(ints = {-1, -1000, 1001, 1500, 2500, 1_025_000, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void isNothingAShareOfOneOrWholeOnes(int milli) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GpuRequest(milli))
                .withMessage("not a GPU request: " + milli + " thousandths");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1025, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void isForANumberOfGpusThatAMachineCanHave(int count) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GpuRequest.whole(count))
                .withMessage("not a number of GPUs: " + count);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, no GPU",
        "1, 1, 0.001 of a GPU",
        "500, 1, 0.5 of a GPU",
        "1000, 1, 1 GPU",
        "2000, 2, 2 GPUs",
        "1024000, 1024, 1024 GPUs"
    })
    void countsTheGpusThatItTouches(int milli, int count, String words) {
        GpuRequest request = new GpuRequest(milli);
        assertThat(request.count()).isEqualTo(count);
        assertThat(request.inWords()).isEqualTo(words);
        assertThat(request.isNone()).isEqualTo(milli == 0);
    }
}
