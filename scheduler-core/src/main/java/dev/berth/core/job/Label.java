package dev.berth.core.job;

import java.util.List;

/**
 * What people call a job, and find it again by.
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
