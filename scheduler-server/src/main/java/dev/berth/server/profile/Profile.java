package dev.berth.server.profile;

import dev.berth.core.api.OptionValues;
import java.util.List;

/**
 * A profile: options of a job under a name.
 *
 * @param name its {@code display_name}
 * @param preselected whether QHub's form would begin with it; nobody gets it without naming it
 * @param values the options, by the fields of {@link dev.berth.core.option.JobOption} and of the types of a request
 * @param unused what the file says of it that means nothing on one machine, by its names there
 */
public record Profile(
        String name,
        String description,
        boolean preselected,
        Audience audience,
        OptionValues values,
        List<String> unused) {
    public Profile {
        unused = List.copyOf(unused);
    }
}
