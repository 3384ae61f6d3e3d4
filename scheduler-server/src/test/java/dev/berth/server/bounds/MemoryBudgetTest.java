package dev.berth.server.bounds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.server.bounds.MemoryBudget.Share;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    private static final long MIB = 1 << 20;

    private final MemoryBudget budget = new MemoryBudget(10 * MIB, 6 * MIB);

    @Test
    void oneUserLeavesTheOthersTheirPart() {
        try (Share first = budget.share(1);
                Share second = budget.share(1);
                Share other = budget.share(2)) {
            first.take(4 * MIB);
            second.take(2 * MIB);
            assertThatExceptionOfType(NoMemoryException.class)
                    .isThrownBy(() -> second.take(1))
                    .withMessage(
                            "your requests that are under way take as much memory as they may (6 MiB); try again when"
                                    + " some are answered, fewer at once");
            other.take(4 * MIB);
            assertThatExceptionOfType(NoMemoryException.class)
                    .isThrownBy(() -> other.take(1))
                    .withMessageStartingWith(
                            "the requests that are under way take as much memory as they may (10 MiB)");
            assertThat(budget.taken()).isEqualTo(10 * MIB);
        }
        assertThat(budget.taken()).isZero();
    }

    @Test
    void rootGetsInWhereUsersHaveTakenItAll() {
        try (Share one = budget.share(1);
                Share other = budget.share(2);
                Share root = budget.share(0)) {
            one.take(6 * MIB);
            other.take(4 * MIB);
            root.take(MIB);
            assertThatExceptionOfType(NoMemoryException.class).isThrownBy(() -> root.take(MIB));
        }
        assertThat(budget.taken()).isZero();
    }

    @Test
    void whatIsRefusedTakesNothingAndWhatIsClosedGivesAllBack() {
        Share share = budget.share(1);
        share.take(5 * MIB);
        assertThatExceptionOfType(NoMemoryException.class).isThrownBy(() -> share.take(2 * MIB));
        assertThat(budget.taken()).isEqualTo(5 * MIB);
        share.close();
        share.close();
        assertThat(budget.taken()).isZero();
        try (Share again = budget.share(1)) {
            again.take(6 * MIB);
        }
        assertThat(budget.taken()).isZero();
    }
}
