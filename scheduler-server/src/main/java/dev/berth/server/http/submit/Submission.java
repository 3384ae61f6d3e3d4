package dev.berth.server.http.submit;

import dev.berth.core.api.OptionValues;
import dev.berth.core.api.ServerView.StateCount;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.command.CommandCheck;
import dev.berth.core.command.CommandFault;
import dev.berth.core.command.SentFiles;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Label;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Part;
import dev.berth.core.job.Place;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Program;
import dev.berth.core.job.Resources;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Submitter;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;
import dev.berth.core.option.JobOption;
import dev.berth.core.parameter.ParameterText;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.text.Utf8;
import dev.berth.server.code.SnapshotArchive;
import dev.berth.server.code.SnapshotArchive.Submitted;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.loop.Room;
import dev.berth.server.notify.NotifyRules;
import dev.berth.server.runner.docker.VariableNames;
import dev.berth.server.runner.target.Snapshot;
import dev.berth.server.runner.target.StoredSnapshot;
import dev.berth.server.runner.target.Targets.Target;
import dev.berth.server.store.JobQueries;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes a complete, checked job of a request, or says which field breaks which rule. */
public record Submission(
        SnapshotStore snapshots,
        JobQueries queries,
        Settings settings,
        Options options,
        NotifyRules notices,
        TargetRequests targets) {
    private static final int MAX_WORDS = 4_096;
    private static final int MAX_COMMAND_BYTES = 128 * 1024;
    private static final int MAX_ENTRYPOINT = 4_096;
    private static final int MAX_VARIABLES = 1_024;
    private static final int MAX_VARIABLE_BYTES = 128 * 1024;
    private static final Duration ROOM_AGAIN = Duration.ofMinutes(1);
    private static final Set<String> WAITING = Set.of(StateName.QUEUED.name(), StateName.HELD.name());

    /** A job in its two parts: what the queue goes by, and what runs. */
    public record Wanted(JobSpec spec, Program program) {
        long bytes() {
            return spec.bytes() + program.bytes();
        }
    }

    /**
     * The job once more. A job whose files were swept, or that would not be taken any more, cannot run again.
     *
     * @param owner with the groups of now
     * @param onlyFailed whether of an array those tasks alone run again that have not COMPLETED
     */
    public Wanted repeated(Job job, Caller owner, boolean onlyFailed) {
        String snapshot = job.spec().snapshot();
        if (!snapshot.isEmpty() && !snapshots.holds(owner.uid(), snapshot)) {
            throw ApiException.of(
                    409,
                    "SNAPSHOT_GONE",
                    "the directory of job " + job.number() + " is not kept any more; submit it again");
        }
        requireRootAllowed(owner.user());
        Program program = queries.program(job).orElseThrow(() -> ApiException.noSuchJob(job.number()));
        Wanted again = bounded(new Wanted(onlyFailed ? failed(job) : again(job), program), "sweep");
        options.recheck(job.spec(), owner.user());
        Target target = targets.of(job.spec().target(), owner);
        if (target != null) {
            TargetRequests.requireTaken(job.spec(), program, owner.user(), target, stored(owner, snapshot));
        }
        NotifyOptions.recheck(job.spec(), owner, notices);
        return again;
    }

    /** Of a pack its tasks are repeated, as an array that repeats theirs. */
    private JobSpec again(Job job) {
        return job.isPack() ? again(whole(job), job.packed()) : job.spec().repeating(job);
    }

    private static JobSpec again(Job array, TaskSet some) {
        Tasks tasks = Objects.requireNonNull(array.spec().tasks());
        return array.spec().repeating(array).with(new Tasks(some, tasks.atOnce(), tasks.packing()));
    }

    /** The array that an array is, or that a pack is cut from. */
    private Job whole(Job job) {
        return job.part() instanceof Part.Pack(JobId array, TaskSet _)
                ? queries.find(array).orElseThrow(() -> ApiException.noSuchJob(job.number()))
                : job;
    }

    /** Those tasks of an array or a pack that have not COMPLETED, with what an end of the array kept from their turn. */
    private JobSpec failed(Job job) {
        if (!job.isArray() && !job.isPack()) {
            throw ApiException.field(
                    "failed",
                    "true",
                    "is of arrays, and job " + job.number() + " is none; leave it out, and the job is submitted again");
        }
        Job array = whole(job);
        TaskSet failed;
        try {
            failed = job.waiting()
                    .with(queries.failedTasks(array.id()).stream()
                            .filter(index -> job.isArray() || job.packed().contains(index))
                            .toList());
        } catch (IllegalArgumentException e) {
            throw ApiException.of(
                    409,
                    "TOO_SCATTERED",
                    "the failed tasks of array " + array.number() + " " + e.getMessage()
                            + "; resubmit them in parts, as tasks");
        }
        if (failed.isEmpty()) {
            String of = job.isPack()
                    ? "no task of pack " + job.number() + " has failed"
                    : "all tasks of array " + array.number() + " have COMPLETED";
            throw ApiException.of(409, "NOTHING_FAILED", of + "; there is none to run again");
        }
        return again(array, failed);
    }

    /** The request as it counts where the job goes. */
    public Profiled fitted(Profiled profiled, Caller caller) {
        Target target = profiled.profile() == null
                ? null
                : targets.of(profiled.request().target(), caller);
        return target == null ? profiled : profiled.at(target.engine().abilities());
    }

    /**
     * Checks what this user asks for; only their own snapshots are there for them.
     *
     * @param isRepeated whether it was accepted before: the jobs that it waits for may be gone
     */
    public Wanted check(Profiled profiled, Caller caller, boolean isRepeated) {
        SubmitRequest request = profiled.request();
        HostRequests.check(request);
        Target target = targets.of(request.target(), caller);
        if (target != null) {
            TargetRequests.check(request, target);
        }
        OptionValues asked = request.options();
        if (!request.host()) {
            requireRootAllowed(caller.user());
        }
        String entrypoint = asked.get(JobOption.ENTRYPOINT, String.class);
        List<String> words = command(request.command(), entrypoint);
        List<String> command = request.host() ? words : runnable(words, entrypoint);
        String name = Labels.checked(
                "name", asked.get(JobOption.NAME, String.class), lastPart(named(request.command(), command)));
        String project = Labels.checked("project", asked.get(JobOption.PROJECT, String.class), "default");
        String snapshot = snapshot(request.snapshot(), caller.uid());
        Parameters parameters = SweepRequests.parameters(request);
        if (!request.host()) {
            requireRunnable(asked, words, entrypoint, parameters != null, snapshot, caller.uid());
        }
        SweepRequests.check(command, parameters, MAX_COMMAND_BYTES);
        Resources resources = target == null ? options.resources(request) : options.targetResources(request);
        Tasks tasks = PackOptions.of(asked, SweepRequests.tasks(parameters, asked.get(JobOption.ARRAY, String.class)));
        Prerequisites prerequisites = new PrerequisiteOptions(queries).of(asked, tasks, caller, isRepeated);
        PackOptions.requireTogether(tasks, prerequisites);
        Limits limits = options.limits(asked);
        JobSpec spec = new JobSpec(
                new Label(
                        name,
                        project,
                        Options.tags(asked.texts(JobOption.TAGS)),
                        asked.get(JobOption.PROFILE, String.class)),
                place(profiled, target, snapshot, resources, caller),
                resources,
                limits,
                prerequisites,
                tasks,
                asked.has(JobOption.REQUEUE),
                RetryOptions.of(asked, limits),
                NotifyOptions.of(asked, caller, notices),
                null);
        Program program = new Program(command, environment(asked), parameters);
        Wanted wanted = bounded(new Wanted(spec, program), request.parameters() == null ? "sweep" : "parameters");
        if (target != null) {
            TargetRequests.requireTaken(spec, program, caller.user(), target, stored(caller, snapshot));
        }
        return wanted;
    }

    private Optional<Snapshot> stored(Caller owner, String snapshot) {
        return snapshot.isEmpty()
                ? Optional.empty()
                : Optional.of(new StoredSnapshot(
                        new Submitted(owner.uid(), snapshot, Instant.EPOCH), new SnapshotArchive(snapshots)));
    }

    private Place place(
            Profiled profiled, @Nullable Target target, String snapshot, Resources resources, Caller caller) {
        SubmitRequest request = profiled.request();
        if (request.host()) {
            return HostRequests.place(request);
        }
        InContainer container = options.container(request.options(), snapshot, resources.memoryBytes(), caller.user());
        return target == null ? container : TargetRequests.place(target, container, profiled.nodes());
    }

    /**
     * Throws where a job takes more bytes than one may, whatever it is that takes them.
     *
     * @param sweepField where the request has the values of its sweep
     */
    private Wanted bounded(Wanted wanted, String sweepField) {
        long bound = settings.get(Keys.MAX_SPEC_BYTES).bytes();
        if (wanted.bytes() <= bound) {
            return wanted;
        }
        long command = Utf8.length(wanted.program().command());
        Parameters parameters = wanted.program().parameters();
        long sweep = parameters == null ? 0 : parameters.bytes();
        long environment = wanted.program().bytes() - command - sweep;
        long others = wanted.spec().bytes();
        long most = Math.max(Math.max(command, environment), Math.max(sweep, others));
        String largest = most == sweep
                ? sweepField
                : most == others ? "the options" : most == command ? "command" : "environment";
        throw ApiException.field(
                largest,
                most + " bytes",
                "makes the job larger than this server takes (jobs.max-spec-bytes): its command has " + command
                        + " bytes in UTF-8, its variables " + environment
                        + (sweep == 0 ? "" : ", the values of its sweep " + sweep) + ", all else " + others
                        + ", together at most " + bound + "; "
                        + (parameters == null || most != sweep
                                ? "put what is large into a file of the submitted directory"
                                : smaller(sweepField, parameters, bound - (wanted.bytes() - sweep))
                                        + ", or have the operator raise jobs.max-spec-bytes"));
    }

    /** How a sweep becomes so small that its values have no more than these bytes; some less, as not all are of a size. */
    private static String smaller(String field, Parameters parameters, long bytes) {
        if (field.equals(JobOption.SWEEP.field())) {
            return "give fewer values, or a lower --sample";
        }
        long fit = Math.max(2, parameters.count() * bytes / parameters.bytes() * 9 / 10);
        return "submit a part of the sweep file at a time, as with --array 0-" + (fit - 1) + " or --experiment";
    }

    /** The room that one user may take in the queue. */
    public Room room() {
        return new Room(
                settings.get(Keys.MAX_QUEUED_PER_USER),
                settings.get(Keys.MAX_QUEUED_BYTES_PER_USER).bytes());
    }

    /** Throws where a user has so much in the queue now that this would not be accepted; the loop has the last word. */
    public void requireRoom(Submitter who, Wanted wanted) {
        long waiting = queries.counts(who.uid()).stream()
                .filter(count -> WAITING.contains(count.state()))
                .mapToLong(StateCount::jobs)
                .sum();
        if (waiting >= room().jobs()) {
            throw queueFull(who, waiting, 1);
        }
        long taken = queries.bytes(who.uid());
        if (taken > room().bytes() - wanted.bytes()) {
            throw noRoom(who, taken, wanted.bytes());
        }
    }

    /** The refusal of jobs for which what their submitter's take leaves no room; of what can never fit without a time. */
    public ApiException noRoom(Submitter who, long taken, long asked) {
        if (asked > room().bytes()) {
            return ApiException.of(
                    429,
                    "QUEUE_FULL",
                    "not accepted: its commands, variables and options take " + asked
                            + " bytes, and this server lets all jobs of one user take " + room().bytes()
                            + " (jobs.max-queued-bytes-per-user), so that it never fits; put what is large into a file"
                            + " of the submitted directory, or submit fewer jobs at a time");
        }
        return ApiException.tooMuch(
                429,
                "QUEUE_FULL",
                "not accepted: the commands, variables and options of " + who.name()
                        + "'s jobs that have not ended take "
                        + taken + " bytes, and those of this one " + asked + "; this server lets one user's take "
                        + room().bytes()
                        + " in all (jobs.max-queued-bytes-per-user); cancel some jobs, submit again when"
                        + " some have run, or put what is large into a file of the submitted directory",
                ROOM_AGAIN);
    }

    /**
     * The refusal of jobs of whose submitter too many wait. Only jobs that start make room, which takes what it takes:
     * not worth asking again every second, and never where there are more of them than may wait.
     */
    public ApiException queueFull(Submitter who, long waiting, int asked) {
        if (asked > 1 && asked > room().jobs()) {
            return ApiException.of(
                    429,
                    "QUEUE_FULL",
                    "not accepted: it has " + asked + " jobs, and this server lets " + room().jobs()
                            + " of one user wait (jobs.max-queued-per-user); submit fewer at a time");
        }
        return ApiException.tooMuch(
                429,
                "QUEUE_FULL",
                "not accepted: " + waiting + " jobs of " + who.name() + " wait already, "
                        + (asked == 1 ? "" : "it has " + asked + " more, ") + "and this server lets "
                        + room().jobs() + " of one user wait; cancel some, or submit again when some have run",
                ROOM_AGAIN);
    }

    private void requireRootAllowed(Submitter who) {
        if (who.isRoot() && !settings.get(Keys.ROOT_JOBS)) {
            throw ApiException.of(
                    403,
                    "ROOT_JOBS",
                    "this server runs no jobs as root (privileges.root-jobs); submit as another user, as in: runuser -u"
                            + " USER -- berth submit ...");
        }
    }

    private static String named(@Nullable List<String> given, List<String> command) {
        return given == null || given.isEmpty() ? command.getFirst() : given.getFirst();
    }

    private static String lastPart(String word) {
        String part = word.substring(word.lastIndexOf('/') + 1);
        return part.isEmpty() ? "job" : part.length() > Labels.MAX_LENGTH ? part.substring(0, Labels.MAX_LENGTH) : part;
    }

    private static List<String> command(@Nullable List<String> given, @Nullable String entrypoint) {
        List<String> words = new ArrayList<>(given == null ? List.of() : given);
        if (words.isEmpty() && entrypoint == null) {
            throw ApiException.field("command", "", "must name a program, as in: berth submit scheduler . main.py");
        }
        long length = 0;
        for (String word : words) {
            if (word == null || word.indexOf('\0') >= 0) {
                throw ApiException.field(
                        "command", PrintableText.of(String.valueOf(word)), "must be words without NUL");
            }
            length += Utf8.length(word);
        }
        if (entrypoint == null && words.getFirst().isBlank()) {
            throw ApiException.field("command", PrintableText.of(words.getFirst()), "must name a program first");
        }
        if (words.size() > MAX_WORDS || length > MAX_COMMAND_BYTES) {
            throw ApiException.field(
                    "command",
                    PrintableText.of(words.getFirst()) + " ...",
                    "must have at most " + MAX_WORDS + " words and " + MAX_COMMAND_BYTES + " bytes in UTF-8");
        }
        return words;
    }

    /** A Python file is run by the image's Python, everything else as it stands. */
    private static List<String> runnable(List<String> command, @Nullable String entrypoint) {
        if (entrypoint != null) {
            return behind(entrypoint, command);
        }
        return command.getFirst().endsWith(".py") ? behind("python3", command) : command;
    }

    private static List<String> behind(String program, List<String> words) {
        if (program.isBlank() || program.length() > MAX_ENTRYPOINT || PrintableText.hasInvisible(program)) {
            throw ApiException.field(
                    "entrypoint",
                    PrintableText.of(program),
                    "must be one program of 1 to " + MAX_ENTRYPOINT + " characters, without control or formatting"
                            + " characters; its arguments stand in the command");
        }
        List<String> all = new ArrayList<>(List.of(program));
        all.addAll(words);
        return all;
    }

    /** Refuses what cannot run in what was submitted. What is only likely is for the command line to say. */
    private void requireRunnable(
            OptionValues asked,
            List<String> words,
            @Nullable String entrypoint,
            boolean isSweep,
            String snapshot,
            long uid) {
        boolean isKnown = !snapshot.isEmpty()
                && CommandCheck.startsInSubmitted(
                        asked.get(JobOption.WORKING_DIRECTORY, String.class), asked.texts(JobOption.VOLUMES));
        // Which file a word with a parameter in it names differs from task to task.
        boolean isFixed = !isSweep || ParameterText.places(words).isEmpty();
        SentFiles files = isKnown && isFixed ? snapshots.files(uid, snapshot).orElse(null) : null;
        CommandCheck.of(words, entrypoint, files).filter(CommandFault::certain).ifPresent(fault -> {
            throw ApiException.field("command", PrintableText.of(fault.word()), PrintableText.of(fault.rule()));
        });
    }

    private String snapshot(@Nullable String digest, long uid) {
        if (digest == null) {
            return "";
        }
        if (!snapshots.holds(uid, digest)) {
            throw ApiException.field(
                    "snapshot", PrintableText.of(digest), "is not on this server; upload the directory first");
        }
        return digest;
    }

    private static Map<String, String> environment(OptionValues asked) {
        @SuppressWarnings("unchecked")
        Map<String, String> variables = asked.get(JobOption.ENVIRONMENT, Map.class);
        if (variables == null) {
            return Map.of();
        }
        long length = 0;
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            String name = variable.getKey();
            checkVariable(name, variable.getValue());
            length += Utf8.length(name) + Utf8.length(variable.getValue());
        }
        if (variables.size() > MAX_VARIABLES || length > MAX_VARIABLE_BYTES) {
            throw ApiException.field(
                    "environment",
                    variables.size() + " variables",
                    "must be at most " + MAX_VARIABLES + " variables of " + MAX_VARIABLE_BYTES
                            + " bytes in UTF-8 in all");
        }
        return variables;
    }

    private static void checkVariable(String name, @Nullable String value) {
        VariableNames.problem(name).ifPresent(rule -> {
            throw ApiException.field("environment", PrintableText.of(name), rule);
        });
        if (value == null || value.indexOf('\0') >= 0) {
            throw ApiException.field("environment", name, "must have a value without NUL");
        }
    }
}
