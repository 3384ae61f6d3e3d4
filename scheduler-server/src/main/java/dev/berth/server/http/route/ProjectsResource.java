package dev.berth.server.http.route;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.core.api.DeletedProject;
import dev.berth.core.api.NotesRequest;
import dev.berth.core.api.ProjectList;
import dev.berth.core.api.ProjectNotes;
import dev.berth.core.api.ProjectRequest;
import dev.berth.core.api.ProjectView;
import dev.berth.core.api.RenameRequest;
import dev.berth.core.job.Submitter;
import dev.berth.core.text.Utf8;
import dev.berth.server.bounds.MemoryBudget;
import dev.berth.server.bounds.MemoryBudget.Share;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.submit.Labels;
import dev.berth.server.http.view.ProjectViews;
import dev.berth.server.linux.Users;
import dev.berth.server.project.ProjectDeletion;
import dev.berth.server.project.ProjectDeletion.Deleted;
import dev.berth.server.project.ProjectRename;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.ProjectJobs;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.store.track.TrackQueries.StoredNotes;
import dev.berth.server.track.Tracking;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * {@code /projects}: list, rename, delete, notes. A project is what the jobs of one user are in that have its name; two users'
 * projects of one name are two. Names are in queries and bodies, as no path could have all of them.
 */
