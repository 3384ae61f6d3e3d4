package dev.berth.cli.json;

import dev.berth.core.api.ReceiverList;
import dev.berth.core.api.ReceiverView;
import dev.berth.core.api.TestedReceiver;

/** The API's receivers of notices out of JSON objects, as {@link Views}. */
public final class ReceiverViews {
    private ReceiverViews() {}

    public static ReceiverView receiver(JsonObject json) {
        return new ReceiverView(
                json.number("id"),
                json.text("user"),
                json.texts("moments"),
                json.text("receiver"),
                json.text("createdAt"),
                json.number("waiting"),
                json.textOrNull("sentAt"),
                json.textOrNull("error"));
    }

    public static ReceiverList list(JsonObject json) {
        return new ReceiverList(json.objects("receivers", ReceiverViews::receiver));
    }

    public static TestedReceiver tested(JsonObject json) {
        return new TestedReceiver(
                json.object("receiver").as(ReceiverViews::receiver), json.flag("arrived"), json.text("sentence"));
    }
}
