package dev.berth.cli.jobfile;

import dev.berth.cli.line.Given;
import dev.berth.cli.line.OptionLayer;
import dev.berth.core.option.JobOption;
import dev.berth.core.sweep.SourceLine;
import dev.berth.core.sweep.SweepRefusal;
import dev.berth.core.sweep.SweepValue;
import dev.berth.core.sweep.SweepValue.Items;
import dev.berth.core.sweep.SweepValue.Scalar;
import dev.berth.core.sweep.SweepValue.Section;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Job in the form of Atlas's {@code job.config.yaml}. A key without a value says nothing, as there; what means nothing
 * here, and what Atlas did not know either, is told and not refused. For one file.
 */
final class AtlasFile {
    private static final String WORKER = "worker";
    private static final String COMMAND = "worker.command";
    private static final String ARGUMENTS = "worker.args";
    private static final String PARAMETERS = "params";

    private final Section section;
    private final Map<JobOption, Given> given = new EnumMap<>(JobOption.class);
    private final List<String> command = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final List<String> ignored = new ArrayList<>();
    private String commandPlace = "";
    private boolean hasParameters;

    AtlasFile(Section section) {
        this.section = section;
    }

    JobFile job() {
        addAll("", section);
        List<String> words = new ArrayList<>(command);
        words.addAll(arguments);
        return new JobFile(
                section.place().file(), new OptionLayer(given), words, commandPlace, null, null, List.of(), remark());
    }

    private String remark() {
        if (ignored.isEmpty()) {
            return "";
        }
        return String.join(", ", ignored) + (ignored.size() == 1 ? " means" : " mean") + " nothing here"
                + (hasParameters ? "; parameters stand behind --, or are variables (-e NAME=VALUE)" : "");
    }

    private void addAll(String above, Section map) {
        map.entries().forEach((name, value) -> {
            String key = above + name;
            boolean isEmpty = value instanceof Scalar scalar && scalar.value() == null;
            if (key.equals(WORKER) && value instanceof Section worker) {
                addAll(WORKER + ".", worker);
            } else if (!isEmpty) {
                add(key, value);
            }
        });
    }

    private void add(String key, SweepValue value) {
        switch (key) {
            case COMMAND, ARGUMENTS -> {
                (key.equals(COMMAND) ? command : arguments).addAll(words(key, value));
                commandPlace = value.place().toString();
            }
            default -> {
                JobOption option = option(key);
                if (option == null) {
                    hasParameters |= key.equals(PARAMETERS);
                    ignored.add(key);
                } else {
                    put(option, key, value);
                }
            }
        }
    }

    private static @Nullable JobOption option(String key) {
        for (JobOption option : JobOption.values()) {
            if (option.elsewhere().atlas().contains(key)) {
                return option;
            }
        }
        return null;
    }

    /** What stands for the worker counts more, as with the container's own entry point in Atlas. */
    private void put(JobOption option, String key, SweepValue value) {
        Given before = given.get(option);
        if (before != null && before.name().startsWith(WORKER)) {
            return;
        }
        List<String> texts = switch (option.kind()) {
            case VARIABLES ->
                value instanceof Section map ? BerthFile.variables(key, map) : BerthFile.items(key, value);
            case VOLUMES -> volumes(key, value);
            default -> List.of(option == JobOption.ENTRYPOINT ? single(key, value) : BerthFile.text(key, value));
        };
        given.put(option, Given.in(value.place().toString(), key, texts));
    }

    /** A value, or a list of one, as Docker's entry point may be. */
    private static String single(String key, SweepValue value) {
        List<String> items = BerthFile.items(key, value);
        if (items.size() != 1) {
            throw new SweepRefusal(value.place(), key + " has " + items.size() + " words, and is one program here");
        }
        return items.getFirst();
    }

    private static List<String> words(String key, SweepValue value) {
        if (value instanceof Items) {
            return BerthFile.items(key, value);
        }
        try {
            return WordSplit.command(BerthFile.text(key, value));
        } catch (IllegalArgumentException e) {
            throw new SweepRefusal(value.place(), key + " " + e.getMessage());
        }
    }

    /** Each as SOURCE:TARGET[:ro]. */
    private static List<String> volumes(String key, SweepValue value) {
        if (!(value instanceof Section map)) {
            throw new SweepRefusal(value.place(), key + " is a map, as in /data: {bind: /data, mode: ro}");
        }
        List<String> volumes = new ArrayList<>();
        map.entries().forEach((source, target) -> volumes.add(source + ":" + target(key, target)));
        return volumes;
    }

    private static String target(String key, SweepValue value) {
        if (!(value instanceof Section entry) || !entry.entries().containsKey("bind")) {
            throw new SweepRefusal(
                    value.place(), key + " names no target; write {bind: /data, mode: ro} behind the source");
        }
        String mode = "";
        String bind = "";
        for (Map.Entry<String, SweepValue> each : entry.entries().entrySet()) {
            SourceLine place = each.getValue().place();
            switch (each.getKey()) {
                case "bind" -> bind = BerthFile.text("bind", each.getValue());
                case "mode" -> mode = BerthFile.text("mode", each.getValue());
                default -> throw new SweepRefusal(place, "a volume has bind and mode, and no '" + each.getKey() + "'");
            }
        }
        return mode.isEmpty() ? bind : bind + ":" + mode;
    }
}
