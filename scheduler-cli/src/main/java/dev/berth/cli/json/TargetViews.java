package dev.berth.cli.json;

import dev.berth.core.api.TargetList;
import dev.berth.core.api.TargetView;

/** The API's targets out of JSON objects, as {@link Views}. */
public final class TargetViews {
    private TargetViews() {}

    public static TargetList list(JsonObject json) {
        return new TargetList(json.objects("targets", TargetViews::target));
    }

    private static TargetView target(JsonObject json) {
        return new TargetView(
                json.text("name"),
                json.text("kind"),
                json.text("state"),
                json.text("sentence"),
                json.text("capacity"),
                json.text("order"),
                json.flag("open"),
                json.countOrNull("atOnce"),
                json.number("jobs"));
    }
}
