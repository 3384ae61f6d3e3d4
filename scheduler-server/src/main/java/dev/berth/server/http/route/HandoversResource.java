package dev.berth.server.http.route;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Launching;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.machine.Attempt;
import dev.berth.server.bounds.UserTurns;
import dev.berth.server.bounds.UserTurns.Turn;
import dev.berth.server.code.SnapshotArchive;
import dev.berth.server.code.SnapshotArchive.Submitted;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.runner.target.HandoverLinks;
import dev.berth.server.runner.target.TrialJob;
import dev.berth.server.store.JobQueries;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/** {@code /handovers}: what a target fetches of a job that it was handed. A link proves the right to it. */
final class HandoversResource {
    private static final String BEFORE = "/api/v1/handovers/";
    private static final String BEHIND = "/snapshot";
    private static final String TAR = "application/x-tar";
    private static final int OF_ONE_USER = 4;

    private final HandoverLinks links;
    private final JobQueries queries;
    private final SnapshotArchive archive;
    private final UserTurns turns = new UserTurns(OF_ONE_USER);

    HandoversResource(HandoverLinks links, JobQueries queries, SnapshotArchive archive) {
        this.links = links;
        this.queries = queries;
        this.archive = archive;
    }

    void addTo(Router router) {
        router.addOpen("GET", BEFORE + "{token}" + BEHIND, this::fetch);
    }

    private void fetch(Exchange exchange) throws IOException, InterruptedException {
        String path = exchange.path();
        Attempt attempt = links.attempt(path.substring(BEFORE.length(), path.length() - BEHIND.length()))
                .orElseThrow(HandoversResource::noSuchLink);
        if (TrialJob.isOne(attempt.job())) {
            try (OutputStream out = exchange.answer(200, TAR)) {
                TrialJob.writeDirectory(out);
            }
            return;
        }
        Job job = underWay(attempt).orElseThrow(HandoversResource::noSuchLink);
        try (Turn _ = turns.take(job.owner().uid())) {
            if (!archive.pack(Submitted.of(job), () -> exchange.answer(200, TAR))) {
                throw noSuchLink();
            }
        }
    }

    /** The job of an attempt that a target has, or is about to have. */
    private Optional<Job> underWay(Attempt attempt) {
        return queries.find(attempt.job())
                .filter(job -> job.spec().isAtTarget() && Attempt.of(job).equals(attempt))
                .filter(job -> job.state() instanceof Launching || job.state() instanceof Running);
    }

    /** Whether there was one once is nobody's business. */
    private static ApiException noSuchLink() {
        return ApiException.of(
                404, "NO_SUCH_LINK", "there is no such link, or the job that it was for is over, or has no directory");
    }
}
