package dev.berth.cli.json;

import dev.berth.core.api.ProfileList;
import dev.berth.core.api.ProfileView;

/** The API's profiles out of JSON objects, as {@link Views}. */
public final class ProfileViews {
    private ProfileViews() {}

    public static ProfileList list(JsonObject json) {
        return new ProfileList(
                json.objects("profiles", ProfileViews::profile), json.texts("problems"), json.texts("remarks"));
    }

    private static ProfileView profile(JsonObject json) {
        return new ProfileView(
                json.text("name"),
                json.text("description"),
                json.flag("preselected"),
                json.text("access"),
                json.countOrNull("gpus"),
                json.textOrNull("gpuType"),
                json.countOrNull("cpuMilli"),
                json.countOrNull("cpuGuaranteeMilli"),
                json.numberOrNull("memoryBytes"),
                json.numberOrNull("memoryGuaranteeBytes"),
                json.numberOrNull("shmBytes"),
                json.textOrNull("image"),
                json.textOrNull("pull"),
                json.texts("environment"),
                json.texts("unused"));
    }
}
