package dev.berth.server.http.view;

import dev.berth.core.api.ProjectView;
import dev.berth.server.store.ProjectJobs;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Projects as the API shows them. */
public final class ProjectViews {
    /** The characters of notes that a list shows of a project. */
    public static final int SHOWN_NOTES = 200;

    private ProjectViews() {}

    /**
     * A project.
     *
     * @param jobs those in it; null for none
     * @param notes their beginning; null for none
     */
    public static ProjectView of(String project, String user, @Nullable ProjectJobs jobs, @Nullable String notes) {
        SortedMap<String, Long> states = new TreeMap<>();
        if (jobs != null) {
            jobs.states().forEach((state, count) -> states.put(state.name(), count));
        }
        return new ProjectView(
                project,
                user,
                jobs == null ? 0 : jobs.jobs(),
                states,
                jobs == null ? null : JobViews.text(jobs.last()),
                notes == null ? null : firstLine(notes));
    }

    private static String firstLine(String notes) {
        return notes.lines()
                .filter(line -> !line.isBlank())
                .findFirst()
                .orElse("")
                .strip();
    }

    public static String time(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
