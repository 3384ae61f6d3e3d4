package dev.berth.server.runner.host;

import dev.berth.core.job.Job;
import dev.berth.server.cgroup.LeaseCgroups;
import dev.berth.server.runner.Notices;
import dev.berth.server.store.HostProcess;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What leases need.
 *
 * @param server this server's id, which marks its programs
 * @param kernel has the processes
 * @param cgroups hold what comes of a program
 * @param processes which programs ran, as far as an earlier server wrote down
 * @param isSameBoot whether the machine has not been started anew since: the numbers of processes begin anew with it
 * @param live the jobs that this server finds in the store and that have not ended
 * @param track makes the file in which a job's program tells of it, and answers its path; empty where it cannot
 * @param notices takes the news
 * @param wake called whenever there is something new to tell those who wait
 * @param stopGrace from TERM to KILL where a program is stopped
 */
public record LeaseParts(
        String server,
        ProcessKernel kernel,
        LeaseCgroups cgroups,
        Supplier<List<HostProcess>> processes,
        boolean isSameBoot,
        Supplier<List<Job>> live,
        Function<Job, String> track,
        Notices notices,
        Runnable wake,
        Tasks tasks,
        Duration stopGrace,
        Clocks clock) {}
