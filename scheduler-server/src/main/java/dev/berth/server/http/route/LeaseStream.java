package dev.berth.server.http.route;

import dev.berth.core.api.JobView;
import dev.berth.core.api.LeaseGranted;
import dev.berth.core.api.LeaseStop;
import dev.berth.core.api.LeaseWaiting;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Capacity;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.ServerSentEvents;
import dev.berth.server.runner.host.Grant;
import dev.berth.server.runner.host.GrantEnvironment;
import dev.berth.server.runner.host.HostRunner;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The messages to a client that waits for its GPUs, each of them once and in its order. For one thread. */
final class LeaseStream {
    private final LeaseResource lease;
    private final Exchange exchange;
    private final HostRunner.Visit visit;
    private String waiting = "";
    private boolean granted;
    private boolean stopped;

    LeaseStream(LeaseResource lease, Exchange exchange, HostRunner.Visit visit) {
        this.lease = lease;
        this.exchange = exchange;
        this.visit = visit;
    }

    /** Until the job is over, or nobody listens any more. */
    void run(JobId id) throws IOException, InterruptedException {
        // So that it can be seen when the client goes away.
        exchange.answerHeader("Connection", "close");
        exchange.answerHeader("Transfer-Encoding", "chunked");
        OutputStream out = exchange.answer(200, "text/event-stream");
        var changes = lease.scheduling().changes();
        boolean over = false;
        while (!over) {
            long seen = changes.count();
            Optional<Job> job = lease.find(id);
            over = job.isEmpty() || tell(out, job.get());
            if (!over && !exchange.awaitNews(changes, seen, ServerSentEvents.HEARTBEAT)) {
                ServerSentEvents.beat(out);
            }
        }
        out.close();
    }

    /** Whether there is no more to tell. */
    private boolean tell(OutputStream out, Job job) throws IOException {
        Optional<Grant> grant = visit.grant();
        String cause = LeaseResource.cause(job.state());
        if (job.state() instanceof Finished) {
            ServerSentEvents.send(out, "ended", LeaseResource.ended(job));
            return true;
        }
        if (cause != null) {
            stop(out, cause, job);
        } else if (grant.isPresent()) {
            grant(out, job, grant.get());
        } else {
            await(out, lease.views().brief(job));
        }
        return false;
    }

    private void stop(OutputStream out, String cause, Job job) throws IOException {
        if (!stopped) {
            stopped = true;
            ServerSentEvents.send(
                    out, "stop", new LeaseStop(cause, lease.views().brief(job).sentence()));
        }
    }

    private void grant(OutputStream out, Job job, Grant grant) throws IOException {
        if (!granted) {
            granted = true;
            ServerSentEvents.send(out, "granted", view(job, grant));
        }
    }

    private LeaseGranted view(Job job, Grant grant) {
        Capacity capacity = lease.scheduling().machine().capacity();
        List<Integer> cpus = grant.allocation().cpus();
        return new LeaseGranted(
                grant.attempt(),
                grant.allocation().gpus().stream()
                        .map(id -> new LeaseGranted.LeasedGpu(capacity.index(id).orElse(JobView.OTHER_GPU), id.uuid()))
                        .toList(),
                GrantEnvironment.of(job, grant, lease.hosts().server()),
                GrantEnvironment.threads(cpus.size()),
                cpus);
    }

    /** The sentence, whenever it is another one; a program that runs has none to wait by. */
    private void await(OutputStream out, JobView job) throws IOException {
        @Nullable String reason = job.reason();
        boolean waits = !granted && !job.state().equals(StateName.RUNNING.name());
        if (waits && !job.sentence().equals(waiting)) {
            waiting = job.sentence();
            ServerSentEvents.send(out, "waiting", new LeaseWaiting(job.state(), reason, waiting));
        }
    }
}
