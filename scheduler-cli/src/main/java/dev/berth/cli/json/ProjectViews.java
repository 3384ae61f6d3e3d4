package dev.berth.cli.json;

import dev.berth.core.api.DeletedProject;
import dev.berth.core.api.ProjectList;
import dev.berth.core.api.ProjectNotes;
import dev.berth.core.api.ProjectView;

/** The API's projects out of JSON objects, as {@link Views}. */
public final class ProjectViews {
    private ProjectViews() {}

    public static ProjectList list(JsonObject json) {
        return new ProjectList(json.objects("projects", ProjectViews::project), json.textOrNull("next"));
    }

    public static ProjectView project(JsonObject json) {
        return new ProjectView(
                json.text("project"),
                json.text("user"),
                json.number("jobs"),
                json.object("states").numbers(),
                json.textOrNull("lastSubmittedAt"),
                json.textOrNull("notes"));
    }

    public static ProjectNotes notes(JsonObject json) {
        return new ProjectNotes(
                json.text("project"), json.text("user"), json.text("notes"), json.textOrNull("changedAt"));
    }

    public static DeletedProject deleted(JsonObject json) {
        return new DeletedProject(
                json.text("project"),
                json.text("user"),
                json.number("deleted"),
                json.flag("complete"),
                json.objects("remaining", Views::deleted));
    }
}
