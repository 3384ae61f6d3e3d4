package dev.berth.core.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.core.place.ShareChoice.Candidate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShareChoiceTest {

    /** Machines and shares on which one GPU was given more than it has while another had nothing to do. */
    @ParameterizedTest(name = "{2} jobs of {1} thousandths on {0} GPUs")
    @CsvSource(textBlock = """
            2, 750, 2, 750 750
            2, 300, 4, 900 300
            2, 300, 7, 900 900
            4, 400, 10, 800 800 800 800
            4, 400, 8, 800 800 800 800
            4, 700, 5, 700 700 700 700
            1, 500, 3, 1000
            3, 333, 10, 999 999 999
            """)
    void aGpuIsNeverSharedOutBeyondItself(int gpus, int milli, int jobs, String used) {
        TinyMachine machine = new TinyMachine(GpuMachines.gpus(gpus), GpuTopology.UNKNOWN, jobs);
        for (int job = 1; job <= jobs; job++) {
            machine.start(job, milli);
        }
        assertThat(machine.usedMilli()).isEqualTo(used);
    }

    @Test
    void threeQuartersAndThreeQuartersGetAGpuEach() {
        TinyMachine machine = new TinyMachine(GpuMachines.gpus(2), GpuTopology.UNKNOWN, 4);
        assertThat(machine.start(1, 750)).isTrue();
        assertThat(machine.start(2, 750)).isTrue();
        assertThat(machine.usedMilli()).isEqualTo("750 750");
    }

    @Test
    void aShareGoesWhereItLeavesTheLeast() {
        assertThat(ShareChoice.of(200, List.of(shared(0, 300), shared(1, 800), shared(2, 700), empty(3))))
                .contains(GpuMachines.gpu(1));
        assertThat(ShareChoice.of(300, List.of(shared(0, 300), shared(1, 800), shared(2, 700), empty(3))))
                .contains(GpuMachines.gpu(2));
        assertThat(ShareChoice.of(250, List.of(empty(0), shared(1, 500), shared(2, 500))))
                .as("the first of equals")
                .contains(GpuMachines.gpu(1));
    }

    @Test
    void anEmptyGpuIsTakenOnlyWhereNoSharedOneHasRoom() {
        assertThat(ShareChoice.of(500, List.of(empty(0), shared(1, 400)))).contains(GpuMachines.gpu(1));
        assertThat(ShareChoice.of(500, List.of(shared(0, 600), empty(1), empty(2))))
                .contains(GpuMachines.gpu(1));
        assertThat(ShareChoice.of(500, List.of(shared(0, 600), shared(1, 501)))).isEmpty();
    }

    @Test
    void sharedAndWholeAreNeverMixed() {
        assertThat(ShareChoice.of(1, List.of(new Candidate(GpuMachines.gpu(0), 0, 0, 4, true))))
                .isEmpty();
    }

    @Test
    void aGpuHasNoMoreHoldersThanItMay() {
        assertThat(ShareChoice.of(1, List.of(new Candidate(GpuMachines.gpu(0), 4, 4, 4, false))))
                .isEmpty();
        assertThat(ShareChoice.of(1, List.of(new Candidate(GpuMachines.gpu(0), 3, 3, 4, false))))
                .contains(GpuMachines.gpu(0));
        assertThat(ShareChoice.of(500, List.of(new Candidate(GpuMachines.gpu(0), 0, 0, 0, false), empty(1))))
                .as("the first is not shared")
                .contains(GpuMachines.gpu(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1000, 2000})
    void onlySharesAreChosenSo(int milli) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ShareChoice.of(milli, List.of(empty(0))))
                .withMessage("not a share of one GPU: " + milli + " thousandths");
    }

    private static Candidate shared(int index, int usedMilli) {
        return new Candidate(GpuMachines.gpu(index), usedMilli, 1, 8, false);
    }

    private static Candidate empty(int index) {
        return new Candidate(GpuMachines.gpu(index), 0, 0, 8, false);
    }
}
