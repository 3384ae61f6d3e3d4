package dev.berth.server.http.route;

import dev.berth.core.machine.Machine;
import dev.berth.server.bounds.MemoryBudget;
import dev.berth.server.code.SnapshotArchive;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.Workspaces;
import dev.berth.server.config.AnonymousAccess;
import dev.berth.server.config.Keys;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.access.Links;
import dev.berth.server.http.access.Logins;
import dev.berth.server.http.access.Roles;
import dev.berth.server.http.access.SessionCookie;
import dev.berth.server.http.access.TokenLookup;
import dev.berth.server.http.access.WrongTokens;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.exchange.Router.Route;
import dev.berth.server.http.submit.DryRun;
import dev.berth.server.http.submit.Options;
import dev.berth.server.http.submit.ProfileChoice;
import dev.berth.server.http.submit.Submission;
import dev.berth.server.http.submit.SubmitParts;
import dev.berth.server.http.submit.TargetRequests;
import dev.berth.server.http.submit.Volumes;
import dev.berth.server.http.view.JobViews;
import dev.berth.server.http.view.ProgressViews;
import dev.berth.server.http.view.ServerFacts;
import dev.berth.server.http.view.UsageViews;
import dev.berth.server.linux.Users;
import dev.berth.server.log.LogStore;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.metrics.Metrics;
import dev.berth.server.notify.Notifications;
import dev.berth.server.page.PageFiles;
import dev.berth.server.project.ProjectDeletion;
import dev.berth.server.project.ProjectRename;
import dev.berth.server.retention.JobDeletion;
import dev.berth.server.runner.EngineHealth;
import dev.berth.server.runner.StartForecasts;
import dev.berth.server.runner.docker.image.Images;
import dev.berth.server.runner.host.HostRunner;
import dev.berth.server.runner.target.HandoverLinks;
import dev.berth.server.runner.target.TargetDirectory;
import dev.berth.server.runner.target.TargetStandings;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.database.Backups;
import dev.berth.server.time.Clocks;
import dev.berth.server.track.Tracking;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.usage.Usage;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;

