package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.MachineRebooted;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.Step.Reply;
import org.junit.jupiter.api.Test;

/** Jobs that are processes of the machine itself: in the same line, at once or not at all, with true sentences. */
class HostJobTest {
    private static JobSpec host(int gpus, boolean shell, boolean noWait) {
        return TestJobs.with(TestJobs.spec(gpus), new OnHost("/home/ada", shell, noWait));
    }

    private static TestScheduler started(JobSpec spec) {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(2));
        driver.submit(spec);
        driver.tell(1, new RunCreated(1, dev.berth.core.job.EngineRun.UNKNOWN));
        driver.tell(1, new RunStarted(1, driver.now()));
        return driver;
    }

    private static String end(TestScheduler driver) {
        return ((Finished) driver.job(1).state()).outcome().sentence();
    }

    @Test
    void nowOrNeverIsNowWhereItFits() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(2));

        assertThat(driver.submit(host(2, false, true)).reply()).isInstanceOf(Reply.Accepted.class);
        assertThat(driver.state(1)).isEqualTo(StateName.STARTING);
    }

    @Test
    void nowOrNeverIsNeverWhereItWouldWait() {
        TestScheduler driver = started(host(1, false, false));
        Machine before = driver.machine();

        Step refused = driver.submit(host(2, false, true));

        assertThat(refused.reply())
                .isEqualTo(new Reply.NotNow(
                        "first in the queue; waits for 2 GPUs: 1 of 2 free, job 1 has 1",
                        before.capacity().gpus().subList(1, 2),
                        false));
        assertThat(refused.changes()).isEmpty();
        assertThat(refused.effects()).isEmpty();
        assertThat(refused.machine()).isEqualTo(before);
    }

    @Test
    void nowOrNeverOvertakesNobody() {
        TestScheduler driver = started(host(1, false, false));
        driver.submit(host(2, false, false));

        assertThat(driver.submit(host(1, false, true)).reply())
                .isEqualTo(new Reply.NotNow(
                        "jobs wait already, and none of them is overtaken",
                        driver.machine().capacity().gpus().subList(1, 2),
                        false));
    }

    @Test
    void nowOrNeverIsNeverWhereSomebodyElseIsOnTheGpu() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(1));
        driver.submit(host(1, false, true));

        driver.tell(1, new GpusTaken(1, "GPU 0: process 4711 is on it"));

        assertThat(driver.state(1)).isEqualTo(StateName.FAILED);
        assertThat(end(driver))
                .isEqualTo("it was not to wait, and its GPUs cannot be had: GPU 0: process 4711 is on it");
    }

    @Test
    void aProgramThatMayWaitGoesBackToItsPlace() {
        TestScheduler driver = TestScheduler.on(Capacities.gpus(1));
        driver.submit(host(1, false, false));

        driver.tell(1, new GpusTaken(1, "GPU 0: process 4711 is on it"));

        assertThat(driver.startOrder()).containsExactly(1L, 1L);
    }

    @Test
    void whatNobodySawEndIsLostByASentenceOfItsOwn() {
        TestScheduler driver = started(host(1, false, false));

        driver.tell(1, new RunGone(1));

        assertThat(driver.state(1)).isEqualTo(StateName.LOST);
        assertThat(end(driver))
                .isEqualTo("its berth run was gone, or silent, when the program ended, so nobody knows how; Berth ended"
                        + " what was left of it");
    }

    @Test
    void norIsAShellSaidToBeABerthRun() {
        TestScheduler driver = started(host(1, true, false));
        driver.tell(1, new RunGone(1));
        assertThat(end(driver)).isEqualTo("its shell ended while no server was there, so nobody knows how");

        TestScheduler another = started(host(1, true, false));
        another.tell(1, new MachineRebooted(1, another.now()));
        assertThat(end(another)).endsWith("give its berth lease command again");
    }

    @Test
    void aRebootTellsNoOneToQueueItAgain() {
        TestScheduler driver = started(host(1, false, false));

        driver.tell(1, new MachineRebooted(1, driver.now()));

        assertThat(end(driver))
                .isEqualTo("the machine was restarted while it ran; to run it again, give its berth run command again");
    }

    @Test
    void aShellHasNoExitCode() {
        TestScheduler driver = started(host(1, true, false));

        driver.tell(1, new RunExited(1, 0, false, null, driver.now()));

        assertThat(driver.state(1)).isEqualTo(StateName.COMPLETED);
        assertThat(end(driver)).isEqualTo("what its GPUs were leased to has ended or given them back");
        assertThat(((Finished) driver.job(1).state()).outcome().exitCode()).isNull();
    }
}
