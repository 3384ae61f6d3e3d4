package dev.berth.server.http.submit;

import dev.berth.core.api.OptionValues;
import dev.berth.core.api.SubmitPlan.Setting;
import dev.berth.core.job.Job;
import dev.berth.core.job.NodeTraits.Toleration;
import dev.berth.core.job.Submitter;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;
import dev.berth.core.option.JobOption;
import dev.berth.server.config.Key;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.http.submit.DryRun.Planned;
import dev.berth.server.http.view.SpecValues;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.runner.docker.ContainerPlan;
import dev.berth.server.runner.docker.ContainerPlans;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The values of a job that was not submitted, each with where it comes from; lives for one answer. */
final class PlanSettings {
    private static final String REQUEST = "request";
    private static final String DEFAULT = "default";
    private static final String BERTH = "berth";

    /** The words on what a share of a GPU is, and what it is not. */
    private static final String SHARED =
            "a share by agreement: others may be on the same GPU, and nothing keeps their" + " memory apart";

    /** The settings that the configuration gives where the request does not. */
    private static final Map<JobOption, Key<?>> CONFIGURED = Map.of(
            JobOption.IMAGE, Keys.JOB_IMAGE,
            JobOption.PULL, Keys.PULL,
            JobOption.CPUS, Keys.CPUS,
            JobOption.MEMORY, Keys.MEMORY,
            JobOption.SHM, Keys.SHM_SIZE,
            JobOption.NETWORK, Keys.JOB_NETWORK,
            JobOption.TIME, Keys.TIME_LIMIT,
            JobOption.GRACE, Keys.STOP_GRACE);

    /** The variables, the mounts and the command are shown as they come to be, with Berth's own. */
    private static final Set<JobOption> SETTLED_WITH_OTHERS = EnumSet.of(
            JobOption.ENVIRONMENT,
            JobOption.ENVIRONMENT_FILES,
            JobOption.VOLUMES,
            JobOption.ENTRYPOINT,
            JobOption.AFTER,
            JobOption.REPEAT);

    /** The options of a sweep, which has a row for each parameter; other jobs have none. */
    private static final Set<JobOption> OF_SWEEPS =
            EnumSet.of(JobOption.SWEEP, JobOption.ZIP, JobOption.SAMPLE, JobOption.SEED);

    private final List<Setting> settings = new ArrayList<>();
    private final Profiled request;
    private final Settings defaults;
    private final Planned planned;
    private final ContainerPlan plan;
    private final Job job;

    PlanSettings(Profiled request, Settings defaults, Planned planned, Job job) {
        this.request = request;
        this.defaults = defaults;
        this.planned = planned;
        this.plan = planned.container();
        this.job = job;
    }

    List<Setting> all(Optional<Boolean> imageHere) {
        add("command", quoted(planned.program().command()), REQUEST);
        pack();
        String snapshot = job.spec().snapshot();
        add(
                "snapshot",
                snapshot.isEmpty() ? "none: an empty workspace" : snapshot,
                request.asked().snapshot() == null ? DEFAULT : REQUEST);
        for (JobOption option : JobOption.values()) {
            if (OF_SWEEPS.contains(option)) {
                sweep(option);
            } else if (option.isOf(false) && !SETTLED_WITH_OTHERS.contains(option) && !isNothingThere(option)) {
                add(option.field(), value(option, imageHere), source(option));
            }
            if (option == JobOption.ARRAY) {
                tasks();
            }
        }
        unused();
        nodes();
        user();
        String target = job.spec().target();
        if (target != null) {
            add("target", target, REQUEST);
            request.askedVariables().keySet().forEach(name -> add("environment", name, REQUEST));
            return List.copyOf(settings);
        }
        add("gpuDevices", plan.gpus().inWords(), BERTH);
        environment();
        files();
        berthsOwn();
        return List.copyOf(settings);
    }

    /** Whether an option says nothing about a job that goes to a target. */
    private boolean isNothingThere(JobOption option) {
        return job.spec().isAtTarget() && TargetRequests.isRefused(option);
    }

    /** The command is that of the first task. */
    private void pack() {
        TaskSet pack = planned.pack();
        if (!pack.isEmpty()) {
            int atOnce = Objects.requireNonNull(
                            Objects.requireNonNull(job.spec().tasks()).packing())
                    .parallel();
            add(
                    "container",
                    "one for tasks " + pack + " of the array, "
                            + (atOnce == 1 ? "one after the other" : atOnce + " at a time")
                            + ", and so on: each has its command, variables, output and checkpoint, all else is the"
                            + " same for all",
                    REQUEST);
        }
    }

    private void add(String name, String value, String source) {
        settings.add(new Setting(name, value, source));
    }

    private void tasks() {
        Tasks tasks = job.spec().tasks();
        if (tasks != null) {
            add("tasks", Integer.toString(tasks.all().size()), source(JobOption.ARRAY));
        }
    }

    private void sweep(JobOption option) {
        OptionValues asked = request.request().options();
        if (option == JobOption.SEED && asked.has(JobOption.SAMPLE) && !asked.has(option)) {
            add(option.field(), "0", DEFAULT);
        } else if (option.kind().isList()) {
            asked.texts(option.field()).forEach(text -> add(option.field(), text, source(option)));
        } else if (asked.has(option)) {
            add(option.field(), String.valueOf(asked.get(option, Number.class)), source(option));
        }
    }

    private boolean isSweep() {
        return request.asked().parameters() != null || OF_SWEEPS.stream().anyMatch(request::isAsked);
    }

