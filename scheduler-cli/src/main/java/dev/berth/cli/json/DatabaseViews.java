package dev.berth.cli.json;

import dev.berth.core.api.BackupView;
import dev.berth.core.api.CheckView;

/** Reports of the API about the database, read from JSON objects as {@link Views}. */
public final class DatabaseViews {
    private DatabaseViews() {}

    public static BackupView backup(JsonObject json) {
        return new BackupView(
                json.text("file"), json.text("madeAt"), json.number("bytes"), json.textOrNull("trackingFile"));
    }

    public static CheckView check(JsonObject json) {
        return new CheckView(json.text("file"), json.flag("whole"), json.texts("problems"), json.text("sentence"));
    }
}
