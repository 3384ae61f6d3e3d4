package dev.berth.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A wish in the words of a submit.
 *
 * @param dependency the job that it waits for, as the option and the API's field name it; empty for none
 * @param volume where its programs take their notes
 */
record Asked(Wish wish, Optional<String> dependency, String volume) {

    /** The command's, from the options on. */
    List<String> words() {
        List<String> words =
                new ArrayList<>(List.of("--name", wish.name(), "--num-gpus", "" + wish.gpus(), "-v", volume));
        if (wish.requeue()) {
            words.add("--requeue");
        }
        if (wish.limitSeconds() > 0) {
            words.addAll(List.of("--time", wish.limitSeconds() + "s"));
        }
        dependency.ifPresent(one -> words.addAll(List.of("--dependency", one)));
        Wish.Tasks tasks = wish.tasks();
        if (wish.isArray()) {
            words.addAll(List.of("--array", tasks.text()));
        }
        if (tasks.isPacked()) {
            words.addAll(List.of("--pack", "" + tasks.pack(), "--parallel", "" + tasks.parallel()));
        }
        Wish.Retries retries = wish.retries();
        if (retries.most() > 0) {
            words.addAll(List.of("--retries", "" + retries.most(), "--retry-on", "exit"));
            words.addAll(List.of("--retry-place", place(retries)));
        }
        if (retries.delaySeconds() > 0) {
            words.addAll(List.of("--retry-delay", retries.delaySeconds() + "s"));
        }
        words.add("--");
        words.addAll(wish.command());
        return words;
    }

    /** The API's; {@code snapshot} is the project, which the server has already. */
    Map<String, Object> request(String snapshot) {
        Map<String, Object> request = new HashMap<>(
                Map.of("name", wish.name(), "gpus", wish.gpus(), "command", wish.command(), "snapshot", snapshot));
        request.put("volumes", List.of(volume));
        request.put("requeue", wish.requeue());
        if (wish.limitSeconds() > 0) {
            request.put("timeLimitSeconds", wish.limitSeconds());
        }
        dependency.ifPresent(one -> request.put("dependencies", List.of(one)));
        Wish.Tasks tasks = wish.tasks();
        if (wish.isArray()) {
            request.put("array", tasks.text());
        }
        if (tasks.isPacked()) {
            request.putAll(Map.of("pack", tasks.pack(), "parallel", tasks.parallel()));
        }
        Wish.Retries retries = wish.retries();
        if (retries.most() > 0) {
            request.putAll(Map.of("retries", retries.most(), "retryOn", List.of("exit"), "retryPlace", place(retries)));
        }
        if (retries.delaySeconds() > 0) {
            request.put("retryDelay", retries.delaySeconds() + "s");
        }
        return request;
    }

    private static String place(Wish.Retries retries) {
        return retries.atEnd() ? "end" : "keep";
    }
}
