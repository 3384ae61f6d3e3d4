package dev.berth.server.runner.target;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.Program;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.OfAttempt;
import dev.berth.core.machine.JobEvent.RunEnded;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunHandedOver;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.Notices;
import dev.berth.server.runner.Runner;
import dev.berth.server.runner.RunnerContract;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Tasks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The runner of targets, on whichever engine, which starts what it was handed. */
@Timeout(180)
public abstract class TargetRunnerContract extends RunnerContract {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

    /** An engine never takes two jobs of one name. */
    private static final AtomicLong NUMBERS = new AtomicLong();

    @TempDir
    private Path directory;

    private final JobId id = new JobId(NUMBERS.incrementAndGet());
    private final Instant submittedAt = Instant.now();
    private final Map<JobId, Job> stored = new ConcurrentHashMap<>();
    private @Nullable ServerThreads threads;

    /** The engine of a server that begins, and knows of nothing. */
    protected abstract TargetEngine connect();

    /** Its program runs once this returns, whoever starts it. */
    protected abstract void start(Handed one);

    /** Its program ends by itself. */
    protected abstract void end(Handed one, int exitCode);

    /** Whether its program runs in truth. */
    protected abstract boolean isAlive(Handed one);

    /** What the image of its job is called; nothing where programs have none. */
    protected String image() {
        return AtTarget.NODE;
    }

    protected Submitter owner() {
        return Jobs.ADA;
    }

    /** What it runs, where programs run. */
    protected Program program() {
        return Jobs.PROGRAM;
    }

    private Handed handed() {
        Attempt attempt = new Attempt(id, 1);
        return new Handed(attempt, TargetServer.name(attempt), owner(), submittedAt);
    }

    @Override
    protected final Runner begin(Notices notices) throws IOException {
        Job _ = stored.computeIfAbsent(id, _ -> job().with(new Creating(1, imageId(), allocation())));
        endServer();
        ServerThreads own = new ServerThreads();
        threads = own;
        BackgroundWork background = new BackgroundWork(own, InstantSource.system());
        TargetServer server = new TargetServer(directory, connect(), stored, program(), InstantSource.system());
        Notices stores = (job, event) -> {
            if (event instanceof RunHandedOver) {
                Job _ = stored.computeIfPresent(job, (_, before) -> before.with(new HandedOver(1, false)));
            }
            notices.post(job, event);
        };
        TargetRunner runner = server.runner(server.parts(stores, _ -> {}), background);
        runner.watch(background, BETWEEN_LOOKS);
        return runner;
    }

    private void endServer() {
        ServerThreads last = threads;
        if (last != null) {
            last.close();
        }
    }

    @Override
    protected void close() throws Exception {
        endServer();
        if (isAlive(handed())) {
            connect().cancel(handed(), Duration.ZERO);
        }
    }

    @Override
    protected final Job job() {
        JobSpec spec = TargetServer.spec(image());
        return new Job(id, spec, owner(), submittedAt, new Queued(1, new ImageState.Ready("")));
    }

    @Override
    protected final String imageId() {
        return "";
    }

    @Override
    protected final Allocation allocation() {
        return Allocation.NONE;
    }

    @Override
    protected final void bringToRun() throws Exception {
        carryOut(creation());
        assertThat(next(RunHandedOver.class).attempt()).isEqualTo(1);
        start(handed());
    }

    @Override
    protected final void exit(Job job, int exitCode) {
        end(handed(), exitCode);
    }

    @Override
    protected final boolean isAlive(Job job) {
        return isAlive(handed());
    }

    /** The mark of its hand-over: whether it runs, the engine says later. */
    @Override
    protected final Class<? extends Condition> foundAs() {
        return Condition.FilesLeft.class;
    }

    @Override
    protected final Set<Class<? extends OfAttempt>> ends() {
        return Set.of(RunExited.class, RunGone.class, RunEnded.class);
    }

    @Override
    protected final boolean sendsSignals() {
        return connect().abilities().has(TargetEngine.Ability.SIGNALS);
    }

    @Override
    protected final void disown(Job job) {
        Job _ = stored.remove(job.id());
    }

    /** Only its job says which target has it. */
    @Override
    protected final boolean endsWithoutJob() {
        return false;
    }

    /** Virtual threads of which none does anything once its server has ended. */
    private static final class ServerThreads implements Tasks, AutoCloseable {
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

        @Override
        public void run(Runnable work) {
            threads.execute(work);
        }

        @Override
        public void runAfter(Duration delay, Runnable work) {
            CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, threads)
                    .execute(work);
        }

        /** Lets what has begun come to its end. */
        @Override
        public void close() {
            threads.close();
        }
    }
}
