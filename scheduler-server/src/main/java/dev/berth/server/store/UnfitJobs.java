package dev.berth.server.store;

import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that wait, or that a server has set aside, and that cannot run here. Of them all no more is kept than this.
 *
 * @param first the ids of the first of them
 * @param why what is in the way of the very first; empty where there is none
 */
public record UnfitJobs(long count, List<JobId> first, String why) {
    private static final int MAX_NAMED = 8;
    private static final int MAX_KNOWN = 256;

    public UnfitJobs {
        first = List.copyOf(first);
    }

    /** The part of a job that decides whether it can run, as it is stored. */
    private record Asked(
            int gpuMilli, String options, @Nullable String target) {}

    /** Most jobs of a long queue ask for the same as others. */
    private static final class Known extends LinkedHashMap<Asked, Optional<String>> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Asked, Optional<String>> eldest) {
            return size() > MAX_KNOWN;
        }
    }

    /** {@code refusal} says why a job cannot run, by what it asks for of GPUs, its options and its target alone. */
    static UnfitJobs read(Connection connection, Function<JobSpec, Optional<String>> refusal) throws SQLException {
        List<JobId> first = new ArrayList<>();
        String why = "";
        long count = 0;
        Map<Asked, Optional<String>> known = new Known();
        try (PreparedStatement select = connection.prepareStatement(Selects.TO_BE_RUN);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                Asked asked = new Asked(row.getInt("gpu_milli"), row.getString("asked"), row.getString("target"));
                Optional<String> answer = known.get(asked);
                if (answer == null) {
                    answer = refusal.apply(JobRows.spec(row));
                    known.put(asked, answer);
                }
                if (answer.isPresent()) {
                    why = count == 0 ? answer.get() : why;
                    count++;
                    if (first.size() < MAX_NAMED) {
                        first.add(new JobId(row.getLong("id")));
                    }
                }
            }
        }
        return new UnfitJobs(count, first, why);
    }
}
