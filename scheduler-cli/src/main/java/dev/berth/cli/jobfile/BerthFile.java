package dev.berth.cli.jobfile;

import dev.berth.cli.line.Given;
import dev.berth.cli.line.OptionLayer;
import dev.berth.core.command.ClosestWord;
import dev.berth.core.command.TargetName;
import dev.berth.core.option.JobOption;
import dev.berth.core.sweep.SweepRefusal;
import dev.berth.core.sweep.SweepValue;
import dev.berth.core.sweep.SweepValue.Items;
import dev.berth.core.sweep.SweepValue.Scalar;
import dev.berth.core.sweep.SweepValue.Section;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Job or jobs in Berth's own form: a key for each option, by its long name. For one file. */
final class BerthFile {
    /** The program's words. */
    static final String COMMAND = "command";

    /** The directory to send. */
    static final String DIRECTORY = "directory";

    /** Where it goes. */
    static final String TARGET = "target";

    /** Several jobs by their names. */
    static final String JOBS = "jobs";

    /** The server takes no more in one commit. */
    private static final int MAX_JOBS = 100;

    private static final int MAX_NAME = 100;
    private static final String LAST = "last";

    /** Options of the command that are no options of a job. */
    private static final List<String> OF_THE_LINE =
            List.of("no-snapshot", "dry-run", "follow", "wait", "file", "no-file", "quiet", "json", "verbose");

    private final Path folder;
    private final Section section;
    private final boolean isNamed;
    private final List<JobFile.Named> jobs = new ArrayList<>();
    private final Map<JobOption, Given> given = new EnumMap<>(JobOption.class);
    private List<String> command = List.of();
    private String commandPlace = "";
    private JobFile.@Nullable Directory directory;
    private JobFile.@Nullable Target target;

    BerthFile(Path file, Section section) {
        this(file.toAbsolutePath().resolveSibling("").normalize(), section, false);
    }

    /** @param isNamed whether it is one of several jobs of a file */
    private BerthFile(Path folder, Section section, boolean isNamed) {
        this.folder = folder;
        this.section = section;
        this.isNamed = isNamed;
    }

    /** The options of jobs in containers by their keys. */
    static Map<String, JobOption> options() {
        Map<String, JobOption> options = new LinkedHashMap<>();
        for (JobOption option : JobOption.values()) {
            if (option.isOf(false)) {
                option.keys().forEach(key -> options.put(key, option));
            }
        }
        return options;
    }

    JobFile job() {
        Map<String, JobOption> options = options();
        section.entries().forEach((key, value) -> {
            JobOption option = options.get(key);
            if (option != null) {
                add(option, key, value);
            } else {
                addOther(key, value, options);
            }
        });
        return new JobFile(
                section.place().file(), new OptionLayer(given), command, commandPlace, directory, target, jobs, "");
    }

    private void addOther(String key, SweepValue value, Map<String, JobOption> options) {
        switch (key) {
            case COMMAND -> {
                command = command(value);
                commandPlace = value.place().toString();
            }
            case DIRECTORY ->
                directory = new JobFile.Directory(
                        folder.resolve(path(key, value)).normalize(),
                        value.place().toString());
            case TARGET -> target = target(value);
            case JOBS -> {
                if (isNamed) {
                    throw new SweepRefusal(value.place(), "jobs stand at the file's first level alone");
                }
                addJobs(value);
            }
            default -> throw unknown(key, value, options);
        }
    }

    private static JobFile.Target target(SweepValue value) {
        String name = text(TARGET, value);
        if (!TargetName.isGood(name)) {
            throw new SweepRefusal(
                    value.place(),
                    "target: '" + name + "' is no target's name; berth targets lists those that there are");
        }
        return new JobFile.Target(name, value.place().toString());
    }

    private void addJobs(SweepValue value) {
        if (!(value instanceof Section names) || names.entries().isEmpty()) {
            throw new SweepRefusal(value.place(), "jobs is a map of names, as in jobs: {train: {command: train.py}}");
        }
        if (names.entries().size() > MAX_JOBS) {
            throw new SweepRefusal(
                    value.place(),
                    "jobs has " + names.entries().size() + " jobs, and a file has at most " + MAX_JOBS
                            + "; an array is one job");
        }
        names.entries().forEach((name, job) -> {
            requireName(name, job);
            Section said = switch (job) {
                case Section map -> map;
                case Scalar scalar when scalar.value() == null -> new Section(job.place(), Map.of());
                default -> throw new SweepRefusal(job.place(), "job " + name + " is no map of options");
            };
            jobs.add(new JobFile.Named(name, job.place().toString(), new BerthFile(folder, said, true).job()));
        });
    }

    /** A name by which others may wait for it: nothing that a job on the server is named by. */
    private static void requireName(String name, SweepValue job) {
        boolean isName = !name.isEmpty() && name.length() <= MAX_NAME && Character.isLetter(name.charAt(0));
        for (int at = 0; at < name.length(); at++) {
            char letter = name.charAt(at);
            isName &= letter < 0x80 && (Character.isLetterOrDigit(letter) || "._-".indexOf(letter) >= 0);
        }
        if (!isName || name.equals(LAST)) {
            throw new SweepRefusal(
                    job.place(),
                    "'" + name + "' cannot be a job's name: it begins with a letter, has letters, digits, '.', '_' and"
                            + " '-', at most " + MAX_NAME + ", and is not " + LAST);
        }
    }