/** The parts that the API is built on. */
public record ApiParts(
        String serverId,
        ServerFacts facts,
        Scheduling scheduling,
        JobQueries queries,
        Images images,
        HostRunner hosts,
        TargetDirectory targets,
        HandoverLinks links,
        EngineHealth engine,
        StartForecasts forecasts,
        TargetStandings standings,
        Workspaces workspaces,
        SnapshotStore snapshots,
        LogStore logs,
        SubmitParts submits,
        Backups backups,
        Usage usage,
        Tracking tracking,
        Notifications notices,
        BackgroundWork background,
        Clocks clock,
        Stop stop) {

    /** What the first screen shows, who looks, and the metrics. */
    static final Set<Route> READABLE = Set.of(
            new Route("GET", "/api/v1/session"),
            new Route("GET", "/api/v1/server"),
            new Route("GET", "/api/v1/overview"),
            new Route("GET", "/api/v1/gpus"),
            new Route("GET", "/api/v1/gpus/{gpu}/history"),
            new Route("GET", "/api/v1/jobs"),
            new Route("GET", "/api/v1/jobs/{id}"),
            new Route("GET", "/api/v1/jobs/{id}/explanation"),
            new Route("GET", "/api/v1/jobs/{id}/events"),
            new Route("GET", "/api/v1/events"),
            new Route("GET", "/metrics"));

    /** Ends the server; returns at once. */
    @FunctionalInterface
    public interface Stop {
        /**
         * Begins the end.
         *
         * @param afterJobs whether to wait until no job runs any more
         */
        void stop(boolean afterJobs);
    }

    /** The same with other targets. */
    public ApiParts with(TargetDirectory others) {
        return new ApiParts(
                serverId,
                facts,
                scheduling,
                queries,
                images,
                hosts,
                others,
                links,
                engine,
                forecasts,
                standings,
                workspaces,
                snapshots,
                logs,
                submits,
                backups,
                usage,
                tracking,
                notices,
                background,
                clock,
                stop);
    }

    /** The state as last committed, but with the date of now: a date that is set does not turn the loop. */
    private Machine machine() {
        return scheduling.machine().withDateAhead(clock.ahead(clock.instant()));
    }

    /**
     * The ways into the page.
     *
     * @param isTls whether TCP is TLS
     * @param wrongTokenDelay how long the answer to a wrong token waits where there were too many of an address
     */
    public Logins logins(Roles roles, boolean isTls, Duration wrongTokenDelay) {
        return new Logins(
                new TokenLookup(queries, roles.users(), roles, clock.dates()),
                new WrongTokens(clock.steady(), wrongTokenDelay),
                new Links(clock.steady()),
                submits.settings().get(Keys.PAGE) ? SessionCookie.of(serverId, isTls) : null);
    }

    private Metrics metrics(Router router) {
        return new Metrics(new Metrics.Sources(
                facts.version(),
                facts.dataDirectory(),
                scheduling,
                queries,
                engine,
                usage.board(),
                tracking,
                background,
                router.requests(),
                clock));
    }

    /**
     * All routes, and the page.
     *
     * @throws IOException where the page's files cannot be read
     */
    public Router router(int streamsPerUser, Logins logins) throws IOException {
        Users users = logins.tokens().users();
        Access access = new Access(queries, facts.uid());
        InstantSource dates = clock.dates();
        UsageViews usages = new UsageViews(usage, queries, clock);
        ProgressViews progress = new ProgressViews(tracking, dates);
        JobViews views = new JobViews(
                this::machine,
                queries,
                images,
                engine,
                forecasts,
                standings,
                workspaces,
                snapshots,
                logs,
                usages,
                progress,
                dates);
        MemoryBudget memory = MemoryBudget.ofHeap();
        Router router = new Router(streamsPerUser);
        ServerResource server = new ServerResource(this, views, access);
        server.addTo(router);
        new HealthResource(this).addTo(router);
        new MetricsResource(metrics(router)).addTo(router);
        new GpusResource(this, views, usages, access).addTo(router);
        new DatabaseResource(backups, access, dates).addTo(router);
        new SnapshotsResource(snapshots, access, memory).addTo(router);
        Options options = new Options(submits.settings(), submits.machine(), new Volumes(submits.mounts()));
        Submission submission = new Submission(
                snapshots, queries, submits.settings(), options, notices.rules(), new TargetRequests(targets));
        DryRun dryRun = new DryRun(submits, scheduling::machine, queries, dates);
        new JobsResource(scheduling, views, submission, dryRun, access, users, memory).addTo(router);
        new ProfilesResource(new ProfileChoice(submits.profiles(), users)).addTo(router);
        new HandoversResource(links, queries, new SnapshotArchive(snapshots)).addTo(router);
        new TargetsResource(targets, scheduling::machine, queries, access, dates).addTo(router);
        new PipelinesResource(scheduling, views, submission, submits, users, access, memory).addTo(router);
        new LeaseResource(scheduling, hosts, views, access).addTo(router);
        ListFilters filters = new ListFilters(users, queries, dates);
        ToldColumns told = new ToldColumns(tracking);
        JobLists lists = new JobLists(queries, views, filters, told, memory);
        lists.addTo(router);
        new OverviewResource(scheduling, server, usages, lists).addTo(router);
        JobDeletion deletion = new JobDeletion(scheduling, workspaces, logs, tracking);
        new JobFilesResource(workspaces, snapshots, deletion, targets, access).addTo(router);
        new ProjectsResource(
                        queries,
                        tracking,
                        new ProjectRename(scheduling, queries),
                        new ProjectDeletion(deletion, queries, clock.steady()),
                        access,
                        users,
                        memory)
                .addTo(router);
        new TrackingResource(tracking, access, memory).addTo(router);
        new TrackedLists(tracking, queries, views, filters, told, memory).addTo(router);
        new EventsResource(queries, scheduling.changes(), access).addTo(router);
        new LogsResource(queries, logs, scheduling.changes(), access).addTo(router);
        new LogSearchResource(logs, access).addTo(router);
        new ReceiversResource(scheduling, queries, access, notices, dates).addTo(router);
        new TokensResource(scheduling, queries, users, dates).addTo(router);
        SessionCookie cookie = logins.cookie();
        if (cookie != null) {
            new SessionResource(this, logins, cookie, access).addTo(router);
            PageFiles.read().ifPresent(files -> new PageResource(files).addTo(router));
        }
        if (submits.settings().get(Keys.ANONYMOUS) == AnonymousAccess.READ) {
            router.openToReaders(READABLE);
        }
        return router;
    }
}
