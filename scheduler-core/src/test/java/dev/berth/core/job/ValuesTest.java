package dev.berth.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The small values: what they refuse, and how they read. */
class ValuesTest {
    private static final GpuId FIRST = new GpuId("GPU-a");
    private static final GpuId SECOND = new GpuId("MIG-b");

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void aJobIdIsAtLeastOne(long value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new JobId(value))
                .withMessage("a job id is at least 1, not " + value);
    }

    @Test
    void jobIdsAreOrderedByNumberAndReadAsSuch() {
        assertThat(new JobId(9)).isLessThan(new JobId(10)).hasToString("9");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "GPU-a,GPU-b"})
    void aGpuIdIsOneUuid(String uuid) {
        assertThatIllegalArgumentException().isThrownBy(() -> new GpuId(uuid)).withMessageContaining("'" + uuid + "'");
    }

    @Test
    void aGpuIdReadsAsItsUuid() {
        assertThat(FIRST).hasToString("GPU-a").isLessThan(SECOND);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1001})
    void aShareIsAPartOfOneGpu(int milli) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GpuShare(FIRST, milli))
                .withMessage("not a share of one GPU: " + milli + " thousandths");
    }

    @Test
    void anAllocationNamesAGpuOnce() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Allocation(List.of(new GpuShare(FIRST, 400), new GpuShare(FIRST, 300))))
                .withMessageStartingWith("a GPU stands twice in one allocation");
    }

    @Test
    void anAllocationKeepsTheOrderInWhichTheJobSeesItsGpus() {
        Allocation allocation = Allocation.whole(List.of(SECOND, FIRST));
        assertThat(allocation.gpus()).containsExactly(SECOND, FIRST);
        assertThat(allocation.uuids()).isEqualTo("MIG-b,GPU-a");
        assertThat(allocation.shares()).extracting(GpuShare::milli).containsOnly(GpuRequest.WHOLE);
        assertThat(allocation.isNone()).isFalse();
    }

    @Test
    void noAllocationHasNoGpus() {
        assertThat(Allocation.NONE.isNone()).isTrue();
        assertThat(Allocation.NONE.uuids()).isEmpty();
    }

    @Test
    void anAllocationKeepsWhatItWasGiven() {
        List<GpuShare> shares = new ArrayList<>(List.of(new GpuShare(FIRST, 1000)));
        Allocation allocation = new Allocation(shares);
        shares.add(new GpuShare(SECOND, 1000));
        assertThat(allocation.gpus()).containsExactly(FIRST);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 4_294_967_295L, Long.MAX_VALUE})
    void aSubmitterHasIdsThatLinuxKnows(long id) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Submitter(id, 0, List.of(), "ada"));
        assertThatIllegalArgumentException().isThrownBy(() -> new Submitter(0, id, List.of(), "ada"));
        assertThatIllegalArgumentException().isThrownBy(() -> new Submitter(0, 0, List.of(5L, id), "ada"));
    }

    @Test
    void onlyUidZeroIsRoot() {
        long highest = 4_294_967_294L;
        assertThat(new Submitter(0, highest, List.of(highest), "root").isRoot()).isTrue();
        assertThat(new Submitter(highest, 0, List.of(0L), "root").isRoot()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(
            value = StateName.class,
            names = {"QUEUED", "STARTING", "RUNNING", "STOPPING"})
    void anOutcomeIsAnEnd(StateName state) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Outcome(state, OutcomeReason.EXITED, "it ended", 0))
                .withMessage(state + " is not an end");
    }

    @Test
    void everyStateIsQueuedLiveOrFinal() {
        assertThat(StateName.values())
                .filteredOn(StateName::isLive)
                .containsExactly(StateName.STARTING, StateName.RUNNING, StateName.STOPPING);
        assertThat(StateName.values())
                .filteredOn(StateName::isFinal)
                .containsExactly(
                        StateName.COMPLETED,
                        StateName.FAILED,
                        StateName.TIMEOUT,
                        StateName.OUT_OF_MEMORY,
                        StateName.LOST,
                        StateName.CANCELLED);
        assertThat(StateName.values())
                .filteredOn(state -> !state.isLive() && !state.isFinal())
                .containsExactly(StateName.QUEUED, StateName.HELD);
    }
}
