package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.Submitter;
import dev.berth.server.runner.target.Handover;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The variables of an attempt's program. */
final class AttemptEnvironment {
    static final String HOME_PATH = "/berth/home";
    private static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";

    /** What NVIDIA's container runtime takes for no GPU and no driver. */
    private static final String NONE = "void";

    /** The variable of a container that is to see no GPU. */
    static final EnvVar WITHOUT_GPUS =
            new EnvVarBuilder().withName(VISIBLE_DEVICES).withValue(NONE).build();

    private AttemptEnvironment() {}

    /** Those in the Secret of the attempt: the submitter's first, Berth's over them. */
    static Map<String, String> secret(Handover handover) {
        Submitter owner = handover.handed().owner();
        Map<String, String> all = new LinkedHashMap<>();
        all.put("PYTHONUNBUFFERED", "1");
        all.putAll(handover.program().environment());
        all.put("HOME", HOME_PATH);
        all.put("USER", owner.name());
        all.put("LOGNAME", owner.name());
        all.putAll(handover.environment());
        // Which GPUs a pod sees is the device plugin's to say.
        all.remove(VISIBLE_DEVICES);
        all.remove("CUDA_VISIBLE_DEVICES");
        return all;
    }

    /**
     * Those in the pod itself, which beat the Secret's and the image's: a pod without a GPU sees none, whatever they say.
     *
     * @param brought which files of the program are brought here
     */
    static List<EnvVar> fixed(Handover handover, Brought brought) {
        List<EnvVar> all = new ArrayList<>();
        if (handover.job().spec().gpus().isNone()) {
            all.add(WITHOUT_GPUS);
        }
        all.add(TrackPlan.variable(brought.metrics()));
        if (brought.outputs()) {
            all.add(OutputPlan.variable());
        }
        if (handover.parameters().isPresent()) {
            all.add(ParameterPlan.variable());
        }
        return all;
    }
}
