package dev.berth.server.simulation;

import dev.berth.core.job.JobId;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.runner.docker.ContainerPlan;
import dev.berth.server.runner.docker.ContainerPlan.Mount;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@code pack.sh} does in the container of a pack: what it was told, how far it has come, and the files that it reads and
 * writes, which are the real ones. Their dates are those of the time that is simulated.
 */
final class PackScript {
    /** How the files say that a task has ended. */
    enum How {
        EXIT,
        TIMEOUT,
        CANCELLED,
        STOPPED,
        SKIPPED
    }

    private static final String TARGET = "/etc/berth-pack";

    /** Behind the shell, the script and the script's own arguments. */
    private static final int FIRST_TASK = 8;

    private static final int PARALLEL = 3;
    private static final int LIMIT = 4;

    private static final Pattern EXPORT = Pattern.compile("export (\\w+)='(.*)'");

    final int parallel;

    /** Of each task; zero for none. */
    final Duration limit;

    private final Path directory;
    private final Map<String, String> environment;
    private final List<JobId> tasks;
    private final List<Fate> begun = new ArrayList<>();

    /** The tasks that it has told to end. */
    private final Set<Fate> told = new HashSet<>();

    /** How many of them had their turn. */
    private int turns;

    private PackScript(Path directory, ContainerPlan plan) {
        List<String> command = plan.command();
        this.directory = directory;
        this.environment = plan.environment();
        this.parallel = Integer.parseInt(command.get(PARALLEL));
        this.limit = Duration.ofSeconds(Long.parseLong(command.get(LIMIT)));
        this.tasks = command.subList(FIRST_TASK, command.size()).stream()
                .map(task -> new JobId(Long.parseLong(task)))
                .toList();
    }

    /** That of a container; null where it is no pack's. */
    static @Nullable PackScript of(ContainerPlan plan) {
        return plan.mounts().stream()
                .filter(mount -> mount.target().equals(TARGET))
                .map(Mount::source)
                .findFirst()
                .map(directory -> new PackScript(directory, plan))
                .orElse(null);
    }

    /** The tasks whose programs run. */
    List<Fate> running() {
        return begun.stream().filter(Fate::runs).toList();
    }

    /** Whether the next task may begin now. */
    boolean mayBegin() {
        return turns < tasks.size() && running().size() < parallel;
    }

    boolean isOver() {
        return turns == tasks.size() && running().isEmpty();
    }

    /** The tasks whose programs have begun. */
    List<Fate> begun() {
        return begun;
    }

    /** It looks which of the tasks that run are to end, and tells them. */
    void wake() {
        running().stream().filter(task -> isAskedToStop(task.job)).forEach(told::add);
    }

    boolean isTold(Fate task) {
        return told.contains(task);
    }

    /** The next task has its turn; empty where it was asked not to begin. */
    Optional<Fate> begin(Fate pack, Instant now) {
        JobId task = tasks.get(turns);
        turns++;
        if (isAskedToStop(task)) {
            write(pack, task, "ended", "skipped\n", now);
            return Optional.empty();
        }
        write(pack, task, "began", "began\n", now);
        Fate fate = new Fate(pack, task, variables(task));
        begun.add(fate);
        return Optional.of(fate);
    }

    /** What the task has beside what its container has. */
    private Map<String, String> variables(JobId task) {
        Map<String, String> variables = new HashMap<>(environment);
        Matcher exports = EXPORT.matcher(read(task, "start"));
        while (exports.find()) {
            variables.put(exports.group(1), exports.group(2));
        }
        return variables;
    }

    void print(Fate task, Stream stream, String text, Instant now) {
        write(task, task.job, stream == Stream.OUT ? "stdout" : "stderr", text, now);
    }

    void ended(Fate task, How how, int exitCode, Instant now) {
        task.told = how;
        write(task, task.job, "ended", how.name().toLowerCase(Locale.ROOT) + " " + exitCode + "\n", now);
    }

    boolean isAskedToStop(JobId task) {
        return Files.exists(of(task).resolve("stop"));
    }

    /** The machine lost power before what is known of a task was on its disk. */
    void forget(Fate task, Instant now) {
        if (task.told != null) {
            task.toldBefore = task.told;
        }
        task.told = null;
        task.isCut = true;
        cut(task, "began", now);
        cut(task, "ended", now);
    }

    private Path of(JobId task) {
        return directory.resolve(task.toString());
    }

    private String read(JobId task, String name) {
        try {
            return Files.readString(of(task).resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The server has made the files; the script makes none. */
    private void write(Fate of, JobId task, String name, String text, Instant now) {
        Path file = of(task).resolve(name);
        try {
            Files.writeString(file, text, StandardOpenOption.APPEND);
            Files.setLastModifiedTime(file, FileTime.from(now));
        } catch (IOException e) {
            // Of a time that the books know nothing of the files may be gone.
            Law.FILES_STAY.require(of.forgotten, () -> of + " without " + file);
        }
    }

    private void cut(Fate task, String name, Instant now) {
        Path file = of(task.job).resolve(name);
        try {
            Files.write(file, new byte[0], StandardOpenOption.TRUNCATE_EXISTING);
            Files.setLastModifiedTime(file, FileTime.from(now));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
