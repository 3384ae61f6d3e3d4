package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.runner.slurm.SlurmAccounts.Accounted;
import dev.berth.server.runner.slurm.SlurmText.AccountLine;
import dev.berth.server.runner.target.Handed;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What Slurm's accounts tell of tasks that have no line of their own there, in lines as a real {@code sacct} wrote them. */
class UnstartedTaskTest {
    private static final Handed ALONE = SlurmJobs.handed(7, SlurmJobs.ADA);
    private static final Handed TASK = new Handed(ALONE.attempt(), ALONE.name(), 5, ALONE.owner(), ALONE.since());
    private static final String UID = Long.toString(SlurmJobs.ADA.uid());
    private static final String STARTED =
            "12_1|%s|RUNNING|0:0|2026-11-29T18:46:41|Unknown|node1|%s\n".formatted(UID, ALONE.name());

    private static String rest(String state, String ended) {
        return "12_[3-6]|%s|%s|0:0|Unknown|%s|None assigned|%s\n".formatted(UID, state, ended, ALONE.name());
    }

    private static Optional<String> told(String accounts, Handed handed, boolean isInQueue) {
        Map<String, List<AccountLine>> lines =
                SlurmText.accounts(accounts).stream().collect(Collectors.groupingBy(AccountLine::name));
        return new Accounted(false, false, lines, Map.of())
                .unstarted(handed, isInQueue)
                .map(outcome -> outcome.state() + " " + outcome.reason() + ": " + outcome.sentence());
    }

    @Test
    void aTaskThatIsGoneWhileItsArrayGoesOnWasCancelled() {
        String cancelled =
                "CANCELLED CANCELLED_AT_TARGET: it was cancelled at Slurm before it started (a task of job 12)";
        assertThat(told(STARTED, TASK, false)).contains(cancelled);
        assertThat(told(STARTED + rest("PENDING", "Unknown"), TASK, true)).contains(cancelled);
    }

    @Test
    void itEndedAsTheRestOfItsArray() {
        assertThat(told(STARTED + rest("CANCELLED by 1001", "2026-11-29T18:46:48"), TASK, false))
                .contains("CANCELLED CANCELLED_AT_TARGET: it was cancelled at Slurm by user 1001 (job 12_[3-6])");
        assertThat(told(rest("DEADLINE", "2026-11-29T18:46:48"), TASK, false))
                .contains("TIMEOUT TIME_LIMIT: Slurm ended it (job 12_[3-6]) at its deadline");
    }

    @Test
    void ofWhatNobodyKnowsNothingIsTold() {
        assertThat(told("", TASK, false)).isEmpty();
        assertThat(told(STARTED, ALONE, false)).as("no task").isEmpty();
        assertThat(told(STARTED + rest("PENDING", "Unknown"), TASK, false))
                .as("a controller that lost its state")
                .isEmpty();
        String own = STARTED.replace("12_1", "12_5");
        assertThat(told(own, TASK, false)).as("it has started").isEmpty();
        String others = STARTED.replace("|" + UID + "|", "|4321|");
        assertThat(told(others, TASK, false)).as("another user's of that name").isEmpty();
    }
}
