package dev.berth.server.http;

import dev.berth.core.job.Job;
import dev.berth.core.job.Submitter;
import dev.berth.server.store.JobQueries;
import java.util.Map;

/**
 * Who may do what. A job belongs to its submitter; its owner and root may see and end it. To everybody else it is as if
 * it were not there.
 *
 * @param serverUid whom the server runs as
 */
record Access(JobQueries queries, long serverUid) {

    /** Whether this user sees everybody's jobs. */
    boolean seesAll(Submitter peer) {
        return peer.isRoot();
    }

    /** The job of a path, if it is there for this user. */
    Job job(Submitter peer, Map<String, String> in) {
        return queries.find(JobsResource.id(in))
                .filter(job -> seesAll(peer) || job.owner().uid() == peer.uid())
                .orElseThrow(() -> ApiException.noSuchJob(in.getOrDefault("id", "")));
    }

    /** A server that runs as root serves everybody; another can only start containers for its own user. */
    void requireSubmitter(Submitter peer) {
        if (serverUid != 0 && peer.uid() != serverUid) {
            throw ApiException.of(
                    403,
                    "NOT_SERVED",
                    "this server runs as user " + serverUid + " and serves that user alone; you are " + peer.name()
                            + " (" + peer.uid() + ")");
        }
    }

    /** The server itself is its own user's and root's. */
    void requireOperator(Submitter peer) {
        if (!peer.isRoot() && peer.uid() != serverUid) {
            throw ApiException.of(
                    403,
                    "NOT_OPERATOR",
                    "only root and the user the server runs as may do that; you are " + peer.name());
        }
    }
}
