package dev.berth.cli.client;

import dev.berth.cli.exit.Failure;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobView;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Waits until jobs have finished, over restarts of the server: each is asked for once, and one stream of events tells
 * the rest. It gives up when the server has been away for a minute. For one thread.
 */
public final class JobEnds {
    private final BerthClient client;
    private final Backoff backoff;
    private final Map<Long, JobView> finished = new HashMap<>();

    /** The arrays of the tasks among them: with an array end those of its tasks that have had no turn. */
    private final Map<Long, Long> arrays = new HashMap<>();

    private boolean hasAnswered;

    /** A wait that says to {@code notices} when the server goes and when it comes back. */
    public JobEnds(BerthClient client, Pause pause, Consumer<String> notices) {
        this.client = client;
        this.backoff = new Backoff(pause, notices);
    }

    /**
     * Hands over each job once it has finished, in the order of the ids.
     *
     * @throws IOException where the server is away at the first question; later it is waited for
     */
    public void await(List<Long> ids, Consumer<JobView> listener) throws IOException {
        int told = 0;
        while (told < ids.size()) {
            // Before the jobs are asked for, so that no end falls between the two.
            try (EventStream events = client.events(EventStream.UNKNOWN, true)) {
                for (long id : ids) {
                    look(id);
                }
                hasAnswered = true;
                backoff.reset();
                told = tell(ids, told, listener);
                while (told < ids.size() && hear(events, ids)) {
                    told = tell(ids, told, listener);
                }
                if (told < ids.size()) {
                    backoff.rest();
                }
            } catch (IOException broken) {
                if (!hasAnswered) {
                    throw broken;
                }
                backoff.away(broken);
            } catch (Failure refused) {
                backoff.refused(refused);
            }
        }
    }

    private void look(long id) throws IOException {
        if (!finished.containsKey(id)) {
            JobView job = client.job(id);
            if (JobFollower.isFinal(job.state())) {
                finished.put(id, job);
            }
            Long array = job.arrayId();
            if (array != null) {
                arrays.put(id, array);
            }
        }
    }

    /** Waits for the next event; false where the stream has ended. */
    private boolean hear(EventStream events, List<Long> ids) throws IOException {
        JobEventView event = events.next();
        if (event != null && JobFollower.isFinal(event.to()) && ids.contains(event.job())) {
            look(event.job());
        }
        if (event != null && !event.to().equals(event.from()) && arrays.containsValue(event.job())) {
            lookAtTasks(event.job(), ids);
        }
        return event != null;
    }

    private void lookAtTasks(long array, List<Long> ids) throws IOException {
        for (long id : ids) {
            if (arrays.getOrDefault(id, 0L) == array) {
                look(id);
            }
        }
    }

    private int tell(List<Long> ids, int from, Consumer<JobView> listener) {
        int told = from;
        for (; told < ids.size(); told++) {
            JobView job = finished.get(ids.get(told));
            if (job == null) {
                return told;
            }
            listener.accept(job);
        }
        return told;
    }
}
