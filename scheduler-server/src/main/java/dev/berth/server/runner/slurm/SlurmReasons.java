package dev.berth.server.runner.slurm;

import java.util.Map;
import java.util.Set;

/** Slurm's words for why a job waits (squeue(1), "JOB REASON CODES"), and what they mean. */
final class SlurmReasons {
    private static final Set<String> HELD = Set.of("JobHeldUser", "JobHeldAdmin", "JobHoldMaxRequeue");

    /** A job that was held after its start failed; the words have blanks (job_reason_string). */
    private static final String HELD_AGAIN = "requeued held";

    private static final Map<String, String> MEANINGS = Map.ofEntries(
            Map.entry("JobHeldUser", "it is held"),
            Map.entry("JobHeldAdmin", "an administrator holds it, who alone can release it"),
            Map.entry("JobHoldMaxRequeue", "it was requeued too often and is held"),
            Map.entry("DependencyNeverSatisfied", "a job that it waits for did not end as asked, and never will"),
            Map.entry("PartitionTimeLimit", "its time limit is more than the partition's, so that it never starts"),
            Map.entry("PartitionNodeLimit", "it asks for more nodes than the partition gives, so that it never starts"),
            Map.entry("PartitionConfig", "it asks for more than the partition's nodes have, so that it never starts"),
            Map.entry("PartitionDown", "the partition starts no jobs"),
            Map.entry("PartitionInactive", "the partition takes no jobs"),
            Map.entry("ReqNodeNotAvail", "a node that it needs is down, drained or reserved"),
            Map.entry("NodeDown", "a node that it needs is down"),
            Map.entry("BeginTime", "its time has not come"),
            Map.entry("Reservation", "its reservation has not begun"),
            Map.entry("Licenses", "a licence is taken"),
            Map.entry("InvalidAccount", "Slurm does not know its account any more"),
            Map.entry("InvalidQOS", "Slurm does not know its QOS any more"),
            Map.entry("BadConstraints", "no node can have what it asks for"));

    private SlurmReasons() {}

    static boolean isHeld(String state, String reason) {
        return HELD.contains(reason)
                || reason.contains(HELD_AGAIN)
                || state.equals("REQUEUE_HOLD")
                || state.equals("SPECIAL_EXIT")
                || state.equals("RESV_DEL_HOLD");
    }

    /** What goes on from "QUEUED: ". */
    static String words(String state, String reason, String id) {
        String word = reason.isBlank() || reason.equals("None") ? "its next look at the queue" : reason;
        if (state.equals("CONFIGURING")) {
            word = "its nodes to be ready";
        }
        String meaning = meaning(reason);
        return "Slurm waits for " + word + (meaning.isEmpty() ? "" : ": " + meaning) + " (job " + id
                + ", place unknown)";
    }

    private static String meaning(String reason) {
        String word = reason.contains(",") ? reason.substring(0, reason.indexOf(',')) : reason;
        if (MEANINGS.containsKey(word)) {
            return MEANINGS.get(word);
        }
        if (word.contains(HELD_AGAIN)) {
            return "it could not be started and is held; release it once the cause is mended";
        }
        if (word.startsWith("Assoc")) {
            return "a limit of its account is reached";
        }
        return word.startsWith("QOS") ? "a limit of its QOS is reached" : "";
    }
}
