package dev.berth.core.sweep;

import dev.berth.core.command.ClosestWord;
import dev.berth.core.sweep.SweepValue.Scalar;
import dev.berth.core.sweep.SweepValue.Section;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Experiment over the defaults of its file and over what it imports; for one experiment. */
final class Inheritance {
    static final int MAX_IMPORTS = 16;

    private static final String PATH = "import_path";
    private static final String EXPERIMENT = "import_exp";

    private final SweepFiles files;
    private final List<Link> links = new ArrayList<>();

    /** A document that is being put together, because the one before it imports it. */
    private record Link(SweepFile file, String name) {
        @Override
        public String toString() {
            return file.name() + " (" + name + ")";
        }
    }

    Inheritance(SweepFiles files) {
        this.files = files;
    }

    /** A document of the file that is there, with all that it inherits. */
    Section of(SweepFile file, String name) {
        links.add(new Link(file, name));
        Section own = overDefaults(file, name);
        SweepValue path = own.entries().get(PATH);
        SweepValue experiment = own.entries().get(EXPERIMENT);
        return path == null && experiment == null ? own : archived(own.over(parent(file, path, experiment)));
    }

    private static Section overDefaults(SweepFile file, String name) {
        Section document = Objects.requireNonNull(file.document(name), "looked for before");
        Section defaults = file.document(SweepFile.DEFAULT);
        return defaults == null || name.equals(SweepFile.DEFAULT) ? document : document.over(defaults);
    }

    private Section parent(SweepFile file, @Nullable SweepValue path, @Nullable SweepValue experiment) {
        SweepFile from = path == null ? file : files.imported(file, text(PATH, path), path.place());
        String name = experiment == null ? SweepFile.DEFAULT : text(EXPERIMENT, experiment);
        Link parent = new Link(from, SweepFile.isDefault(name) ? SweepFile.DEFAULT : name);
        SourceLine place = experiment != null ? experiment.place() : path != null ? path.place() : file.place();
        check(parent, place);
        return of(from, parent.name);
    }

    private void check(Link parent, SourceLine place) {
        if (parent.file.document(parent.name) == null) {
            String what = parent.name.equals(SweepFile.DEFAULT)
                    ? " has no DEFAULT to import; name an experiment by import_exp"
                    : " has no experiment " + Quoted.of(parent.name)
                            + ClosestWord.question(parent.name, parent.file.experiments()) + " it has "
                            + ExperimentSelection.listed(parent.file.experiments());
            throw new SweepRefusal(place, EXPERIMENT + ": " + parent.file.name() + what);
        }
        int begin = links.indexOf(parent);
        if (begin >= 0) {
            List<String> cycle = new ArrayList<>();
            links.subList(begin, links.size()).forEach(link -> cycle.add(link.toString()));
            cycle.add(parent.toString());
            throw new SweepRefusal(place, "these import each other: " + String.join(" imports ", cycle));
        }
        if (links.size() > MAX_IMPORTS) {
            throw new SweepRefusal(
                    place,
                    "imports are more than " + MAX_IMPORTS + " deep: " + links.getFirst() + " to " + links.getLast());
        }
    }

    private static String text(String key, SweepValue value) {
        if (value instanceof Scalar scalar && scalar.value() instanceof String text && !text.isEmpty()) {
            return text;
        }
        throw new SweepRefusal(
                value.place(), key + ": " + Quoted.of(value) + " is not a text; write a name, or leave the key out");
    }

    /** What was imported is kept under the names that CW2 gives it then. */
    private static Section archived(Section whole) {
        Map<String, SweepValue> entries = new LinkedHashMap<>(whole.entries());
        for (String key : List.of(PATH, EXPERIMENT)) {
            SweepValue value = entries.remove(key);
            if (value != null) {
                entries.put("_" + key + "_archive", value);
            }
        }
        return new Section(whole.place(), entries);
    }
}
