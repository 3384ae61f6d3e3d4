package dev.berth.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Settings that variables of the environment give. */
final class VariableSource {
    /** Others' that begin as ours do: the command's, the jobs', the build's. */
    private static final Set<String> OTHERS = Set.of(
            "BERTH_CONFIG",
            "BERTH_URL",
            "BERTH_TOKEN",
            "BERTH_JAVA_HOME",
            "BERTH_SERVER_JAVA_OPTS",
            "BERTH_MAKE_CACHE",
            "BERTH_CHECK_RUN",
            "BERTH_JOB_ID",
            "BERTH_ATTEMPT",
            "BERTH_ARRAY_ID",
            "BERTH_ARRAY_TASK",
            "BERTH_ARRAY_COUNT",
            "BERTH_ARRAY_MIN",
            "BERTH_ARRAY_MAX",
            "BERTH_NUM_GPUS",
            "BERTH_GPU_UUIDS",
            "BERTH_PROJECT",
            "BERTH_OUTPUT_DIR");

    private static final List<String> OTHERS_BEGIN = List.of("BERTH_TEST_", "BERTH_STAND_IN_");

    private VariableSource() {}

    /** Puts in what variables say, and complains of those that were surely meant to say something. */
    static void read(ProcessEnvironment environment, Values values, Problems problems) {
        for (Key<?> key : Keys.ALL) {
            String text = environment.said(key.variable());
            if (text != null) {
                values.put(key, text, environment.directory(), new Origin.Variable(key.variable()));
            }
        }
        Map<String, String> inOrder = new TreeMap<>(environment.variables());
        for (String name : inOrder.keySet()) {
            if (name.startsWith(Key.PREFIX) && !isKnown(name)) {
                unknown(name, problems);
            }
        }
    }

    private static boolean isKnown(String name) {
        return OTHERS.contains(name)
                || OTHERS_BEGIN.stream().anyMatch(name::startsWith)
                || Keys.ALL.stream().anyMatch(key -> key.variable().equals(name));
    }

    /** A variable that names a section of ours, or is written almost as one of ours; others may be anybody's. */
    private static void unknown(String name, Problems problems) {
        List<String> ours = new ArrayList<>(List.of(ProcessEnvironment.CONFIG_VARIABLE));
        Keys.ALL.forEach(key -> ours.add(key.variable()));
        String nearest = NearestName.variable(name, ours);
        boolean inSection = Keys.SECTIONS.stream()
                .anyMatch(section -> name.startsWith(Key.PREFIX + section.toUpperCase(Locale.ROOT) + "_"));
        if (nearest != null || inSection) {
            problems.add(Problems.shown(name) + ": is not a setting's variable" + NearestName.question(nearest));
        }
    }
}
