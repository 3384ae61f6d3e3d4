package dev.berth.server.runner.slurm;

import dev.berth.core.job.Submitter;
import dev.berth.server.runner.slurm.SlurmText.NodeLine;
import dev.berth.server.runner.target.TargetEngine.Health;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** How a cluster is, by asking its controller. */
record SlurmHealth(UserPrograms programs, SharedFiles files) {
    static final String KIND = "Slurm";
    static final String ORDER_UNKNOWN = "Slurm decides which job is next";

    private static final Set<String> AWAY = Set.of("down", "drained", "draining", "fail", "failing", "unknown");

    /** That of a cluster to which nobody has come yet, where each user has keys of their own. */
    Health unknown() {
        return new Health(
                false,
                "the login node is asked with a user's key, and no user's job has gone there since this server started:"
                        + " berth doctor --target NAME asks with your key",
                "",
                ORDER_UNKNOWN);
    }

    Health now(Submitter asker) {
        String config = programs.answer(asker, List.of("scontrol", "show", "config"));
        List<NodeLine> nodes = nodes(asker);
        long away = nodes.stream().filter(SlurmHealth::isAway).count();
        String version = SlurmText.setting(config, "SLURM_VERSION").orElse("of unknown version");
        String cluster = SlurmText.setting(config, "ClusterName").orElse("without a name");
        boolean isWell = away < nodes.size();
        String sentence = "Slurm " + version + ", cluster " + cluster
                + (away == 0 ? "" : "; " + away + " of its nodes are down or drained")
                + (nodes.isEmpty() ? "; no node is in the partition: sinfo -N" : "");
        return new Health(isWell, sentence, capacity(nodes), order(config));
    }

    private List<NodeLine> nodes(Submitter asker) {
        List<String> words = new ArrayList<>(List.of("sinfo", "--noheader", "--Node"));
        String partition = programs.settings().partition();
        if (partition != null) {
            words.add("--partition=" + partition);
        }
        words.add("--format=" + SlurmText.NODE_FORMAT);
        return SlurmText.nodes(programs.answer(asker, words));
    }

    /** Slurm puts a sign behind a state: {@code down*} is a node that does not answer. */
    private static boolean isAway(NodeLine node) {
        return AWAY.contains(node.state().replaceAll("[^a-z]+$", ""));
    }

    static String capacity(List<NodeLine> nodes) {
        int cores = nodes.stream().mapToInt(NodeLine::cores).sum();
        int gpus = nodes.stream().mapToInt(NodeLine::gpus).sum();
        return count(nodes.size(), "node") + ", " + count(cores, "core") + ", " + count(gpus, "GPU");
    }

    private static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    /** What may be promised of the order, by the controller's configuration (slurm.conf(5), "SchedulerType", "PriorityType"). */
    static String order(String config) {
        String scheduler = SlurmText.setting(config, "SchedulerType").orElse("");
        String priority = SlurmText.setting(config, "PriorityType").orElse("");
        if (!scheduler.equals("sched/builtin")) {
            return "Slurm decides which job is next (" + scheduler + "): a later one may start first";
        }
        return priority.equals("priority/basic")
                ? "first in, first out in each partition: Slurm runs sched/builtin with priority/basic"
                : "by Slurm's priorities (" + priority + "), and none overtakes a higher one: Slurm runs sched/builtin";
    }
}
