package dev.berth.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.SystemTest;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Nothing lost, nothing twice, whatever is killed. {@code -Dberth.chaos.kills=200} makes a long run of it, and
 * {@code -Dberth.chaos.seed=N} strikes the same faults in the same order again, as far as the real world allows.
 */
@SystemTest
@Tag("alone")
@Tag("long")
class ChaosTest {
    private static final int KILLS = 8;

    /** The same faults in the same order in each build; a long run takes fresh ones. */
    private static final long SEED = 19_968_651_211_285L;

    @Test
    @Timeout(value = 6, unit = TimeUnit.HOURS)
    void everyJobRunsOnceWithAllItsLinesThroughKillsOfServerAndEngine() {
        long seed = Long.getLong("berth.chaos.seed", SEED);
        int kills = Integer.getInteger("berth.chaos.kills", KILLS);
        Path folder = Product.ROOT.resolve("src/test/target/chaos/" + seed);

        assertThat(new ChaosRun(seed, kills, folder).run())
                .as("-Dberth.chaos.seed=%d; see %s", seed, folder)
                .isEmpty();
    }
}