    private String source(JobOption option) {
        if (option == JobOption.ARRAY && isSweep()) {
            // Which tasks there are follows from its sets of values.
            return REQUEST;
        }
        Key<?> key = CONFIGURED.get(option);
        if (option == JobOption.TIME && defaults.find(Keys.TIME_LIMIT) == null) {
            key = Keys.MAX_TIME_LIMIT;
        }
        String otherwise = key == null ? DEFAULT : defaults.source(key);
        return request.isAsked(option) ? REQUEST : request.isOfProfile(option) ? profile() : otherwise;
    }

    private String profile() {
        return "profile " + (request.profile() == null ? "" : request.profile().name());
    }

    private void unused() {
        String target = job.spec().target();
        if (!request.unused().isEmpty()) {
            String where = target == null ? "on one machine" : "at target " + target;
            add("unused", String.join(", ", request.unused()) + " (nothing " + where + ")", profile());
        }
    }

    private void nodes() {
        job.spec().nodes().labels().forEach((name, value) -> add("node", name + "=" + value, profile()));
        job.spec().nodes().tolerations().forEach(taint -> add("toleration", inWords(taint), profile()));
    }

    /** As {@code kubectl describe} shows it. */
    private static String inWords(Toleration taint) {
        return (taint.key().isEmpty() ? "all taints" : taint.key())
                + (taint.value() == null ? "" : "=" + taint.value())
                + (taint.effect() == null ? "" : ":" + taint.effect())
                + (taint.seconds() == null ? "" : " for " + taint.seconds() + " s");
    }

    private String value(JobOption option, Optional<Boolean> imageHere) {
        return switch (option) {
            case GPUS -> job.spec().gpus().text() + (job.spec().gpus().isShare() ? " (" + SHARED + ")" : "");
            case IMAGE -> job.spec().image() + (job.spec().isAtTarget() ? "" : found(imageHere));
            case WORKING_DIRECTORY ->
                job.spec().isAtTarget() ? orElse(option, "that of the submit") : plan.workingDirectory();
            case SHM -> Long.toString(plan.limits().shmBytes());
            case GPU_MEMORY, GPU_TYPE -> orElse(option, "any");
            case NICE -> orElse(option, "0");
            case GRACE ->
                orElse(option, Long.toString(defaults.get(Keys.STOP_GRACE).toSeconds()));
            case CPUS, MEMORY -> orElse(option, "all there is");
            case CPU_GUARANTEE -> orElse(option, "as many as it may use");
            case MEMORY_GUARANTEE -> orElse(option, "as much as it may use");
            default -> orElse(option, "none");
        };
    }

    private static String found(Optional<Boolean> imageHere) {
        return imageHere
                .map(found -> found ? " (on this machine)" : " (not on this machine)")
                .orElse(" (the engine does not answer)");
    }

    private String orElse(JobOption option, String none) {
        Object value = SpecValues.value(option, job.spec());
        return switch (value) {
            case null -> none;
            case List<?> items -> items.stream().map(String::valueOf).collect(Collectors.joining(", "));
            default -> value.toString();
        };
    }

    private static String quoted(List<String> words) {
        return words.stream()
                .map(word -> word.matches("[\\p{Alnum}_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    private void user() {
        Submitter user = plan.user();
        add("user", user.name() + " " + user.uid() + ":" + user.gid(), BERTH);
        add("groups", user.groups().stream().map(String::valueOf).collect(Collectors.joining(", ")), BERTH);
    }

    /** Names only: the values are secrets. */
    private void environment() {
        new TreeMap<>(planned.program().environment())
                .forEach((name, value) -> add("environment", name, source(name, value)));
        plan.withoutVariables().forEach(name -> add("environment", name + " (taken away)", BERTH));
    }

    private String source(String variable, String value) {
        if (request.askedVariables().containsKey(variable)) {
            return value.equals(request.askedVariables().get(variable)) ? REQUEST : BERTH;
        }
        return value.equals(request.profileVariables().get(variable)) ? profile() : BERTH;
    }

    private void files() {
        for (ContainerPlan.Mount mount : plan.mounts()) {
            boolean asked = job.spec().container().mounts().stream()
                    .anyMatch(wanted -> wanted.target().equals(mount.target()));
            Path source = mount.source();
            add(
                    asked ? JobOption.VOLUMES.field() : "mount",
                    (asked ? source : own(source, mount.target())) + ":" + mount.target()
                            + (mount.readOnly() ? ":ro" : ""),
                    asked ? REQUEST : BERTH);
        }
    }

    /** Within the data directory; the job has no number yet. */
    private String own(Path source, String target) {
        for (String kept : List.of(ContainerPlans.OUTPUT_DIRECTORY, ContainerPlans.CHECKPOINT_DIRECTORY)) {
            if (target.equals(kept) || target.startsWith(kept + "/")) {
                return "users/" + job.owner().uid() + kept + "/ID";
            }
        }
        return "runs/ID.1/" + source.getFileName();
    }

    private void berthsOwn() {
        add("pids", Long.toString(plan.limits().pids()), BERTH);
        add("logBytes", Long.toString(plan.limits().logBytes()), BERTH);
        add("capabilities", "none", BERTH);
        add("noNewPrivileges", "true", BERTH);
        add("init", "true", BERTH);
        new TreeMap<>(plan.labels()).forEach((label, value) -> add("label", label + "=" + shown(label, value), BERTH));
    }

    /** Which job and which GPUs it will be is not known before its turn. */
    private static String shown(String label, String value) {
        return switch (label) {
            case ContainerNames.JOB_LABEL -> "ID";
            case ContainerNames.GPUS_LABEL -> value.isEmpty() ? "" : "UUIDS";
            default -> value;
        };
    }
}
