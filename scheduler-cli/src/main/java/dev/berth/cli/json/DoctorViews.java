package dev.berth.cli.json;

import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.DoctorView;

/** The findings of an examination of this machine, read from JSON objects as {@link Views}. */
public final class DoctorViews {
    private DoctorViews() {}

    public static DoctorFinding finding(JsonObject json) {
        return new DoctorFinding(
                json.text("check"),
                json.text("verdict"),
                json.text("sentence"),
                json.textOrNull("mend"),
                json.textOrNull("details"));
    }

    public static DoctorView view(JsonObject json) {
        return new DoctorView(
                json.flag("ready"), json.text("sentence"), json.objects("findings", DoctorViews::finding));
    }
}
