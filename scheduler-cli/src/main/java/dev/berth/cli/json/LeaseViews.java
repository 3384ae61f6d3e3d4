package dev.berth.cli.json;

import dev.berth.cli.exit.Failure;
import dev.berth.core.api.LeaseEnded;
import dev.berth.core.api.LeaseGranted;
import dev.berth.core.api.LeaseState;
import dev.berth.core.api.LeaseStop;
import dev.berth.core.api.LeaseWaiting;

/** The records about leases out of JSON objects, field by field. */
public final class LeaseViews {
    private LeaseViews() {}

    /** The record of an event of that name. */
    public static Record event(String name, JsonObject json) {
        return switch (name) {
            case "waiting" -> new LeaseWaiting(json.text("state"), json.textOrNull("reason"), json.text("sentence"));
            case "granted" -> granted(json);
            case "stop" -> new LeaseStop(json.text("cause"), json.text("sentence"));
            case "ended" -> new LeaseEnded(json.text("state"), json.text("sentence"), json.countOrNull("exitCode"));
            default -> throw Failure.badAnswer("an event '" + name + "' of a lease");
        };
    }

    private static LeaseGranted granted(JsonObject json) {
        return new LeaseGranted(
                json.count("attempt"),
                json.objects("gpus", gpu -> new LeaseGranted.LeasedGpu(gpu.text("index"), gpu.text("uuid"))),
                json.textMap("environment"),
                json.textMap("defaults"),
                json.counts("cpus"));
    }

    public static LeaseState state(JsonObject json) {
        return new LeaseState(json.text("state"), json.textOrNull("stop"));
    }
}
