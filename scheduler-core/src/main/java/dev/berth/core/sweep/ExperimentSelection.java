package dev.berth.core.sweep;

import java.util.List;

/** The experiments of a file that are meant. */
final class ExperimentSelection {
    private static final int SHOWN = 20;

    private ExperimentSelection() {}

    /** In the order of the file; all of them where none is named. */
    static List<String> of(SweepFile file, List<String> named) {
        List<String> all = file.experiments();
        if (all.isEmpty()) {
            List<String> others = file.slurmBlocks();
            throw new SweepRefusal(
                    file.place(),
                    "there is no experiment in this file; an experiment is a document with a name: that is neither DEFAULT"
                            + " nor, as " + (others.isEmpty() ? "SLURM" : Quoted.of(others.getFirst()))
                            + ", has slurm in it");
        }
        for (String name : named) {
            if (!all.contains(name)) {
                throw new SweepRefusal(
                        file.place(), "there is no experiment " + Quoted.of(name) + "; there is " + listed(all));
            }
        }
        return named.isEmpty() ? all : all.stream().filter(named::contains).toList();
    }

    static String listed(List<String> names) {
        if (names.isEmpty()) {
            return "none";
        }
        String more = names.size() > SHOWN ? " and " + (names.size() - SHOWN) + " more" : "";
        return String.join(", ", names.stream().limit(SHOWN).map(Quoted::cut).toList()) + more;
    }
}