record ProjectsResource(
        JobQueries queries,
        Tracking tracking,
        ProjectRename rename,
        ProjectDeletion deletion,
        Access access,
        Users users,
        MemoryBudget memory) {
    private static final int DEFAULT_LIMIT = 1_000;
    private static final int MAX_LIMIT = 1_000;
    private static final int MAX_NOTES_BYTES = 1 << 16;

    /** The order of SQLite, whose pages go on behind a name: that of the bytes of UTF-8, which Java's own is not. */
    private static final Comparator<String> IN_ORDER =
            (one, other) -> Arrays.compareUnsigned(one.getBytes(UTF_8), other.getBytes(UTF_8));

    void addTo(Router router) {
        router.add("GET", "/api/v1/projects", (exchange, caller, _) -> list(exchange, caller));
        router.add("POST", "/api/v1/projects/rename", (exchange, caller, _) -> rename(exchange, caller));
        router.add("POST", "/api/v1/projects/delete", (exchange, caller, _) -> delete(exchange, caller));
        router.add("GET", "/api/v1/projects/notes", (exchange, caller, _) -> notes(exchange, caller));
        router.add("POST", "/api/v1/projects/notes", (exchange, caller, _) -> note(exchange, caller));
    }

    private void list(Exchange exchange, Caller caller) throws IOException {
        int limit = (int) Parameters.number(exchange, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
        String after = exchange.query("cursor").orElse("");
        String user = exchange.query("user").orElse(null);
        if (user != null && !user.equals(caller.name()) && !caller.seesAll()) {
            // As of jobs: of a user whose jobs the caller does not see there are none.
            Json.answer(exchange, 200, new ProjectList(List.of(), null));
            return;
        }
        Submitter owner = user == null || user.equals(caller.name()) ? caller.user() : found(user);
        Map<String, ProjectJobs> jobs = new HashMap<>();
        queries.projects(owner.uid(), after, limit + 1).forEach(project -> jobs.put(project.project(), project));
        Map<String, StoredNotes> notes =
                Access.mayRead(caller, owner.uid()) ? beginnings(owner.uid(), after) : Map.of();
        TreeMap<String, ProjectView> all = new TreeMap<>(IN_ORDER);
        jobs.forEach((name, project) -> all.put(name, view(name, owner, project, notes.get(name))));
        notes.forEach((name, noted) -> all.putIfAbsent(name, view(name, owner, null, noted)));
        List<ProjectView> page = all.values().stream().limit(limit).toList();
        Json.answer(
                exchange,
                200,
                new ProjectList(page, all.size() > limit ? page.getLast().project() : null));
    }

    private static ProjectView view(
            String name, Submitter owner, @Nullable ProjectJobs jobs, @Nullable StoredNotes noted) {
        return ProjectViews.of(name, owner.name(), jobs, noted == null ? null : noted.notes());
    }

    /** The list does without what cannot be read of the database that jobs do not need. */
    private Map<String, StoredNotes> beginnings(long uid, String after) {
        Map<String, StoredNotes> notes = new HashMap<>();
        try {
            tracking.notes()
                    .ifPresent(known -> known.notes(uid, after, ProjectViews.SHOWN_NOTES)
                            .forEach(noted -> notes.put(noted.project(), noted)));
        } catch (StoreException e) {
            return Map.of();
        }
        return notes;
    }

    /** Also one who is gone from the user database, and whose jobs are still here. */
    private Submitter found(String user) {
        return users.find(user)
                .or(() -> queries.owner(user))
                .orElseThrow(() ->
                        ApiException.field("user", PrintableText.of(user), "is not in this machine's user database"));
    }

    /** The owner of a project of whom what they wrote is wanted. */
    private Submitter owner(Caller caller, @Nullable String user, @Nullable String project) {
        if (user == null || user.equals(caller.name())) {
            return caller.user();
        }
        if (caller.isAdministrator()) {
            return found(user);
        }
        if (caller.seesAll()) {
            throw ApiException.of(
                    403,
                    "NOT_YOURS",
                    "the projects of " + PrintableText.of(user)
                            + " are theirs; you may see that they are there, no more");
        }
        throw noSuch(project == null ? "" : project);
    }

    private static ApiException noSuch(String project) {
        return ApiException.of(
                404,
                "PROJECT_NOT_FOUND",
                "there is no project '" + PrintableText.of(project)
                        + "' that you may see; berth projects lists yours, which are made by berth submit --project NAME");
    }

    private static String named(@Nullable String project) {
        if (project == null || project.isEmpty()) {
            throw ApiException.field("project", "", "must be the name of a project");
        }
        return project;
    }

    /** A project that is there: it has jobs, or notes. */
    private record Known(
            Submitter owner,
            String name,
            @Nullable ProjectJobs jobs,
            @Nullable StoredNotes notes) {}

    private Optional<Known> find(Submitter owner, String name) {
        ProjectJobs jobs = queries.project(owner.uid(), name).orElse(null);
        StoredNotes notes = tracking.notes()
                .flatMap(known -> known.notes(owner.uid(), name))
                .orElse(null);
        return jobs == null && notes == null ? Optional.empty() : Optional.of(new Known(owner, name, jobs, notes));
    }

    private Known known(Caller caller, @Nullable String user, @Nullable String project) {
        String name = named(project);
        return find(owner(caller, user, name), name).orElseThrow(() -> noSuch(name));
    }

    private void notes(Exchange exchange, Caller caller) throws IOException {
        Known project = known(
                caller,
                exchange.query("user").orElse(null),
                exchange.query("project").orElse(null));
        Json.answer(exchange, 200, view(project));
    }

    private static ProjectNotes view(Known project) {
        StoredNotes notes = project.notes();
        return new ProjectNotes(
                project.name(),
                project.owner().name(),
                notes == null ? "" : notes.notes(),
                notes == null ? null : ProjectViews.time(notes.millis()));
    }

    private void note(Exchange exchange, Caller caller) throws IOException {
        access.requireSubmitter(caller);
        NotesRequest request;
        try (Share share = memory.share(caller.uid())) {
            request = Json.parse(Json.body(exchange.body(), share), NotesRequest.class);
        }
        String notes = request.notes();
        if (notes == null) {
            throw ApiException.field("notes", "", "must be there; an empty text removes the notes");
        }
        Known project = known(caller, request.user(), request.project());
        if (Utf8.length(notes) > MAX_NOTES_BYTES) {
            throw ApiException.of(
                    400,
                    "BAD_REQUEST",
                    "notes: " + Utf8.length(notes) + " bytes are more than the " + MAX_NOTES_BYTES
                            + " that a project may have; keep a file beside the code, and note where it is");
        }
        if (!tracking.note(project.owner().uid(), project.name(), notes)) {
            throw ApiException.of(
                    409,
                    "TOO_MANY_NOTES",
                    "you have notes of " + Tracking.MAX_NOTED_PROJECTS
                            + " projects, which is as many as one may; delete some: berth projects delete NAME");
        }
        Json.answer(
                exchange,
                200,
                view(find(project.owner(), project.name())
                        .orElse(new Known(project.owner(), project.name(), null, null))));
    }

    private void rename(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        access.requireSubmitter(caller);
        RenameRequest request = Json.read(exchange.body(), RenameRequest.class);
        String to = Labels.checked("name", request.name(), "");
        Known project = known(caller, request.user(), request.project());
        if (to.equals(project.name())) {
            throw ApiException.field("name", PrintableText.of(to), "is the name that it has; give another one");
        }
        Known other = find(project.owner(), to).orElse(null);
        if (other != null) {
            requireMerge(request, other);
            requireRoom(project, other);
        }
        try {
            rename.rename(project.owner().uid(), project.name(), to);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw ApiException.stopping("not all of it is renamed: " + cause.getMessage());
        }
        tracking.moveNotes(project.owner().uid(), project.name(), to);
        Known now = find(project.owner(), to).orElse(new Known(project.owner(), to, null, null));
        Json.answer(exchange, 200, view(to, now.owner(), now.jobs(), now.notes()));
    }

    private static void requireMerge(RenameRequest request, Known other) {
        if (!request.merge()) {
            long jobs = other.jobs() == null ? 0 : other.jobs().jobs();
            throw ApiException.of(
                    409,
                    "PROJECT_EXISTS",
                    "name: there is a project '" + PrintableText.of(other.name()) + "' already, with " + jobs
                            + (jobs == 1 ? " job" : " jobs")
                            + "; --merge puts the two together, and goes on with a rename that broke off");
        }
    }

    private static void requireRoom(Known project, Known other) {
        if (project.notes() != null
                && other.notes() != null
                && Utf8.length(project.notes().notes())
                                + 2
                                + Utf8.length(other.notes().notes())
                        > MAX_NOTES_BYTES) {
            throw ApiException.of(
                    409,
                    "NOTES_TOO_LONG",
                    "the notes of both projects have more than " + MAX_NOTES_BYTES
                            + " bytes together; shorten some first: berth projects notes NAME");
        }
    }

    private void delete(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        access.requireSubmitter(caller);
        ProjectRequest request = Json.read(exchange.body(), ProjectRequest.class);
        Known project = known(caller, request.user(), request.project());
        requireEnded(project);
        Deleted step = deletion.step(project.owner().uid(), project.name());
        boolean isEmpty = !step.more()
                && queries.project(project.owner().uid(), project.name()).isEmpty();
        if (isEmpty) {
            tracking.note(project.owner().uid(), project.name(), "");
        }
        Json.answer(
                exchange,
                200,
                new DeletedProject(project.name(), project.owner().name(), step.deleted(), isEmpty, step.remaining()));
    }

    private static void requireEnded(Known project) {
        long open = project.jobs() == null ? 0 : project.jobs().open();
        if (open > 0) {
            throw ApiException.of(
                    409,
                    "PROJECT_BUSY",
                    "project '" + PrintableText.of(project.name()) + "' has " + open
                            + (open == 1 ? " job that runs or waits" : " jobs that run or wait")
                            + "; only a project whose jobs have all ended can be deleted, so cancel them first:"
                            + " berth cancel --project NAME");
        }
    }
}
