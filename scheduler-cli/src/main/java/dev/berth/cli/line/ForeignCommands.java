package dev.berth.cli.line;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Commands that users of Slurm or another tool type, and what Berth has for them. */
public final class ForeignCommands {
    private static final String LISTED = "berth ps lists the jobs that run and wait";
    private static final String QUEUES = "berth submit queues a job";
    private static final String GPUS = "berth gpus lists the GPUs and who holds them";
    private static final String RUNS = "berth run runs a program here on GPUs that it waits for";
    private static final String ENDS = "berth cancel ID ends a job for good; berth ps lists them";
    private static final String SERVER = "berth server start starts the server";
    private static final String LOG =
            "the server's log is server.log in its data directory, or journalctl -u berth; berth logs ID"
                    + " prints a job's";

    private static final Map<String, String> MEANT = Map.ofEntries(
            Map.entry("squeue", LISTED),
            Map.entry("gqueue", LISTED),
            Map.entry("qstat", LISTED),
            Map.entry("queue", LISTED),
            Map.entry("ls", LISTED),
            Map.entry("list", LISTED),
            Map.entry("sbatch", QUEUES),
            Map.entry("gbatch", QUEUES),
            Map.entry("qsub", QUEUES),
            Map.entry("apply", QUEUES),
            Map.entry("sinfo", GPUS),
            Map.entry("nvidia-smi", GPUS),
            Map.entry("sacct", "berth history lists the jobs that are over"),
            Map.entry("srun", RUNS),
            Map.entry("exec", RUNS),
            Map.entry("salloc", "berth lease waits for GPUs for the shell that asks"),
            Map.entry("scancel", ENDS),
            Map.entry("gcancel", ENDS),
            Map.entry("qdel", ENDS),
            Map.entry("kill", ENDS),
            Map.entry("stop", ENDS),
            Map.entry(
                    "scontrol",
                    "berth status ID shows a job, berth hold, release and gpus drain are commands by themselves"),
            Map.entry("sstat", "berth status ID shows a job, and what it makes of its GPUs"),
            Map.entry("inspect", "berth status ID shows a job"),
            Map.entry("attach", "berth logs -f ID follows what a job writes"),
            Map.entry("serve", SERVER),
            Map.entry("daemon", SERVER),
            Map.entry("server log", LOG),
            Map.entry("server logs", LOG),
            // Slurm's keeps the job; Berth's makes a new one.
            Map.entry(
                    "requeue",
                    "berth resubmit submits finished jobs again, submit --requeue is for jobs that the machine loses"));

    private ForeignCommands() {}

    /** What Berth has instead, as a sentence; null for a command that is nobody's. */
    public static @Nullable String instead(String name) {
        return MEANT.get(name);
    }
}
