package dev.berth.server.store;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Guarantee;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Label;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Mount;
import dev.berth.core.job.NodeTraits;
import dev.berth.core.job.NodeTraits.Toleration;
import dev.berth.core.job.Notification;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Retry;
import dev.berth.core.job.RetryCauses;
import dev.berth.core.job.RetryDelay;
import dev.berth.core.job.Tasks;
import dev.berth.core.job.TrackSources;
import dev.berth.server.store.database.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The column {@code job.options}: a JSON object whose names and words stand here and nowhere else. Sizes in bytes, durations
 * in whole seconds. What is null is left out.
 */
final class StoredOptions {
    private static final TypeReference<JsonNode> TREE = new TypeReference<>() {};

    private StoredOptions() {}

    /**
     * The parts of a job that have a column of their own.
     *
     * @param image the word {@code host} where it runs in no container
     * @param target the target that it is handed over to; null for this machine
     */
    record Columns(
            String name,
            String project,
            String snapshot,
            String image,
            @Nullable String target,
            GpuRequest gpus,
            @Nullable Duration timeLimit) {}

    static String write(JobSpec spec) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        spec.label().tags().forEach(json.putArray("tags")::add);
        put(json, "profile", spec.label().profile());
        switch (spec.place()) {
            case InContainer container -> write(json, container);
            case AtTarget there -> {
                write(json, there.container());
                write(json, there.nodes());
            }
            case OnHost host ->
                json.put("pull", word(host.pull()))
                        .put("network", OnHost.HOST)
                        .putObject("host")
                        .put("directory", host.directory())
                        .put("shell", host.shell())
                        .put("noWait", host.noWait());
        }
        Resources resources = spec.resources();
        Integer cpus = resources.cpuMilli();
        put(json, "cpuMilli", cpus == null ? null : cpus.longValue());
        put(json, "memoryBytes", resources.memoryBytes());
        put(json, "nice", resources.nice() == 0 ? null : Long.valueOf(resources.nice()));
        write(json, resources.guarantee());
        json.put("requeue", spec.requeue());
        put(json, "requeueOf", spec.resubmitOf());
        write(json, spec.retry());
        ObjectNode traits = json.putObject("traits");
        put(traits, "memoryBytes", resources.traits().memoryBytes());
        put(traits, "type", resources.traits().type());
        resources.traits().labels().forEach(traits.putArray("labels")::add);
        write(json, spec.limits());
        if (!spec.notifications().isEmpty()) {
            ArrayNode notify = json.putArray("notify");
            spec.notifications().forEach(notification -> notify.add(notification.text()));
        }
        write(json, spec.prerequisites());
        put(json, "tasks", spec.tasks() == null ? null : spec.tasks().toString());
        Packing packing = spec.tasks() == null ? null : spec.tasks().packing();
        put(json, "pack", packing == null ? null : Long.valueOf(packing.size()));
        put(json, "parallel", packing == null ? null : Long.valueOf(packing.parallel()));
        return json.toString();
    }

    private static void write(ObjectNode json, InContainer container) {
        json.put("pull", word(container.pull()));
        put(json, "workingDirectory", container.workingDirectory());
        put(json, "shmBytes", container.shmBytes());
        json.put("network", container.network());
        ArrayNode mounts = json.putArray("mounts");
        for (Mount mount : container.mounts()) {
            mounts.addObject()
                    .put("source", mount.source())
                    .put("target", mount.target())
                    .put("readOnly", mount.readOnly());
        }
        boolean isUsual = container.sources().equals(TrackSources.USUAL);
        put(json, "track", isUsual ? null : container.sources().toString());
    }

    private static void write(ObjectNode json, NodeTraits traits) {
        if (traits.areAny()) {
            return;
        }
        ObjectNode nodes = json.putObject("nodes");
        ArrayNode labels = nodes.putArray("labels");
        traits.labels()
                .forEach((name, value) -> labels.addObject().put("name", name).put("value", value));
        ArrayNode tolerations = nodes.putArray("tolerations");
        for (Toleration toleration : traits.tolerations()) {
            ObjectNode one = tolerations.addObject().put("key", toleration.key());
            put(one, "value", toleration.value());
            put(one, "effect", toleration.effect());
            put(one, "seconds", toleration.seconds());
        }
    }

    private static NodeTraits nodes(StoredObject json) {
        Map<String, String> labels = new HashMap<>();
        json.objects(
                        "labels",
                        label -> Map.entry(
                                required(label.text("name"), "nodes.labels.name"),
                                required(label.text("value"), "nodes.labels.value")))
                .forEach(label -> labels.put(label.getKey(), label.getValue()));
        return new NodeTraits(
                labels,
                json.objects(
                        "tolerations",
                        one -> new Toleration(
                                required(one.text("key"), "nodes.tolerations.key"),
                                one.text("value"),
                                one.text("effect"),
                                one.number("seconds"))));
    }

    /**
     * The spec that an earlier or the same version wrote. A job of before there were options has none.
     *
     * @throws StoreException where it holds what this version does not know
     */
    static JobSpec read(String text, Columns columns) {
        StoredObject json = new StoredObject("job.options", JobRows.parse(text, TREE));
        boolean isEmpty = text.equals("{}");
        OnHost host = json.object("host", StoredOptions::host);
        InContainer container = new InContainer(
                columns.snapshot(),
                columns.image(),
                isEmpty ? PullPolicy.MISSING : pull(json.text("pull")),
                json.text("workingDirectory"),
                json.number("shmBytes"),
                isEmpty ? InContainer.BRIDGE : required(json.text("network"), "network"),
                json.objects("mounts", StoredOptions::mount),
                Objects.requireNonNullElse(parsed(json, "track", TrackSources::parse), TrackSources.USUAL));
        NodeTraits nodes = Objects.requireNonNullElse(json.object("nodes", StoredOptions::nodes), NodeTraits.ANY);
        JobSpec spec = new JobSpec(
                new Label(columns.name(), columns.project(), json.texts("tags"), json.text("profile")),
                host == null
                        ? (columns.target() == null ? container : new AtTarget(columns.target(), container, nodes))
                        : host,
                new Resources(
                        columns.gpus(),
                        Objects.requireNonNullElse(json.object("traits", StoredOptions::traits), GpuTraits.ANY),
                        json.integer("cpuMilli"),
                        json.number("memoryBytes"),
                        Objects.requireNonNullElse(json.integer("nice"), 0),
                        new Guarantee(json.integer("cpuGuaranteeMilli"), json.number("memoryGuaranteeBytes"))),
                limits(json, columns.timeLimit()),
                prerequisites(json),
                tasks(json),
                json.flag("requeue"),
                retry(json),
                notifications(json),
                json.number("requeueOf"));
        json.end();
        return spec;
    }

    /** What is wrong with one is not said by its text, which may hold a secret. */
    private static List<Notification> notifications(StoredObject json) {
        try {
            return json.texts("notify").stream().map(Notification::parse).toList();
        } catch (IllegalArgumentException e) {
            throw StoreException.unknown("job.options.notify", "...");
        }
    }

    private static @Nullable Tasks tasks(StoredObject json) {
        Tasks tasks = parsed(json, "tasks", Tasks::parse);
        Integer size = json.integer("pack");
        Integer parallel = json.integer("parallel");
        return tasks == null || size == null || parallel == null ? tasks : tasks.with(new Packing(size, parallel));
    }

    private static void write(ObjectNode json, Guarantee guarantee) {
        Integer cpus = guarantee.cpuMilli();
        put(json, "cpuGuaranteeMilli", cpus == null ? null : cpus.longValue());
        put(json, "memoryGuaranteeBytes", guarantee.memoryBytes());
    }

    private static void write(ObjectNode json, Limits limits) {
        Duration idle = limits.idle();
        put(json, "idleTimeout", idle == null ? null : idle.toSeconds());
        put(json, "signal", limits.signal() == null ? null : limits.signal().toString());
        Duration grace = limits.grace();
        put(json, "stopGrace", grace == null ? null : grace.toSeconds());
    }

    private static Limits limits(StoredObject json, @Nullable Duration time) {
        Long idle = json.number("idleTimeout");
        LimitSignal signal = parsed(json, "signal", LimitSignal::parse);
        Long grace = json.number("stopGrace");
        try {
            return new Limits(
                    time,
                    idle == null ? null : Duration.ofSeconds(idle),
                    signal,
                    grace == null ? null : Duration.ofSeconds(grace));
        } catch (IllegalArgumentException e) {
            throw StoreException.unknown("job.options.stopGrace", String.valueOf(grace));
        }
    }

    /** The value of a text that is there; null for none. */
    private static <T> @Nullable T parsed(StoredObject json, String field, Function<String, T> parse) {
        String text = json.text(field);
        try {
            return text == null ? null : parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw StoreException.unknown("job.options." + field, text);
        }
    }

    private static void write(ObjectNode json, Prerequisites prerequisites) {
        Instant begin = prerequisites.begin();
        put(json, "begin", begin == null ? null : begin.toString());
        if (!prerequisites.dependencies().isEmpty()) {
            ArrayNode dependencies = json.putArray("dependencies");
            for (Dependency dependency : prerequisites.dependencies()) {
                ObjectNode one = dependencies.addObject();
                one.put("kind", dependency.kind().word())
                        .put("job", dependency.job().value());
                put(one, "task", dependency.task());
            }
        }
        if (prerequisites.keepWaiting()) {
            json.put("keepWaiting", true);
        }
    }

    private static Prerequisites prerequisites(StoredObject json) {
        String begin = json.text("begin");
        return new Prerequisites(
                begin == null ? null : Instant.parse(begin),
                json.objects("dependencies", StoredOptions::dependency),
                json.flag("keepWaiting"));
    }

    private static void write(ObjectNode json, Retry retry) {
        if (retry.most() == 0) {
            return;
        }
        json.put("retries", retry.most()).put("retryOn", retry.causes().toString());
        json.put("retryDelay", retry.delay().toString()).put("retryAtEnd", retry.atEnd());
    }

    private static Retry retry(StoredObject json) {
        Integer most = json.integer("retries");
        if (most == null) {
            return Retry.NONE;
        }
        return new Retry(
                most,
                required(parsed(json, "retryOn", RetryCauses::parse), "retryOn"),
                required(parsed(json, "retryDelay", RetryDelay::parse), "retryDelay"),
                json.flag("retryAtEnd"));
    }

    private static Dependency dependency(StoredObject json) {
        Long job = json.number("job");
        return new Dependency(
                DependencyRows.kind(required(json.text("kind"), "dependencies.kind")),
                new JobId(job == null ? 0 : job),
                json.text("task"));
    }

    private static Mount mount(StoredObject json) {
        return new Mount(
                required(json.text("source"), "mounts.source"),
                required(json.text("target"), "mounts.target"),
                json.flag("readOnly"));
    }

    private static GpuTraits traits(StoredObject json) {
        return new GpuTraits(json.number("memoryBytes"), json.text("type"), json.texts("labels"));
    }

    private static OnHost host(StoredObject json) {
        return new OnHost(required(json.text("directory"), "host.directory"), json.flag("shell"), json.flag("noWait"));
    }

    private static String word(PullPolicy pull) {
        return switch (pull) {
            case MISSING -> "MISSING";
            case ALWAYS -> "ALWAYS";
            case NEVER -> "NEVER";
        };
    }

    private static PullPolicy pull(@Nullable String word) {
        return switch (word) {
            case "MISSING" -> PullPolicy.MISSING;
            case "ALWAYS" -> PullPolicy.ALWAYS;
            case "NEVER" -> PullPolicy.NEVER;
            case null, default -> throw StoreException.unknown("job.options.pull", String.valueOf(word));
        };
    }

    private static <T> T required(@Nullable T value, String field) {
        if (value == null) {
            throw StoreException.unknown("job.options." + field, "null");
        }
        return value;
    }

    private static void put(ObjectNode json, String field, @Nullable String value) {
        if (value != null) {
            json.put(field, value);
        }
    }

    private static void put(ObjectNode json, String field, @Nullable Long value) {
        if (value != null) {
            json.put(field, value);
        }
    }
}
