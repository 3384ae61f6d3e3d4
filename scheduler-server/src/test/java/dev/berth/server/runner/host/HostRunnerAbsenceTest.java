package dev.berth.server.runner.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.server.cgroup.LeaseCgroups;
import dev.berth.server.example.Jobs;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a client may be out of sight. */
class HostRunnerAbsenceTest {
    private static final CreateRun CREATE = new CreateRun(Jobs.queued(7, 1), "", Jobs.allocation(0));

    private final List<JobEvent> told = new ArrayList<>();
    private Instant date = Jobs.SUBMITTED;
    private Instant passed = Jobs.SUBMITTED;
    private final HostRunner hosts = new HostRunner(new LeaseParts(
            "lab",
            new LinuxKernel(BackgroundWork.onVirtualThreads(InstantSource.system())),
            LeaseCgroups.none("a test"),
            List::of,
            true,
            List::of,
            _ -> "",
            (_, event) -> told.add(event),
            () -> {},
            new Tasks() {
                @Override
                public void run(Runnable work) {
                    work.run();
                }

                @Override
                public void runAfter(Duration delay, Runnable work) {
                    assertThat(delay).isPositive();
                }
            },
            Duration.ofSeconds(1),
            new Clocks(() -> date, () -> passed)));

    private void pass(Duration time) {
        date = date.plus(time);
        passed = passed.plus(time);
    }

    private void create() {
        boolean _ = hosts.create(CREATE);
    }

    @ParameterizedTest
    @ValueSource(longs = {-2, 0, 2})
    void aDateThatIsSetMakesNobodyAbsent(long hours) {
        hosts.open();
        hosts.expect(CREATE);
        date = date.plus(Duration.ofHours(hours));
        pass(HostRunner.ABSENCE.minusMillis(1));
        create();
        assertThat(told).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {-2, 0, 2})
    void norDoesItHideWhoIs(long hours) {
        hosts.open();
        hosts.expect(CREATE);
        date = date.plus(Duration.ofHours(hours));
        pass(HostRunner.ABSENCE);
        create();
        assertThat(told).containsExactly(new LaunchRefused(1, LeaseEnds.WAITER_GONE));
    }

    /** The date of its acceptance is one of before it was set: nobody knows how long ago that is. */
    @ParameterizedTest
    @ValueSource(longs = {-2, 2})
    void aDateThatWasSetBeforeItsTurnMakesNobodyAbsent(long hours) {
        hosts.open();
        date = date.plus(Duration.ofHours(hours));
        hosts.expect(CREATE);
        pass(HostRunner.ABSENCE.minusMillis(1));
        create();
        assertThat(told).isEmpty();
    }

    /** What was accepted after the date was set is expected since then, as ever. */
    @ParameterizedTest
    @ValueSource(longs = {-2, 2})
    void aDateThatWasSetBeforeHidesNobody(long hours) {
        hosts.open();
        date = date.plus(Duration.ofHours(hours));
        hosts.expect(CREATE);
        pass(HostRunner.ABSENCE);
        Job later = Jobs.queued(8, 1);
        Job accepted = new Job(later.id(), later.spec(), later.owner(), date, later.state());
        pass(HostRunner.ABSENCE);
        CreateRun turn = new CreateRun(accepted, "", Jobs.allocation(1));
        hosts.expect(turn);
        boolean _ = hosts.create(turn);
        assertThat(told).containsExactly(new LaunchRefused(1, LeaseEnds.WAITER_GONE));
    }

    /** It is told of by its date, which was another one than now. */
    @ParameterizedTest
    @ValueSource(longs = {-2, 0, 2})
    void aServerThatBeginsKnowsSinceWhenByTheDateAsItIsNow(long hours) {
        date = date.plus(Duration.ofHours(hours));
        hosts.open();
        hosts.expect(CREATE);
        pass(HostRunner.ABSENCE.minusMillis(1));
        create();
        assertThat(told).isEmpty();
    }
}
