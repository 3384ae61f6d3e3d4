package dev.berth.server.simulation;

import dev.berth.core.machine.Step.Reply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What clients were told, kept outside the server's reach. */
final class Told {
    private record Asked(CompletableFuture<Reply> answer, int gpus) {}

    private final List<Asked> asked = new ArrayList<>();
    private final Map<String, Integer> crashes = new LinkedHashMap<>();

    void asked(CompletableFuture<Reply> answer, int gpus) {
        asked.add(new Asked(answer, gpus));
    }

    void crashed(String where) {
        crashes.merge(where, 1, Integer::sum);
    }

    /** The ids of the jobs whose acceptance somebody was told of, with the GPUs they asked for. */
    Map<Long, Integer> acknowledged() {
        Map<Long, Integer> jobs = new LinkedHashMap<>();
        for (Asked one : asked) {
            if (one.answer().isDone() && one.answer().join() instanceof Reply.Accepted accepted) {
                jobs.put(accepted.job().id().value(), one.gpus());
            }
        }
        return jobs;
    }

    Map<String, Integer> crashes() {
        return crashes;
    }
}
