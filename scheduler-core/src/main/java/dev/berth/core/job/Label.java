package dev.berth.core.job;

import java.util.List;

/**
 * The words by which people name a job and find it again.
 *
 * @param name not unique
 * @param project what it belongs to
 * @param tags further words of the submitter's
 */
public record Label(String name, String project, List<String> tags) {
    public Label {
        tags = List.copyOf(tags);
    }

    long bytes() {
        return Utf8.length(name) + Utf8.length(project) + Utf8.length(tags);
    }
}
