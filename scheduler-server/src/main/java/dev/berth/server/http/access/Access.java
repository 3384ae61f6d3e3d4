package dev.berth.server.http.access;

import dev.berth.core.job.Job;
import dev.berth.core.job.StateName;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Caller.Role;
import dev.berth.server.http.exchange.Caller.Scope;
import dev.berth.server.http.exchange.JobNumber;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.store.JobQueries;
import java.util.Map;
import java.util.Optional;

/**
 * The rules of who may do what. A job belongs to its submitter; its owner and administrators see and steer it. To
 * everybody else but readers it is as if it were not there.
 *
 * @param serverUid whom the server runs as
 */
public record Access(JobQueries queries, long serverUid) {
    /** What is done with a job that is resubmitted. */
    public static final String AGAIN = "submitted again";

    /** The job of a path, if it is there for this caller. */
    public Job job(Caller caller, Map<String, String> in) {
        JobNumber number = Parameters.jobNumber(in);
        return number.find(queries)
                .filter(job -> sees(caller, job))
                .orElseThrow(() -> noSuchJob(caller, number, Parameters.id(in)));
    }

    /** Of a job that the caller may see it is said which tasks it has. */
    private ApiException noSuchJob(Caller caller, JobNumber number, String asked) {
        Optional<Job> array = number.task() == null
                ? Optional.empty()
                : queries.find(number.job()).filter(job -> sees(caller, job));
        return array.map(job -> ApiException.noSuchTask(job, asked)).orElseGet(() -> ApiException.noSuchJob(asked));
    }

    /** The job, where what it wrote is wanted, which is its owner's. */
    public Job ownJob(Caller caller, Map<String, String> in) {
        Job job = job(caller, in);
        if (!mayRead(caller, job)) {
            throw ApiException.of(
                    403,
                    "NOT_YOURS",
                    "job " + job.number() + " belongs to " + job.owner().name()
                            + "; you may see that it is there, no more");
        }
        return job;
    }

    /** The job, where it is to be steered. */
    public Job steered(Caller caller, Map<String, String> in) {
        Job job = ownJob(caller, in);
        requireScope(caller);
        return job;
    }

    /**
     * The job, where what it must have ended for is to be done with it.
     *
     * @param done the word for what is to be done, such as "deleted"
     */
    public Job ended(Caller caller, Map<String, String> in, String done) {
        Job job = steered(caller, in);
        StateName state = job.state().name();
        if (!state.isFinal()) {
            throw ApiException.of(
                    409,
                    "JOB_NOT_ENDED",
                    "job " + job.number() + " is " + state + "; only one that has ended can be " + done
                            + ", so cancel it first"
                            + (done.equals(AGAIN) && job.isArray() ? whileOthersRun(job) : ""));
        }
        return job;
    }

    /** What cancels none of an array's tasks. */
    private static String whileOthersRun(Job array) {
        return "; while others run, berth resubmit $(berth ps --tasks " + array.number()
                + " --state FAILED,TIMEOUT,OUT_OF_MEMORY,LOST -n 10000 -q | sort -V) runs again what has failed so far";
    }

    /** Whether a job is there for this caller. */
    public static boolean sees(Caller caller, Job job) {
        return caller.seesAll() || mayRead(caller, job);
    }

    /** Whether a caller may have what a job wrote, which is its owner's and the administrators'. */
    public static boolean mayRead(Caller caller, Job job) {
        return mayRead(caller, job.owner().uid());
    }

    /** The same of all that a user's jobs wrote. */
    public static boolean mayRead(Caller caller, long owner) {
        return (caller.uid() == owner && !caller.isAnybody()) || caller.isAdministrator();
    }

    /** A server that runs as root serves everybody; another can only start containers for its own user. */
    public void requireSubmitter(Caller caller) {
        requireScope(caller);
        if (serverUid != 0 && caller.uid() != serverUid) {
            throw ApiException.of(
                    403,
                    "NOT_SERVED",
                    "this server runs as user " + serverUid + " and serves that user alone; you are " + caller.name()
                            + " (" + caller.uid() + ")");
        }
    }

    /** The server itself is its own user's and the administrators'. */
    public void requireOperator(Caller caller) {
        boolean own = caller.uid() == serverUid && !caller.isAnybody() && caller.scope() == Scope.ADMIN;
        if (!caller.isAdministrator() && !own) {
            throw ApiException.of(403, "NOT_OPERATOR", "only administrators may do that; " + standing(caller));
        }
    }

    /**
     * Requires the server's own user. What makes the server write where the caller says is for those whose rights the
     * server has anyway.
     */
    public void requireServersUser(Caller caller) {
        requireOperator(caller);
        if (caller.uid() != 0 && caller.uid() != serverUid) {
            throw ApiException.of(
                    403,
                    "NOT_OPERATOR",
                    "only root and the user the server runs as may say where it writes; you are " + caller.name());
        }
    }

    private static String standing(Caller caller) {
        return caller.role() == Role.ADMINISTRATOR
                ? "you are one, but this token is not of scope admin"
                : "you are " + caller.name() + ", and neither root, nor the user the server runs as, nor named in"
                        + " access.administrators";
    }

    private static void requireScope(Caller caller) {
        if (!caller.maySubmit()) {
            throw ApiException.of(
                    403, "SCOPE", "this token may look and no more; make one with: berth token create --scope submit");
        }
    }
}
