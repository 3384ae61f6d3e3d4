package dev.berth.cli.line;

import dev.berth.core.option.JobOption;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Options of a job from one place: the command line, or a file. */
public record OptionLayer(Map<JobOption, Given> given) {
    public OptionLayer {
        Map<JobOption, Given> ordered = new EnumMap<>(JobOption.class);
        ordered.putAll(given);
        given = Collections.unmodifiableMap(ordered);
    }

    /** The options that a command line says. */
    public static OptionLayer of(Arguments line) {
        Map<JobOption, Given> given = new EnumMap<>(JobOption.class);
        for (JobOption option : JobOption.values()) {
            String usual = option.names().getFirst();
            if (line.has(usual)) {
                String typed = line.typed(option.names());
                List<String> texts = option.kind().isList()
                        ? line.values(usual)
                        : option.kind().hasValue() ? List.of(line.required(usual)) : List.of();
                given.put(option, new Given("", typed, texts, line.behind(typed), null));
            }
        }
        return new OptionLayer(given);
    }

    public @Nullable Given get(JobOption option) {
        return given.get(option);
    }

    /** Whether it says something of a field of the API. */
    public boolean says(String field) {
        return given.keySet().stream().anyMatch(option -> option.field().equals(field));
    }
}
