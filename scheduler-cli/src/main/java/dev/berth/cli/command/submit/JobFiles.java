package dev.berth.cli.command.submit;

import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.jobfile.JobFile;
import dev.berth.cli.jobfile.JobFileReader;
import dev.berth.cli.jobfile.ScriptHead;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.CommandForm;
import dev.berth.cli.line.OptionLayer;
import dev.berth.core.option.JobOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of a submit, as the line and the files say them together: the line counts more than a script's head, and that more
 * than the job file. For one line.
 */
final class JobFiles {
    static final String FILE = "--file";
    static final String NO_FILE = "--no-file";
    static final String NO_SNAPSHOT = "--no-snapshot";

    private final Arguments line;
    private final List<String> words;
    private final CommandForm submit;

    /** The file as the line names it; null where it names none. */
    private final @Nullable String named;

    /**
     * One job.
     *
     * @param words where it goes, and what it runs
     * @param options of the job
     * @param commandPlace the file and the line that the command comes from; empty where the line has it
     * @param name its name among several jobs of a file; empty for a single job
     * @param place the file and the line of that name; empty for a single job
     * @param ignored what in the files means nothing here, each a clause for people
     */
    record Said(
            SubmitWords words,
            GivenOptions options,
            String commandPlace,
            String name,
            String place,
            List<String> ignored) {
        Said {
            ignored = List.copyOf(ignored);
        }

        /** Which job of which file it is, for a sentence that goes on; empty for a single job. */
        String where() {
            return name.isEmpty() ? "" : place + ": job " + name + ": ";
        }

        /** Which command of which file it has, for a sentence that goes on; empty where the line has it. */
        String commandWhere() {
            return commandPlace.isEmpty() ? "" : commandPlace + ": " + (name.isEmpty() ? "" : "job " + name + ": ");
        }

        /** The job as a sweep whose tasks a file names, whose name the user wrote so. */
        Said ofSweepFile(String file) {
            return new Said(words, new GivenOptions(options.layers(), file), commandPlace, name, place, ignored);
        }

        /** The origin of a value of the job, for people. */
        String origin(String value) {
            boolean isNamed = value.equals(JobOption.NAME.field()) && !options.has(JobOption.NAME) && !name.isEmpty();
            if (isNamed) {
                return place;
            }
            return value.equals("command") && !commandPlace.isEmpty() ? commandPlace : JobWords.origin(value, options);
        }
    }

    private JobFiles(Arguments line, List<String> words, CommandForm submit) {
        this.line = line;
        this.words = words;
        this.submit = submit;
        this.named = line.value(FILE);
    }

    /**
     * The jobs of a line, in the order of the file: a single one without a name, or all with theirs.
     *
     * @param words of the line: where the job goes, and what it runs
     * @param submit the command whose options a script may have in its head
     */
    static List<Said> of(Arguments line, List<String> words, CommandForm submit) {
        if (line.has(FILE) && line.has(NO_FILE)) {
            throw Failure.usage(FILE + " and " + NO_FILE + " exclude each other; give one of them");
        }
        return new JobFiles(line, words, submit).jobs();
    }

    private List<Said> jobs() {
        JobFile file = named == null ? null : JobFileReader.named(FILE, named, WorkingDirectory.absolute(FILE, named));
        if (file == null || !words.isEmpty()) {
            boolean isCommandSaid = line.has(JobOption.ENTRYPOINT.names().getFirst());
            SubmitWords where = SubmitWords.of(words, isCommandSaid || words.size() > 1);
            if (file == null && !line.has(NO_FILE)) {
                file = JobFileReader.in(where.directory());
            }
            return jobs(file, where);
        }
        return jobs(file, null);
    }

    private List<Said> jobs(@Nullable JobFile file, @Nullable SubmitWords words) {
        if (file == null || file.jobs().isEmpty()) {
            return List.of(job(file, null, words));
        }
        if (words != null && !words.command().isEmpty()) {
            throw Failure.usage("the file has several jobs with commands of their own, so that '"
                    + words.command().getFirst() + "' is left out, or " + NO_FILE + " is given");
        }
        List<Said> jobs = new ArrayList<>();
        for (JobFile.Named one : file.jobs()) {
            jobs.add(job(file, one, words));
        }
        return jobs;
    }

