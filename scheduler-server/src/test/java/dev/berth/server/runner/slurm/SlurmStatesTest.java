package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.server.runner.slurm.SlurmText.ExitStatus;
import dev.berth.server.runner.target.Phase.End;
import dev.berth.server.runner.target.Phase.End.ByEngine;
import dev.berth.server.runner.target.Phase.End.Exited;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Slurm's states and reasons (squeue(1)), each as Berth has it. */
class SlurmStatesTest {
    private static End end(String state, int code, int signal) {
        return SlurmEnds.of("12", state, new ExitStatus(code, signal), true);
    }

    @ParameterizedTest
    @CsvSource({
        "TIMEOUT,TIMEOUT,TIME_LIMIT",
        "DEADLINE,TIMEOUT,TIME_LIMIT",
        "CANCELLED,CANCELLED,CANCELLED_AT_TARGET",
        "CANCELLED by 1001,CANCELLED,CANCELLED_AT_TARGET",
        "NODE_FAIL,LOST,NODE_LOST",
        "PREEMPTED,LOST,PREEMPTED",
        "REVOKED,LOST,TARGET_LOST",
        "BOOT_FAIL,FAILED,START_FAILED",
        "SOMETHING_NEW,LOST,TARGET_LOST"
    })
    void tellsWhatSlurmDid(String state, StateName name, OutcomeReason reason) {
        assertThat(end(state, 0, 0)).isInstanceOfSatisfying(ByEngine.class, end -> {
            assertThat(end.outcome().state()).isEqualTo(name);
            assertThat(end.outcome().reason()).isEqualTo(reason);
            assertThat(end.outcome().sentence()).contains("job 12");
        });
    }

    @Test
    void tellsWhatTheProgramDid() {
        assertThat(end("COMPLETED", 0, 0)).isEqualTo(new Exited(0, false));
        assertThat(end("FAILED", 3, 0)).isEqualTo(new Exited(3, false));
        assertThat(end("FAILED", 0, 0)).isEqualTo(new Exited(128, false));
        assertThat(end("FAILED", 0, 11)).isEqualTo(new Exited(139, false));
        assertThat(end("OUT_OF_MEMORY", 0, 125)).isEqualTo(new Exited(137, true));
    }

    @Test
    void tellsAProgramThatNeverRanFromOneThatFailed() {
        assertThat(end("FAILED", 0, 53)).isInstanceOf(ByEngine.class);
        assertThat(SlurmEnds.of("12", "FAILED", new ExitStatus(1, 0), false))
                .isInstanceOfSatisfying(
                        ByEngine.class,
                        end -> assertThat(end.outcome().sentence()).contains("when it was handed over"));
    }

    @ParameterizedTest
    @CsvSource({"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED"})
    void knowsWhatIsAlive(String state) {
        assertThat(SlurmEnds.isAlive(state)).isTrue();
        assertThat(SlurmEnds.isWaiting(state)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "Resources;Slurm waits for Resources (job 12, place unknown)",
                "None;Slurm waits for its next look at the queue (job 12, place unknown)",
                "JobHeldUser;Slurm waits for JobHeldUser: it is held (job 12, place unknown)",
                "AssocMaxJobsLimit;Slurm waits for AssocMaxJobsLimit: a limit of its account is reached (job 12, place"
                        + " unknown)",
                "QOSMaxGRESPerUser;Slurm waits for QOSMaxGRESPerUser: a limit of its QOS is reached (job 12, place"
                        + " unknown)",
                "ReqNodeNotAvail, UnavailableNodes:node1;Slurm waits for ReqNodeNotAvail, UnavailableNodes:node1:"
                        + " a node that it needs is down, drained or reserved (job 12, place unknown)"
            })
    void saysWhyAJobWaits(String reason, String words) {
        assertThat(SlurmReasons.words("PENDING", reason, "12")).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "JobHeldAdmin;an administrator holds it, who alone can release it",
                "JobHoldMaxRequeue;it was requeued too often and is held",
                "DependencyNeverSatisfied;a job that it waits for did not end as asked, and never will",
                "PartitionTimeLimit;its time limit is more than the partition's, so that it never starts",
                "PartitionNodeLimit;it asks for more nodes than the partition gives, so that it never starts",
                "PartitionConfig;it asks for more than the partition's nodes have, so that it never starts",
                "PartitionDown;the partition starts no jobs",
                "PartitionInactive;the partition takes no jobs",
                "NodeDown;a node that it needs is down",
                "BeginTime;its time has not come",
                "Reservation;its reservation has not begun",
                "Licenses;a licence is taken",
                "InvalidAccount;Slurm does not know its account any more",
                "InvalidQOS;Slurm does not know its QOS any more",
                "BadConstraints;no node can have what it asks for",
                "launch failed requeued held;\"it could not be started and is held; release it once the cause is mended\""
            })
    void saysWhatSlurmsWordMeans(String reason, String meaning) {
        assertThat(SlurmReasons.words("PENDING", reason, "12"))
                .isEqualTo("Slurm waits for " + reason + ": " + meaning + " (job 12, place unknown)");
    }

    @Test
    void saysThatItsNodesAreMadeReady() {
        assertThat(SlurmReasons.words("CONFIGURING", "None", "12"))
                .isEqualTo("Slurm waits for its nodes to be ready (job 12, place unknown)");
    }

    @Test
    void knowsWhatIsHeld() {
        assertThat(SlurmReasons.isHeld("PENDING", "JobHeldUser")).isTrue();
        assertThat(SlurmReasons.isHeld("PENDING", "JobHeldAdmin")).isTrue();
        assertThat(SlurmReasons.isHeld("PENDING", "launch failed requeued held"))
                .isTrue();
        assertThat(SlurmReasons.isHeld("REQUEUE_HOLD", "None")).isTrue();
        assertThat(SlurmReasons.isHeld("PENDING", "Priority")).isFalse();
    }
}
