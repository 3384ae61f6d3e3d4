package dev.berth.cli.output.text;

import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.DeletedProject;
import dev.berth.core.api.ProjectNotes;
import dev.berth.core.api.ProjectView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Projects for people. */
public final class ProjectText {
    private static final String COMPLETED = "COMPLETED";

    /** Those of jobs that have not ended. */
    private static final Set<String> OPEN = Set.of("QUEUED", "HELD", "STARTING", "RUNNING", "STOPPING");

    private ProjectText() {}

    public static Table table(List<ProjectView> projects) {
        Table table = new Table("PROJECT", "JOBS", "OPEN", "FAILED", "LAST (UTC)", "NOTES");
        for (ProjectView project : projects) {
            String last = project.lastSubmittedAt();
            long open = jobs(project, true);
            table.row(
                    project.project(),
                    Long.toString(project.jobs()),
                    Long.toString(open),
                    Long.toString(jobs(project, false)),
                    last == null ? JobText.NOTHING : Times.minute(last),
                    project.notes() == null ? "" : project.notes().replace('\t', ' '));
        }
        return table;
    }

    /** Those that run or wait, or those that ended otherwise than COMPLETED. */
    private static long jobs(ProjectView project, boolean open) {
        long jobs = 0;
        for (Map.Entry<String, Long> state : project.states().entrySet()) {
            boolean isCounted = open
                    ? OPEN.contains(state.getKey())
                    : !OPEN.contains(state.getKey()) && !state.getKey().equals(COMPLETED);
            jobs += isCounted ? state.getValue() : 0;
        }
        return jobs;
    }

    public static String renamed(String before, ProjectView project) {
        return PlainText.of(
                "project '" + before + "' is '" + project.project() + "' now, which has " + jobs(project.jobs()));
    }

    private static String jobs(long count) {
        return count == 1 ? "1 job" : count + " jobs";
    }

    /** What was deleted, and what could not be. */
    public static List<String> deleted(DeletedProject deleted) {
        String name = "project '" + deleted.project() + "'";
        if (deleted.complete()) {
            return List.of(PlainText.of(name + " is deleted, with " + jobs(deleted.deleted())));
        }
        List<String> lines = new ArrayList<>();
        lines.add(PlainText.of(name + " is not wholly deleted: " + jobs(deleted.deleted())
                + (deleted.deleted() == 1 ? " of it is gone" : " of it are gone") + ", and these are kept:"));
        for (DeletedJob job : deleted.remaining()) {
            lines.add(PlainText.of("  job " + job.id() + ": " + String.join("; ", job.remains())));
        }
        return lines;
    }

    /** The notes line by line. */
    public static List<String> notes(ProjectNotes notes) {
        return notes.notes()
                .lines()
                .map(line -> PlainText.of(line.replace("\t", "    ")))
                .toList();
    }

    public static String noted(ProjectNotes notes) {
        String name = "project '" + notes.project() + "' has ";
        return PlainText.of(
                notes.notes().isEmpty()
                        ? name + "no notes; berth projects notes NAME TEXT writes some"
                        : name + "new notes");
    }
}