    /**
     * One job.
     *
     * @param one of several of the file; null for a single one
     * @param words of the line; null where the file says all
     */
    private Said job(@Nullable JobFile file, JobFile.@Nullable Named one, @Nullable SubmitWords words) {
        List<JobFile> files = new ArrayList<>();
        if (one != null) {
            files.add(one.job());
        }
        if (file != null) {
            files.add(file);
        }
        SubmitWords where = words == null ? ofFile(files) : words;
        JobFile commanding = where.command().isEmpty() ? commanding(files) : null;
        SubmitWords complete = commanding == null ? where : where.with(commanding.command());
        ScriptHead head = line.has(NO_FILE) || line.has(NO_SNAPSHOT)
                ? null
                : ScriptHead.of(complete.directory(), complete.command(), submit);
        GivenOptions options = options(head, files);
        if (complete.command().isEmpty() && !options.has(JobOption.ENTRYPOINT)) {
            throw noCommand(file, one, words);
        }
        return new Said(
                complete,
                options,
                commanding == null ? "" : commanding.commandPlace(),
                one == null ? "" : one.name(),
                one == null ? "" : one.place(),
                ignored(head, file, words, files));
    }

    private static @Nullable JobFile commanding(List<JobFile> files) {
        for (JobFile file : files) {
            if (!file.command().isEmpty()) {
                return file;
            }
        }
        return null;
    }

    private Failure noCommand(@Nullable JobFile file, JobFile.@Nullable Named one, @Nullable SubmitWords words) {
        String example = " has no command; for example command: python main.py";
        if (one != null) {
            return Failure.usage(one.place() + ": job " + one.name() + example);
        }
        if (words == null) {
            return Failure.usage(named + ":" + example);
        }
        return SubmitWords.noCommand(this.words, file == null ? "" : file.name());
    }

    private static JobFile.@Nullable Directory directory(List<JobFile> files) {
        for (JobFile file : files) {
            if (file.directory() != null) {
                return file.directory();
            }
        }
        return null;
    }

    private static JobFile.@Nullable Target target(List<JobFile> files) {
        for (JobFile file : files) {
            if (file.target() != null) {
                return file.target();
            }
        }
        return null;
    }

    /** A submit that the file says as a whole; its directory is the file's own where it says no other. */
    private SubmitWords ofFile(List<JobFile> files) {
        JobFile.Directory directory = directory(files);
        if (directory == null) {
            Path above = WorkingDirectory.absolute(FILE, String.valueOf(named)).getParent();
            directory = new JobFile.Directory(above == null ? Path.of("/") : above, String.valueOf(named));
        }
        try {
            JobFile.Target target = target(files);
            return SubmitWords.of(
                    List.of(
                            target == null ? SubmitWords.TARGET : target.name(),
                            directory.path().toString()),
                    true);
        } catch (Failure refused) {
            throw Failure.of(
                    refused.exitCode(), refused.error().code(), directory.place() + ": " + refused.getMessage());
        }
    }

    private GivenOptions options(@Nullable ScriptHead head, List<JobFile> files) {
        List<OptionLayer> layers = new ArrayList<>(List.of(OptionLayer.of(line)));
        if (head != null) {
            layers.addAll(head.layers());
        }
        files.forEach(file -> layers.add(file.options()));
        return new GivenOptions(layers);
    }

    /** @param words of the line, which names a target and a directory itself; null where the file does */
    private static List<String> ignored(
            @Nullable ScriptHead head, @Nullable JobFile file, @Nullable SubmitWords words, List<JobFile> files) {
        List<String> clauses = new ArrayList<>();
        JobFile.Target other = words == null ? null : target(files);
        if (words != null && other != null && !other.name().equals(words.target())) {
            clauses.add(other.place() + ": target " + other.name() + " means nothing here, as the line names "
                    + words.target());
        }
        JobFile.Directory unsent = words == null ? null : directory(files);
        if (unsent != null) {
            clauses.add(unsent.place()
                    + ": directory means nothing here, as the line names one; berth submit --file FILE, without"
                    + " scheduler and a directory, sends that of the file");
        }
        if (file != null && !file.ignored().isEmpty()) {
            clauses.add(file.name() + ": " + file.ignored());
        }
        if (head != null && !head.ignored().isEmpty()) {
            clauses.add(head.ignored());
        }
        return clauses;
    }
}
