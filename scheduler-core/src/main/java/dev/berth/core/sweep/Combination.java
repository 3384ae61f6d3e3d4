package dev.berth.core.sweep;

import dev.berth.core.sweep.SweepValue.Section;
import dev.berth.core.text.Utf8;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Choice of values for all parameters of an experiment that take several; still without the later ones while it expands.
 *
 * @param name of the runs that have it
 * @param before the choice without the last step, or null for none yet
 * @param number of the configuration that the last step made of it
 * @param depth how many steps are taken
 */
record Combination(
        Experiment experiment, String name, @Nullable Combination before, int number, int depth) {
    /** The bounds of a file's name and of a path, as Linux has them. */
    private static final int MAX_NAME = 255;

    private static final int MAX_PATH = 4095;
    private static final int PATH_RESERVE = 64;
    private static final String SEPARATOR = "__";

    static Combination first(Experiment experiment) {
        Combination first = new Combination(experiment, experiment.name(), null, 0, 0);
        first.checkName();
        return first;
    }

    boolean isComplete() {
        return depth == experiment.steps().size();
    }

    /** The configuration of this number that the next step makes. */
    Combination next(int next) {
        StringBuilder longer = new StringBuilder(name).append(name.contains(SEPARATOR) ? "_" : SEPARATOR);
        String between = "";
        for (Setting setting : experiment.steps().get(depth).settings(next)) {
            longer.append(between).append(setting.name());
            between = "_";
        }
        Combination made = new Combination(experiment, longer.toString(), this, next, depth + 1);
        made.checkName();
        return made;
    }

    private void checkName() {
        if (name.startsWith("/") || name.indexOf('\0') >= 0) {
            throw refusal("begins with / or has a NUL in it");
        }
        for (String part : name.split("/", -1)) {
            if (part.equals("..")) {
                throw refusal("would lie outside of path by its ..");
            }
            if (isLonger(part, MAX_NAME)) {
                throw refusal("is longer than the " + MAX_NAME + " bytes that a file's name may have");
            }
        }
        if (isLonger(experiment.directory(name), MAX_PATH - PATH_RESERVE)) {
            throw refusal("has a directory of more than the " + MAX_PATH + " bytes that a path may have");
        }
    }

    private SweepRefusal refusal(String what) {
        return new SweepRefusal(
                depth == 0
                        ? experiment.content().place()
                        : experiment.steps().get(depth - 1).place(),
                "the run " + Quoted.of(name) + " " + what
                        + "; runs are named by their experiment and the values of their" + " parameters");
    }

    private static boolean isLonger(String text, int bytes) {
        return text.length() > bytes || (text.length() * 3 > bytes && Utf8.length(text) > bytes);
    }

    /** What the steps set, one after the other. */
    List<Setting> settings() {
        List<Setting> settings = new ArrayList<>(before == null ? List.of() : before.settings());
        if (depth > 0) {
            settings.addAll(experiment.steps().get(depth - 1).settings(number));
        }
        return settings;
    }

    Section params() {
        Section params = experiment.params();
        for (Setting setting : settings()) {
            params = setting.in(params);
        }
        return params;
    }

    String directory() {
        return experiment.directory(name);
    }

    String shown() {
        List<String> shown = settings().stream().map(Setting::shown).toList();
        return Quoted.of(name) + (shown.isEmpty() ? "" : " (" + Quoted.cut(String.join(" ", shown)) + ")");
    }
}
