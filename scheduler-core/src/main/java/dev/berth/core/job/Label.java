package dev.berth.core.job;

import dev.berth.core.text.Utf8;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The words by which people name a job and find it again.
 *
 * @param name not unique
 * @param project what it belongs to
 * @param tags further words of the submitter's
 * @param profile the one that it was submitted with, null for none
 */
public record Label(
        String name,
        String project,
        List<String> tags,
        @Nullable String profile) {
    public Label {
        tags = List.copyOf(tags);
    }

    /** The label of a job without a profile. */
    public Label(String name, String project, List<String> tags) {
        this(name, project, tags, null);
    }

    /** The label of a job of another project. */
    Label of(String other) {
        return new Label(name, other, tags, profile);
    }

    long bytes() {
        return Utf8.length(name)
                + Utf8.length(project)
                + Utf8.length(tags)
                + (profile == null ? 0 : Utf8.length(profile));
    }
}
