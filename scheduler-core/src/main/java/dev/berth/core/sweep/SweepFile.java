package dev.berth.core.sweep;

import dev.berth.core.command.ClosestWord;
import dev.berth.core.sweep.SweepValue.Scalar;
import dev.berth.core.sweep.SweepValue.Section;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sweep file by its documents: the experiments, what is the default of each, and blocks that are for Slurm. */
public final class SweepFile {
    static final String DEFAULT = "DEFAULT";

    private static final String NAME = "name";
    private static final String SLURM = "slurm";

    private final SourceLine place;
    private final Map<String, Section> documents = new LinkedHashMap<>();
    private final List<String> slurm = new ArrayList<>();

    private SweepFile(String name) {
        this.place = new SourceLine(name, 1);
    }

    /**
     * The file of documents as they were read.
     *
     * @param name of the file, as people know it
     * @throws SweepRefusal where one has no name of its own
     */
    public static SweepFile of(String name, List<SweepValue> documents) {
        SweepFile file = new SweepFile(name);
        for (SweepValue document : documents) {
            if (!(document instanceof Scalar scalar) || scalar.value() != null) {
                file.add(document);
            }
        }
        return file;
    }

    private void add(SweepValue document) {
        if (!(document instanceof Section section)) {
            throw new SweepRefusal(
                    document.place(), "this document is no map; each has a name: and the keys of an experiment");
        }
        String name = name(section);
        String key = isDefault(name) ? DEFAULT : name;
        if (name.toLowerCase(Locale.ROOT).contains(SLURM)) {
            slurm.add(name);
            return;
        }
        Section before = documents.putIfAbsent(key, section);
        if (before != null) {
            throw new SweepRefusal(
                    namePlace(section),
                    "name: " + Quoted.of(name) + " is the name of the document in line "
                            + namePlace(before).line() + " too; give each its own");
        }
    }

    private static SourceLine namePlace(Section document) {
        SweepValue name = document.entries().get(NAME);
        return name == null ? document.place() : name.place();
    }

    private static String name(Section document) {
        SweepValue name = document.entries().get(NAME);
        if (name == null) {
            String near = ClosestWord.misspelling(NAME, document.entries().keySet());
            throw new SweepRefusal(
                    document.place(),
                    "this document has no name:" + (near == null ? "" : ", but " + Quoted.of(near))
                            + "; begin it with name: and the experiment's name");
        }
        if (name instanceof Scalar scalar && scalar.value() instanceof String text && !text.isEmpty()) {
            return text;
        }
        throw new SweepRefusal(
                name.place(),
                "name: " + Quoted.of(name) + " is not a text; a name that looks like something else is put in quotes");
    }

    static boolean isDefault(String name) {
        return name.equalsIgnoreCase(DEFAULT);
    }

    SourceLine place() {
        return place;
    }

    /** The file's name, as people know it. */
    public String name() {
        return place.file();
    }

    /** The names of the experiments, in the order of the file. */
    public List<String> experiments() {
        return documents.keySet().stream().filter(name -> !name.equals(DEFAULT)).toList();
    }

    /** The names of the blocks for Slurm. */
    List<String> slurmBlocks() {
        return slurm;
    }

    /** The document of that name, or null; {@link #DEFAULT} for the default in whatever letters it is written. */
    @Nullable
    Section document(String name) {
        return documents.get(name);
    }
}
