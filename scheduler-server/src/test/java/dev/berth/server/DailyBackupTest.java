package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.store.JobStore;
import dev.berth.server.store.database.Backup;
import dev.berth.server.store.database.Backups;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which backups are there, hour by hour, also where the date is wrong for a while. */
class DailyBackupTest {
    private static final Instant NOW = Instant.parse("2026-11-21T03:00:00Z");
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration YEARS = DAY.multipliedBy(3_000);

    @TempDir
    private Path directory;

    private Backups backups = Backups.beside(Path.of("/nonexistent/berth.db"));

    @BeforeEach
    void makeDatabase() {
        backups = Backups.beside(directory.resolve("berth.db"));
        new JobStore(backups.database()).close();
    }

    private void pass(Instant from, int hours) {
        DailyBackup daily = new DailyBackup(backups, 3, DAY);
        for (int hour = 0; hour < hours; hour++) {
            daily.apply(from.plus(Duration.ofHours(hour)));
        }
    }

    private List<Instant> made() {
        return backups.all().stream().map(Backup::madeAt).toList();
    }

    private static Instant day(int number) {
        return NOW.plus(DAY.multipliedBy(number));
    }

    @Test
    void oneIsMadeEachDayAndTheLastOnesAreKept() {
        pass(NOW, 24);
        assertThat(made()).containsExactly(NOW);
        pass(day(1), 97);
        assertThat(made()).containsExactly(day(5), day(4), day(3));
    }

    @Test
    void noneAreMadeWhereNoneAreKept() {
        new DailyBackup(backups, 0, DAY).apply(NOW);
        assertThat(made()).isEmpty();
    }

    @Test
    void aDateThatWasAheadForAnHourStopsNoneAndItsOwnIsTheFirstToGo() {
        pass(NOW, 24);
        pass(NOW.plus(YEARS), 1);
        pass(day(1).plusSeconds(3_600), 23);
        assertThat(made()).containsExactly(NOW.plus(YEARS), day(1).plusSeconds(3_600), NOW);
        pass(day(2).plusSeconds(3_600), 24);
        assertThat(made()).containsExactly(day(2).plusSeconds(3_600), day(1).plusSeconds(3_600), NOW);
    }

    /** As after a start of the machine with an empty clock, until it is set over the network. */
    @Test
    void aDateThatIsLongPastStopsNoneAndTakesNoMoreThanTheOldest() {
        pass(NOW, 72);
        assertThat(made()).containsExactly(day(2), day(1), NOW);
        Instant past = NOW.minus(YEARS);
        pass(past, 24);
        assertThat(made()).containsExactly(day(2), day(1), past);
        pass(past.plus(DAY), 1);
        assertThat(made()).containsExactly(day(2), past.plus(DAY), past);
        pass(day(3), 24);
        assertThat(made()).containsExactly(day(3), day(2), past.plus(DAY));
    }
}
