package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.target.Handover;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.util.Map;

/**
 * The file of a task's parameters ({@code $BERTH_PARAMS}). It is made of an annotation of the pod (kubernetes.io, "Downward API"), so
 * that it needs no Secret of its own; the command has the same values.
 */
final class ParameterPlan {
    static final String VOLUME = "parameters";
    static final String PATH = "/berth/parameters";

    private static final String FILE = "parameters.json";
    private static final String ANNOTATION = "dev.berth/parameters";

    private ParameterPlan() {}

    /** The annotations of the pod; none where the task has no parameters. */
    static Map<String, String> annotations(Handover handover) {
        return handover.parameters().map(json -> Map.of(ANNOTATION, json)).orElseGet(Map::of);
    }

    static Volume volume() {
        return new VolumeBuilder()
                .withName(VOLUME)
                .withNewDownwardAPI()
                .addNewItem()
                .withPath(FILE)
                .withNewFieldRef()
                .withFieldPath("metadata.annotations['" + ANNOTATION + "']")
                .endFieldRef()
                .endItem()
                .endDownwardAPI()
                .build();
    }

    static EnvVar variable() {
        return new EnvVarBuilder()
                .withName("BERTH_PARAMS")
                .withValue(PATH + "/" + FILE)
                .build();
    }
}
