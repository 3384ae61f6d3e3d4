package dev.berth.cli.command.submit;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.command.Session;
import dev.berth.cli.command.submit.JobFiles.Said;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.output.Output;
import dev.berth.cli.snapshot.DirectoryLimits;
import dev.berth.cli.snapshot.DirectoryScan;
import dev.berth.cli.snapshot.SnapshotPlan;
import dev.berth.core.api.ServerView;
import dev.berth.core.api.SubmitPlan;
import dev.berth.core.option.JobOption;
import dev.berth.core.option.SweepTasks;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.parameter.SweepOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Request for a job, checked as far as the command can, before anything is sent.
 *
 * @param request without its snapshot
 * @param variables those for its program
 * @param plan of the directory to send; null where nothing is sent
 */
record JobRequest(
        Said said,
        Map<String, Object> request,
        JobVariables variables,
        @Nullable SnapshotPlan plan) {
    /** The server's word for a value that was in the request. */
    private static final String REQUEST = "request";

    private static final String SNAPSHOT = "snapshot";

    private static final String TARGET = "target";

    /** The parameters of a sweep file's runs. */
    static final String PARAMETERS = "parameters";

    /**
     * The requests for the jobs of a line, in their order; a directory that several have is read once.
     *
     * @param isSent whether their directories are sent
     */
    static List<JobRequest> of(List<Said> jobs, boolean isSent, Session session, BerthClient client)
            throws IOException {
        List<String> names = jobs.stream().map(Said::name).toList();
        Map<Path, SnapshotPlan> plans = new HashMap<>();
        Set<String> told = new HashSet<>();
        List<JobRequest> requests = new ArrayList<>();
        for (Said said : jobs) {
            JobVariables variables =
                    JobVariables.of(said.options(), session.environment().variables());
            Map<String, Object> request = JobWords.request(
                    said.options(),
                    said.words().command(),
                    variables,
                    session.environment().time().instant());
            said.ignored().stream().filter(told::add).forEach(session.output()::warning);
            DependencyWords.resolve(request, said.options(), new Earlier(names, requests.size()), session, client);
            Path directory = said.words().directory();
            SnapshotPlan plan = isSent ? plans.get(directory) : null;
            if (isSent && plan == null) {
                plan = scan(directory, client);
                plans.put(directory, plan);
            }
            CommandWords.check(said, request, plan, session);
            if (!said.words().target().equals(SubmitWords.TARGET)) {
                request.put(TARGET, said.words().target());
            }
            nameProject(request, plan == null ? directory.toRealPath() : plan.root());
            if (!said.name().isEmpty()) {
                request.putIfAbsent(JobOption.NAME.field(), said.name());
            }
            requests.add(new JobRequest(said, request, variables, plan));
        }
        return requests;
    }

    /**
     * The jobs of a file that a job may wait for: those above it.
     *
     * @param names of all, in their order; empty for a single job
     * @param place of the job that waits, from 0
     */
    record Earlier(List<String> names, int place) {
        private static final String NUMBER = "#";

        /** The way in which the API names that job; null where the file has none of that name. */
        @Nullable
        String of(String name, String typed) {
            int at = name.isEmpty() ? -1 : names.indexOf(name);
            if (at >= place) {
                throw Failure.usage(typed
                        + (at == place
                                ? " is the job itself; a job waits for those above it"
                                : " stands below it; a job waits for those above it"));
            }
            return at < 0 ? null : NUMBER + (at + 1);
        }

        /** Whether a dependency is on a job of the file. */
        static boolean isNamedIn(String dependency) {
            return dependency.contains(":" + NUMBER);
        }
    }

    /** The request with the snapshot that the directory became. */
    Map<String, Object> with(String snapshot) {
        request.put(SNAPSHOT, snapshot);
        return request;
    }

    /** By the usual limits; what they refuse may be less than what this server lets in. */
    private static SnapshotPlan scan(Path directory, BerthClient client) {
        try {
            return DirectoryScan.of(directory, DirectoryLimits.DEFAULT);
        } catch (Failure refused) {
            return DirectoryScan.of(directory, wider(client, refused));
        }
    }

    private static DirectoryLimits wider(BerthClient client, Failure refused) {
        try {
            ServerView server = client.server();
            DirectoryLimits limits = new DirectoryLimits(server.snapshotMaxFiles(), server.snapshotMaxBytes());
            if (limits.isWiderThan(DirectoryLimits.DEFAULT)) {
                return limits;
            }
        } catch (IOException unreachable) {
            refused.addSuppressed(unreachable);
        }
        throw refused;
    }

    /** Shows the server's plan of it. */
    void show(SubmitPlan known, Output output) {
        output.planned(planned(known), this::origin);
        SweepTasks tasks = sweepTasks();
        if (tasks != null) {
            output.plannedTasks(tasks);
        }
    }

    /** The server's plan, with the directory as it would be sent: it was not, so the server does not know of it. */
    private SubmitPlan planned(SubmitPlan known) {
        if (plan == null) {
            return known;
        }
        List<SubmitPlan.Setting> settings = new ArrayList<>();
        for (SubmitPlan.Setting setting : known.settings()) {
            settings.add(
                    setting.name().equals(SNAPSHOT)
                            ? new SubmitPlan.Setting(
                                    SNAPSHOT,
                                    (plan.files() == 1 ? "1 file (" : plan.files() + " files (")
                                            + DirectoryLimits.inWords(plan.bytes()) + ") of " + plan.root()
                                            + ", which a dry run does not send",
                                    REQUEST)
                            : setting);
        }
        return new SubmitPlan(settings, known.sentence());
    }

    /** Of variables each has a row of its own, whose value is its name. */
    private String origin(SubmitPlan.Setting setting) {
        String variable = setting.name().equals(JobOption.ENVIRONMENT.field())
                ? variables.origins().get(setting.value())
                : null;
        return variable == null ? said.origin(setting.name()) : variable;
    }

    /** The tasks of a sweep with their parameters, once the server would accept it; null for other jobs. */
    private @Nullable SweepTasks sweepTasks() {
        Parameters parameters = request.get(PARAMETERS) instanceof Parameters ofFile ? ofFile : ofOptions();
        return parameters == null ? null : SweepTasks.of(parameters, (String) request.get(JobOption.ARRAY.field()));
    }

    private @Nullable Parameters ofOptions() {
        if (said.options().sweep().isEmpty()) {
            return null;
        }
        Long sample = (Long) request.get(JobOption.SAMPLE.field());
        return SweepOptions.of(
                said.options().texts(JobOption.SWEEP),
                said.options().texts(JobOption.ZIP),
                sample == null ? null : Math.toIntExact(sample),
                (Long) request.get(JobOption.SEED.field()));
    }

    /** The directory's name is that of the project where none is given. */
    private static void nameProject(Map<String, Object> request, Path root) {
        Path name = root.getFileName();
        if (name != null) {
            request.putIfAbsent(JobOption.PROJECT.field(), name.toString());
        }
    }
}