    private static SweepRefusal unknown(String key, SweepValue value, Map<String, JobOption> options) {
        if (OF_THE_LINE.contains(key)) {
            return new SweepRefusal(value.place(), key + " is said on the command line alone: --" + key);
        }
        List<String> known = new ArrayList<>(options.keySet());
        known.addAll(List.of(COMMAND, DIRECTORY, TARGET, JOBS));
        return new SweepRefusal(
                value.place(),
                "'" + key + "' is not known" + ClosestWord.question(key, known)
                        + " the keys are the long options of berth submit");
    }

    private void add(JobOption option, String key, SweepValue value) {
        Given before = given.get(option);
        if (before != null) {
            throw new SweepRefusal(
                    value.place(), key + " and " + before.name() + " are the same option; keep one of them");
        }
        List<String> texts = texts(option, key, value);
        boolean isUnsaid = !option.kind().hasValue() && texts.isEmpty();
        if (!isUnsaid) {
            given.put(
                    option,
                    Given.in(value.place().toString(), key, option.kind().hasValue() ? texts : List.of()));
        }
    }

    /** The values as a command line has them; a flag that is false has none. */
    private List<String> texts(JobOption option, String key, SweepValue value) {
        return switch (option.kind()) {
            case FLAG -> isOn(key, value) ? List.of("true") : List.of();
            case VARIABLES -> value instanceof Section map ? variables(key, map) : items(key, value);
            case VARIABLE_FILES ->
                items(key, value).stream().map(file -> inFolder(value, file)).toList();
            case VOLUMES ->
                items(key, value).stream().map(volume -> volume(value, volume)).toList();
            case TEXTS -> isOfSweep(option) ? SweepAxes.texts(key, value) : items(key, value);
            case JOBS, DEPENDENCIES -> items(key, value);
            default -> List.of(text(key, value));
        };
    }

    /** Whether its values are parameters, each with values of its own. */
    static boolean isOfSweep(JobOption option) {
        return option == JobOption.SWEEP || option == JobOption.ZIP;
    }

    private static boolean isOn(String key, SweepValue value) {
        String text = value instanceof Scalar scalar ? String.valueOf(scalar.value()) : "";
        if (!text.equals("true") && !text.equals("false")) {
            throw new SweepRefusal(value.place(), key + " is true or false; for example " + key + ": true");
        }
        return text.equals("true");
    }

    static String text(String key, SweepValue value) {
        if (!(value instanceof Scalar scalar)) {
            String what = value instanceof Items ? "a list" : "a map";
            throw new SweepRefusal(value.place(), key + " takes one value and has " + what);
        }
        if (scalar.value() == null) {
            throw new SweepRefusal(value.place(), key + " has no value; write one, or leave the key out");
        }
        return String.valueOf(scalar.value());
    }

    /** A value, or a list of them. */
    static List<String> items(String key, SweepValue value) {
        if (value instanceof Section) {
            throw new SweepRefusal(value.place(), key + " takes a value or a list of values, and has a map");
        }
        if (!(value instanceof Items list)) {
            return List.of(text(key, value));
        }
        List<String> texts = new ArrayList<>();
        for (SweepValue item : list.items()) {
            if (!(item instanceof Scalar)) {
                throw new SweepRefusal(item.place(), key + " takes a list of single values");
            }
            texts.add(text(key, item));
        }
        return texts;
    }

    /** Each as NAME=VALUE; a name without a value is passed on as it is here. */
    static List<String> variables(String key, Section map) {
        List<String> variables = new ArrayList<>();
        map.entries().forEach((name, value) -> {
            if (name.isEmpty() || name.indexOf('=') >= 0) {
                throw new SweepRefusal(value.place(), key + " has a name that is empty or has a '=' in it");
            }
            boolean isPassed = value instanceof Scalar scalar && scalar.value() == null;
            variables.add(isPassed ? name : name + "=" + text(key + "." + name, value));
        });
        return variables;
    }

    private List<String> command(SweepValue value) {
        if (value instanceof Items list && list.items().isEmpty()) {
            throw new SweepRefusal(value.place(), COMMAND + " is empty; write the program and its arguments");
        }
        if (!(value instanceof Scalar)) {
            return items(COMMAND, value);
        }
        try {
            return WordSplit.command(text(COMMAND, value));
        } catch (IllegalArgumentException e) {
            throw new SweepRefusal(value.place(), COMMAND + " " + e.getMessage());
        }
    }

    private String path(String key, SweepValue value) {
        return checked(key, value, text(key, value));
    }

    private String inFolder(SweepValue value, String file) {
        return folder.resolve(checked("env-file", value, file)).normalize().toString();
    }

    /** A source that is relative is so to the file. */
    private String volume(SweepValue value, String volume) {
        int colon = volume.indexOf(':');
        boolean isRelative = colon > 0 && !volume.startsWith("/");
        return isRelative
                ? folder.resolve(checked("volume", value, volume.substring(0, colon)))
                                .normalize()
                        + volume.substring(colon)
                : volume;
    }

    private static String checked(String key, SweepValue value, String path) {
        try {
            return Path.of(path).toString();
        } catch (InvalidPathException impossible) {
            throw new SweepRefusal(value.place(), key + " is no path: " + impossible.getReason());
        }
    }
}
