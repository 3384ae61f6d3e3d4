package dev.berth.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.machine.Step.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What clients were told, kept outside the server's reach. */
final class Told {
    private record Asked(CompletableFuture<Reply> answer, int gpus, int submit) {}

    private final List<Asked> asked = new ArrayList<>();
    private final Map<String, Integer> crashes = new LinkedHashMap<>();

    void asked(CompletableFuture<Reply> answer, int gpus, int submit) {
        asked.add(new Asked(answer, gpus, submit));
    }

    void crashed(String where) {
        crashes.merge(where, 1, Integer::sum);
    }

    /** The ids of the jobs whose acceptance somebody was told of, with the GPUs they asked for. */
    Map<Long, Integer> acknowledged() {
        Map<Long, Integer> jobs = new LinkedHashMap<>();
        Map<Integer, Long> bySubmit = new HashMap<>();
        for (Asked one : asked) {
            if (one.answer().isDone()) {
                job(one.answer().join()).ifPresent(id -> {
                    jobs.put(id, one.gpus());
                    assertThat(bySubmit.computeIfAbsent(one.submit(), _ -> id))
                            .as("a submit that is sent again makes no second job")
                            .isEqualTo(id);
                });
            }
        }
        return jobs;
    }

    private static Optional<Long> job(Reply reply) {
        return switch (reply) {
            case Reply.Accepted(Job job) -> Optional.of(job.id().value());
            case Reply.Repeated(Job job) -> Optional.of(job.id().value());
            default -> Optional.empty();
        };
    }

    Map<String, Integer> crashes() {
        return crashes;
    }
}
