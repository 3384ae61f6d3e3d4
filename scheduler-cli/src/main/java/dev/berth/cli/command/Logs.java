package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.JobFollower;
import dev.berth.cli.client.LogPart;
import dev.berth.cli.command.submit.Follow;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.exit.OnInterrupt;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.JobStates;
import dev.berth.cli.line.Shape;
import dev.berth.cli.line.Since;
import dev.berth.cli.output.LogSource;
import dev.berth.cli.output.Output;
import dev.berth.cli.output.text.TasksText;
import dev.berth.core.api.JobView;
import dev.berth.core.api.LogLimits;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** {@code berth logs}: what a job's program wrote. */
final class Logs implements Verb {
    private static final String ATTEMPT = "--attempt";
    private static final String FOLLOW = "--follow";
    private static final String TAIL = "--tail";
    private static final String SINCE = "--since";
    private static final String TIMESTAMPS = "--timestamps";
    private static final String STDOUT = "--stdout";
    private static final String STDERR = "--stderr";

    @Override
    public Shape shape() {
        return Shape.of(
                        "logs",
                        "<id>",
                        "Print what a job's program wrote, both of its streams on standard output, in the order of"
                                + " arrival. Of an array, each task has a log: 42_7.",
                        "")
                .flag("Go on with what it still writes, until the job is over, or the attempt.", "-f", FOLLOW)
                .value("N", "Only what its attempt N wrote, of a job that was started more than once.", ATTEMPT)
                .value("N", "Only the last N lines.", "-n", TAIL)
                .value("TIME", "Only what came since: 10m for the last ten minutes, or an ISO time.", SINCE)
                .flag("Begin each line with the time of its arrival.", "-t", TIMESTAMPS)
                .flag("Only what it wrote to its standard output.", STDOUT)
                .flag("Only what it wrote to its standard error.", STDERR)
                .examples(
                        "berth logs 17",
                        "berth logs -f --tail 20 17",
                        "berth logs --stderr --since 10m -t 17",
                        "berth logs 17 > job.log",
                        "berth logs -f 42_7",
                        "berth logs --attempt 1 17");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        LogPart part = part(arguments, session);
        BerthClient client = session.client();
        long id = session.jobId(arguments, client);
        JobFollower follower = session.follower(client);
        AtomicLong written = new AtomicLong();
        LogSource source = source(id, arguments, client);
        JobFollower.LogSink out = sink(source, arguments.has(TIMESTAMPS), session.output());
        JobFollower.LogSink sink = (frame, bytes) -> {
            written.addAndGet(frame.length());
            out.take(frame, bytes);
        };
        try {
            if (arguments.has(FOLLOW)) {
                JobView job = client.job(id);
                requireNoArray(job);
                sayWhatItWaitsFor(job, session);
                try (OnInterrupt _ = OnInterrupt.run(() -> goesOn(job, session))) {
                    follower.copyLog(id, true, part, sink);
                }
            } else {
                follower.copyLog(id, false, part, sink);
            }
        } catch (Failure refused) {
            throw retold(refused);
        }
        session.output().logEnd(source);
        if (written.get() == 0) {
            sayThatItIsEmpty(client.job(id), part, session.output());
        }
        return ExitCode.OK;
    }

    /** Lines of JSON alone say the number, and of an id that is a task's only the server knows it. */
    private static LogSource source(long id, Arguments arguments, BerthClient client) throws IOException {
        return arguments.has(Shape.JSON)
                ? LogSource.of(client.job(id))
                : new LogSource(id, JobIds.number(arguments.words().getFirst(), id));
    }

    private static void sayThatItIsEmpty(JobView job, LogPart part, Output output) {
        if (part.equals(LogPart.ALL)) {
            // A pack is called 42_[0-4], and is what its tasks run in.
            String ofTasks = job.number().endsWith("]") ? " itself; each of its tasks has a log of its own" : "";
            output.notice("berth: job " + job.number() + " is " + job.state() + " and has written nothing" + ofTasks);
        } else if (part.equals(LogPart.ofAttempt(part.attempt()))) {
            output.notice("berth: attempt " + part.attempt() + " of job " + job.number() + " has written nothing");
        }
    }

    /** A refusal of the attempt, said of the option as it is typed: the API speaks of its own field. */
    private static Failure retold(Failure refused) {
        Map<String, String> details = refused.error().details();
        String attempt = details.get("value");
        String rule = details.get("rule");
        return attempt == null || rule == null || !ATTEMPT.substring(2).equals(details.get("field"))
                ? refused
                : refused.inWords(
                        ATTEMPT + " " + attempt + " " + rule + "; without it what all attempts wrote is shown");
    }

    private static void requireNoArray(JobView job) {
        if (job.tasks() != null) {
            throw Failure.of(
                    ExitCode.REFUSED,
                    "NO_LOG",
                    "array " + job.number() + " has no log of its own; its tasks have: berth logs "
                            + TasksText.firstTask(job) + " prints that of the first, berth ps --tasks " + job.number()
                            + " lists them");
        }
    }

    private static JobFollower.LogSink sink(LogSource job, boolean stamped, Output output) {
        return stamped
                ? (frame, bytes) -> output.stampedLog(job, frame, bytes)
                : (frame, bytes) -> output.log(job, frame, bytes);
    }

    private static LogPart part(Arguments arguments, Session session) {
        return new LogPart(
                arguments.number(ATTEMPT, 1, LogLimits.MAX_ATTEMPT),
                arguments.number(TAIL, 0, LogLimits.MAX_TAIL),
                Since.instant(
                        arguments.value(SINCE), session.environment().time().instant()),
                stream(arguments));
    }

    private static @Nullable String stream(Arguments arguments) {
        if (arguments.has(STDOUT) && arguments.has(STDERR)) {
            throw Failure.usage("--stdout and --stderr exclude each other; without them both streams are shown");
        }
        return arguments.has(STDOUT) ? "stdout" : arguments.has(STDERR) ? "stderr" : null;
    }

    private static void sayWhatItWaitsFor(JobView job, Session session) {
        if (JobStates.WAITING.contains(job.state())) {
            session.output().standing(job);
        }
    }

    private static void goesOn(JobView job, Session session) {
        session.environment().screen().notice(Follow.goesOn(job));
    }
}
