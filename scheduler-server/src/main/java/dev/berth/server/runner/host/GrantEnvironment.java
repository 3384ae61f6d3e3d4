package dev.berth.server.runner.host;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The variables that a program on the machine itself is started with, so that it keeps to its GPUs (CUDA C++
 * Programming Guide, "CUDA Environment Variables"). They are a convention between Berth and the program, and no
 * confinement.
 */
public final class GrantEnvironment {
    private static final String LEASE = "BERTH_LEASE";

    /** The variables that numerical libraries take their number of threads from. */
    private static final List<String> THREADS =
            List.of("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS");

    private GrantEnvironment() {}

    /** The variable by which all that came of an attempt's program is known. */
    static String mark(String server, JobId job, int attempt) {
        return LEASE + "=" + server + "-" + job + "-" + attempt;
    }

    /**
     * The variables that a program must have, whatever its user had set. Without a GPU it sees none: an empty list
     * means that.
     */
    public static Map<String, String> of(Job job, Grant grant, String server) {
        Allocation allocation = grant.allocation();
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("CUDA_VISIBLE_DEVICES", allocation.uuids());
        variables.put("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
        variables.put("BERTH_JOB_ID", job.id().toString());
        variables.put("BERTH_ATTEMPT", Integer.toString(grant.attempt()));
        variables.put("BERTH_NUM_GPUS", Integer.toString(allocation.gpus().size()));
        variables.put("BERTH_GPU_UUIDS", allocation.uuids());
        variables.put("BERTH_PROJECT", job.spec().project());
        if (!grant.track().isEmpty()) {
            variables.put("BERTH_TRACK", grant.track());
        }
        variables.put(LEASE, mark(server, job.id(), grant.attempt()).substring(LEASE.length() + 1));
        return variables;
    }

    /** The numbers of threads for a program with cores of its own; what its user set counts more. */
    public static Map<String, String> threads(int cores) {
        Map<String, String> variables = new LinkedHashMap<>();
        if (cores > 0) {
            THREADS.forEach(name -> variables.put(name, Integer.toString(cores)));
        }
        return variables;
    }
}
