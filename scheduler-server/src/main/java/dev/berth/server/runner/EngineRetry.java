package dev.berth.server.runner;

import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Carries work to its end: work that finds the engine unreachable, or failing, is done again from its beginning, later
 * and later; what nobody foresaw is repeated by the tasks. All such work can be repeated, and none of it may be given up: a
 * GPU whose container could not be stopped is not free. The log gets a line at the first failure and one at the end, not
 * one a try.
 */
public final class EngineRetry {
    private static final Logger LOG = LoggerFactory.getLogger(EngineRetry.class);
    private static final Duration FIRST_WAIT = Duration.ofMillis(100);
    private static final Duration MAX_WAIT_UNREACHABLE = Duration.ofSeconds(1);
    private static final Duration MAX_WAIT_FAILING = Duration.ofSeconds(2);
    private static final Duration MAX_WAIT_FAILED = Duration.ofSeconds(30);

    /**
     * The course of a piece of work.
     *
     * @param pause how long the next pause is, where nothing speaks against it
     * @param failures how often the engine failed at it, not counting when it did not answer
     */
    private record Course(BooleanSupplier work, Duration pause, int failures, CompletableFuture<Void> done) {
        static Course of(BooleanSupplier work) {
            return new Course(work, FIRST_WAIT, 0, new CompletableFuture<>());
        }

        Course later(Duration waited, int more) {
            return new Course(work, waited.multipliedBy(2), failures + more, done);
        }
    }

    private final Tasks tasks;

    public EngineRetry(Tasks tasks) {
        this.tasks = tasks;
    }

    /**
     * Does the work, on a thread of {@link Tasks}.
     *
     * @param work returns whether it is done; false does it again later
     * @return complete once the work is done
     */
    public CompletableFuture<Void> run(BooleanSupplier work) {
        Course course = Course.of(work);
        tasks.run(() -> attempt(course));
        return course.done();
    }

    /** Runs the work after a while. */
    public void runAfter(Duration delay, BooleanSupplier work) {
        Course course = Course.of(work);
        tasks.runAfter(delay, () -> attempt(course));
    }

    private void attempt(Course course) {
        Duration longest = MAX_WAIT_UNREACHABLE;
        int failures = 0;
        try {
            if (course.work().getAsBoolean()) {
                if (course.failures() > 0) {
                    LOG.info("the engine did it after {} failures", course.failures());
                }
                course.done().complete(null);
                return;
            }
        } catch (EngineException e) {
            longest = longest(e.kind());
            failures = e.kind() == EngineException.Kind.UNREACHABLE ? 0 : 1;
            // The first call that finds the engine away says so for all.
            Level level = failures == 1 && course.failures() == 0 ? Level.WARN : Level.DEBUG;
            LOG.atLevel(level).log("the engine failed, and is asked again until it does not: {}", e.sentence());
        }
        Duration pause = course.pause().compareTo(longest) > 0 ? longest : course.pause();
        Course next = course.later(pause, failures);
        tasks.runAfter(pause, () -> attempt(next));
    }

    private static Duration longest(EngineException.Kind kind) {
        return switch (kind) {
            case UNREACHABLE -> MAX_WAIT_UNREACHABLE;
            case LATE, FAILING, UNABLE, REFUSED -> MAX_WAIT_FAILING;
            case NOT_FOUND, INTERRUPTED, BEGUN -> MAX_WAIT_FAILED;
        };
    }
}
