package dev.berth.cli.command.submit;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.LeaseFollower;
import dev.berth.cli.command.Session;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.exit.OnInterrupt;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.WaitingLine;
import dev.berth.cli.program.ProcessRecord;
import dev.berth.core.api.JobView;
import dev.berth.core.api.LeaseEnded;
import dev.berth.core.api.LeaseGranted;
import dev.berth.core.option.JobOption;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The part that is the same for a program and for a shell: to queue, and to wait for the turn. */
final class LeasedTurn {
    private final Session session;
    private final Arguments arguments;
    private final BerthClient client;
    private final ProcessRecord own = ProcessRecord.own();

    LeasedTurn(Session session, Arguments arguments) {
        if (session.remote() != null) {
            throw Failure.usage(
                    "berth " + arguments.command() + " gives GPUs of this machine to processes of this machine,"
                            + " and asks the server at its socket; leave out " + Shape.URL
                            + " and BERTH_URL, or use berth submit");
        }
        this.session = session;
        this.arguments = arguments;
        this.client = session.client();
    }

    ProcessRecord own() {
        return own;
    }

    /** Says a sentence on standard error, where the command is not to be quiet. */
    void notice(String sentence) {
        if (!arguments.has(Shape.QUIET)) {
            session.environment().screen().notice("berth: " + sentence);
        }
    }

    JobView queued(Map<String, Object> request) throws IOException {
        try {
            return session.retried().once(key -> client.submit(request, key));
        } catch (Failure refused) {
            throw refused.error().code().equals("NOT_NOW")
                    ? Failure.of(ExitCode.NOT_NOW, "NOT_NOW", refused.error().message())
                    : OptionRefusal.retold(refused, GivenOptions.of(arguments));
        }
    }

    LeaseFollower follower(JobView job) {
        return new LeaseFollower(
                client, session.environment().pause(), this::notice, job.id(), own.pid(), own.startTicks());
    }

    /** Waits; a signal that ends the wait takes the job out of the queue. */
    LeaseGranted granted(JobView job, LeaseFollower follower) throws IOException {
        // Who does not wait is told how it ended: what was said of a start before that would be no longer so.
        boolean waits = !arguments.has(JobOption.NO_WAIT.names().getFirst());
        try (OnInterrupt _ = OnInterrupt.run(() -> cancel(job.id()));
                WaitingLine line =
                        new WaitingLine(session.environment().screen(), waits && !arguments.has(Shape.QUIET))) {
            return switch (follower.turn(waiting -> line.say("job " + job.id() + ": " + waiting.sentence()))) {
                case LeaseGranted granted -> granted;
                case LeaseEnded ended
                when !waits && ended.state().equals("FAILED") ->
                    throw Failure.of(ExitCode.NOT_NOW, "NOT_NOW", ended.sentence() + "; free GPUs: " + free());
                case LeaseEnded ended ->
                    throw Failure.of(
                            ended.state().equals("CANCELLED") ? ExitCode.CANCELLED : ExitCode.BERTH_FAILED,
                            ended.state(),
                            "job " + job.id() + " " + ended.state() + ": " + ended.sentence());
                case Record other -> throw Failure.badAnswer("an event of a lease: " + other);
            };
        }
    }

    /** The GPUs that are free now. */
    private String free() throws IOException {
        List<String> free = client.gpus().gpus().stream()
                .filter(gpu -> gpu.holders().isEmpty() && gpu.cleaning() == null)
                .filter(gpu -> gpu.drain() == null && gpu.obstacle() == null)
                .map(gpu -> gpu.index() + " (" + gpu.name() + ")")
                .toList();
        return free.isEmpty() ? "none" : String.join(", ", free);
    }

    private void cancel(long id) {
        try {
            JobView _ = client.cancel(id);
        } catch (IOException | Failure gone) {
            // The server sees for itself that nobody waits any more.
            return;
        }
    }
}
