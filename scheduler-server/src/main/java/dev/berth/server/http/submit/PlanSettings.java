package dev.berth.server.http.submit;

import dev.berth.core.api.SubmitPlan.Setting;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobOptions;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Submitter;
import dev.berth.server.config.Key;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.container.ContainerNames;
import dev.berth.server.container.ContainerPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The values of a job that was not submitted, each with where it comes from; lives for one answer. */
final class PlanSettings {
    private static final String REQUEST = "request";
    private static final String DEFAULT = "default";
    private static final String BERTH = "berth";

    /** What a share of a GPU is, and what it is not. */
    private static final String SHARED =
            "a share by agreement: others may be on the same GPU, and nothing keeps their" + " memory apart";

    private final List<Setting> settings = new ArrayList<>();
    private final SubmitRequest request;
    private final Settings defaults;
    private final ContainerPlan plan;
    private final Job job;

    PlanSettings(SubmitRequest request, Settings defaults, ContainerPlan plan, Job job) {
        this.request = request;
        this.defaults = defaults;
        this.plan = plan;
        this.job = job;
    }

    List<Setting> all(Optional<Boolean> imageHere) {
        program(imageHere);
        user();
        gpus();
        environment();
        files();
        limits();
        berthsOwn();
        return List.copyOf(settings);
    }

    private void add(String name, String value, String source) {
        settings.add(new Setting(name, value, source));
    }

    private void asked(String name, String value, @Nullable Object asked) {
        add(name, value, asked == null ? DEFAULT : REQUEST);
    }

    /** A value that the configuration may set where the request does not. */
    private void configured(String name, Key<?> key, String value, @Nullable Object asked) {
        add(name, value, asked == null ? defaults.source(key) : REQUEST);
    }

    private void program(Optional<Boolean> imageHere) {
        JobSpec spec = job.spec();
        asked("name", spec.name(), request.name());
        asked("project", spec.project(), request.project());
        asked("tags", String.join(", ", spec.options().tags()), request.tags());
        add("command", quoted(plan.command()), REQUEST);
        String here = imageHere
                .map(found -> found ? "on this machine" : "not on this machine")
                .orElse("the engine does not answer");
        configured("image", Keys.JOB_IMAGE, spec.image() + " (" + here + ")", request.image());
        configured("pull", Keys.PULL, spec.options().pull().name().toLowerCase(Locale.ROOT), request.pull());
        asked("snapshot", spec.snapshot().isEmpty() ? "none: an empty workspace" : spec.snapshot(), request.snapshot());
        asked("workingDirectory", plan.workingDirectory(), request.workingDirectory());
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

    private void gpus() {
        boolean isShare = job.spec().gpus().isShare();
        asked(
                "gpus",
                job.spec().gpus().text() + (isShare ? " (" + SHARED + ")" : ""),
                isShare ? request.gpuMilli() : request.gpus());
        GpuTraits traits = job.spec().options().traits();
        Long memory = traits.memoryBytes();
        String type = traits.type();
        asked("gpuMemoryBytes", memory == null ? "any" : memory.toString(), memory);
        asked("gpuType", type == null ? "any" : type, type);
        asked("gpuLabels", String.join(", ", traits.labels()), request.gpuLabels());
        add("gpuDevices", plan.gpus().inWords(), BERTH);
    }

    /** Names only: the values are secrets. */
    private void environment() {
        Map<String, String> asked = request.environment() == null ? Map.of() : request.environment();
        new TreeMap<>(plan.environment())
                .forEach((name, value) -> add("environment", name, value.equals(asked.get(name)) ? REQUEST : BERTH));
        plan.withoutVariables().forEach(name -> add("environment", name + " (taken away)", BERTH));
    }

    private void files() {
        for (ContainerPlan.Mount mount : plan.mounts()) {
            boolean asked = job.spec().options().mounts().stream()
                    .anyMatch(wanted -> wanted.target().equals(mount.target()));
            Path source = mount.source();
            add(
                    "mount",
                    (asked ? source : own(source, mount.target())) + ":" + mount.target()
                            + (mount.readOnly() ? ":ro" : ""),
                    asked ? REQUEST : BERTH);
        }
    }

    /** Within the data directory; the job has no number yet. */
    private String own(Path source, String target) {
        return target.equals("/output")
                ? "users/" + job.owner().uid() + "/output/ID"
                : "jobs/ID/" + source.getFileName();
    }

    private void limits() {
        JobOptions options = job.spec().options();
        ContainerPlan.Limits limits = plan.limits();
        configured("cpuMilli", Keys.CPUS, orAll(limits.cpuMilli()), request.cpuMilli());
        configured("memoryBytes", Keys.MEMORY, orAll(limits.memoryBytes()), request.memoryBytes());
        configured("shmBytes", Keys.SHM_SIZE, Long.toString(limits.shmBytes()), request.shmBytes());
        configured("network", Keys.JOB_NETWORK, plan.network(), request.network());
        Long seconds =
                job.spec().timeLimit() == null ? null : job.spec().timeLimit().toSeconds();
        Key<Duration> limit = defaults.find(Keys.TIME_LIMIT) == null ? Keys.MAX_TIME_LIMIT : Keys.TIME_LIMIT;
        configured(
                "timeLimitSeconds", limit, seconds == null ? "none" : seconds.toString(), request.timeLimitSeconds());
        Duration idle = options.idleTimeout();
        asked("idleTimeoutSeconds", idle == null ? "none" : Long.toString(idle.toSeconds()), idle);
        asked("requeue", Boolean.toString(options.requeue()), request.requeue());
        add("pids", Long.toString(limits.pids()), BERTH);
        add("logBytes", Long.toString(limits.logBytes()), BERTH);
    }

    private static String orAll(long limit) {
        return limit == 0 ? "all there is" : Long.toString(limit);
    }

    private void berthsOwn() {
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
