package dev.berth.server.store;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.HostRun;
import dev.berth.core.job.JobOptions;
import dev.berth.core.job.Mount;
import dev.berth.core.job.PullPolicy;
import dev.berth.server.store.database.StoreException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The column {@code job.options}: a JSON object whose names and words stand here and nowhere else. Sizes in bytes, durations
 * in whole seconds. What is null is left out.
 */
final class StoredOptions {
    private static final TypeReference<JsonNode> TREE = new TypeReference<>() {};

    private StoredOptions() {}

    static String write(JobOptions options) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        options.tags().forEach(json.putArray("tags")::add);
        json.put("pull", word(options.pull()));
        put(json, "workingDirectory", options.workingDirectory());
        put(
                json,
                "cpuMilli",
                options.cpuMilli() == null ? null : options.cpuMilli().longValue());
        put(json, "memoryBytes", options.memoryBytes());
        put(json, "shmBytes", options.shmBytes());
        json.put("network", options.network());
        ArrayNode mounts = json.putArray("mounts");
        for (Mount mount : options.mounts()) {
            mounts.addObject()
                    .put("source", mount.source())
                    .put("target", mount.target())
                    .put("readOnly", mount.readOnly());
        }
        json.put("requeue", options.requeue());
        put(json, "requeueOf", options.resubmitOf());
        ObjectNode traits = json.putObject("traits");
        put(traits, "memoryBytes", options.traits().memoryBytes());
        put(traits, "type", options.traits().type());
        options.traits().labels().forEach(traits.putArray("labels")::add);
        HostRun host = options.host();
        if (host != null) {
            json.putObject("host")
                    .put("directory", host.directory())
                    .put("shell", host.shell())
                    .put("noWait", host.noWait());
        }
        Duration idle = options.idleTimeout();
        put(json, "idleTimeout", idle == null ? null : idle.toSeconds());
        return json.toString();
    }

    /**
     * What an earlier or the same version wrote. A job of before there were options has none.
     *
     * @throws StoreException where it holds what this version does not know
     */
    static JobOptions read(String text) {
        if (text.equals("{}")) {
            return JobOptions.NONE;
        }
        StoredObject json = new StoredObject("job.options", JobRows.parse(text, TREE));
        Long idle = json.number("idleTimeout");
        JobOptions options = new JobOptions(
                json.texts("tags"),
                pull(json.text("pull")),
                json.text("workingDirectory"),
                json.integer("cpuMilli"),
                json.number("memoryBytes"),
                json.number("shmBytes"),
                required(json.text("network"), "network"),
                json.objects("mounts", StoredOptions::mount),
                json.flag("requeue"),
                json.number("requeueOf"),
                Objects.requireNonNullElse(json.object("traits", StoredOptions::traits), GpuTraits.ANY),
                json.object("host", StoredOptions::host),
                idle == null ? null : Duration.ofSeconds(idle));
        json.end();
        return options;
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

    private static HostRun host(StoredObject json) {
        return new HostRun(required(json.text("directory"), "host.directory"), json.flag("shell"), json.flag("noWait"));
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

    private static String required(@Nullable String value, String field) {
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
