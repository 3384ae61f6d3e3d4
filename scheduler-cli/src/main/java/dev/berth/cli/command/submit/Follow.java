package dev.berth.cli.command.submit;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobFollower;
import dev.berth.cli.client.LogPart;
import dev.berth.cli.command.Session;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.OnInterrupt;
import dev.berth.cli.output.LogSource;
import dev.berth.cli.output.Output;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobView;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Follows a submitted job: its states on standard error, its log on standard output, its exit code. */
public final class Follow {
    private final Session session;
    private final Output output;
    private final BerthClient client;
    private final JobFollower follower;
    private @Nullable CompletableFuture<Void> log;

    Follow(Session session, BerthClient client) {
        this.session = session;
        this.output = session.output();
        this.client = client;
        this.follower = session.follower(client);
    }

    /** The exit code of the command: the job's own. */
    int untilEnd(JobView accepted, boolean showLog) throws IOException {
        long id = accepted.id();
        output.following(accepted);
        try (OnInterrupt _ = OnInterrupt.run(() -> sayThatItGoesOn(accepted))) {
            JobView ended = follower.untilEnd(id, event -> changed(event, showLog));
            if (showLog) {
                join(log == null ? copy(LogSource.of(accepted)) : log);
                output.logEnd(LogSource.of(accepted));
            }
            output.followed(ended);
            return ExitCode.of(ended);
        } catch (IOException stopped) {
            if (log != null && log.isCompletedExceptionally()) {
                sayThatItGoesOn(accepted);
                join(log);
            }
            throw stopped;
        }
    }

    private void sayThatItGoesOn(JobView job) {
        session.environment().screen().notice(goesOn(job));
    }

    public static String goesOn(JobView job) {
        String number = job.number();
        return job.tasks() == null
                ? "berth: job " + number + " goes on; berth logs -f " + number + " to follow it again, berth cancel "
                        + number + " to end it"
                : "berth: array " + number + " goes on; berth wait " + number + " to wait for it again, berth cancel "
                        + number + " to end it";
    }

    private void changed(JobEventView event, boolean showLog) {
        if (event.from() == null || event.to().equals(event.from()) || JobFollower.isFinal(event.to())) {
            return;
        }
        try {
            JobView now = client.job(event.job());
            // Its end, which may be there by now, is said when all of its log is.
            if (!JobFollower.isFinal(now.state())) {
                output.standing(now);
            }
        } catch (IOException away) {
            // Whether the server stays away is for the follower to find out.
            output.notice("berth: job " + event.number() + " " + event.to());
        }
        if (showLog && log == null && event.to().equals("RUNNING")) {
            log = copy(new LogSource(event.job(), event.number()));
        }
    }

    private CompletableFuture<Void> copy(LogSource job) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> copy(job, done), "follow-log");
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    private void copy(LogSource job, CompletableFuture<Void> done) {
        try {
            follower.copyLog(job.id(), true, LogPart.ALL, (frame, bytes) -> output.log(job, frame, bytes));
            done.complete(null);
        } catch (IOException | RuntimeException broken) {
            done.completeExceptionally(broken);
            stop();
        }
    }

    /** Nobody reads the log any more, or nobody gives it: then there is nothing to wait for. */
    private void stop() {
        try {
            follower.stop();
        } catch (IOException closedAlready) {
            // Which is what was wanted.
            return;
        }
    }

    private static void join(CompletableFuture<Void> done) throws IOException {
        try {
            done.join();
        } catch (CompletionException broken) {
            if (broken.getCause() instanceof IOException away) {
                throw away;
            }
            if (broken.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw broken;
        }
    }
}
