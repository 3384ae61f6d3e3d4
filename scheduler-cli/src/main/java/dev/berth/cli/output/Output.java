package dev.berth.cli.output;

import dev.berth.cli.exit.Failure;
import dev.berth.core.api.BackupView;
import dev.berth.core.api.CheckView;
import dev.berth.core.api.CreatedToken;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.DeletedProject;
import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.DoctorView;
import dev.berth.core.api.Explanation;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.LogFrame;
import dev.berth.core.api.PageAddress;
import dev.berth.core.api.PointList;
import dev.berth.core.api.ProfileList;
import dev.berth.core.api.ProjectList;
import dev.berth.core.api.ProjectNotes;
import dev.berth.core.api.ProjectView;
import dev.berth.core.api.ReceiverList;
import dev.berth.core.api.ReceiverView;
import dev.berth.core.api.ServerView;
import dev.berth.core.api.SubmitPlan;
import dev.berth.core.api.TargetList;
import dev.berth.core.api.TestedReceiver;
import dev.berth.core.api.TokenList;
import dev.berth.core.api.TokenView;
import dev.berth.core.api.TrackingView;
import dev.berth.core.api.TrackingView.MetricView;
import dev.berth.core.option.SweepTasks;
import dev.berth.core.sweep.SweepRun;
import java.util.List;
import java.util.function.Function;

/** The output of commands: what they have to say, a method for each kind of result. */
public interface Output {
    /** A job was accepted. */
    void submitted(JobView job);

    /** Shows the plan of a job; {@code origin} tells by a value's name where in the line it was said. */
    void planned(SubmitPlan plan, Function<SubmitPlan.Setting, String> origin);

    /** The tasks that a sweep would have, behind its plan. */
    void plannedTasks(SweepTasks tasks);

    /** A job was accepted, and is followed from here on. */
    void following(JobView job);

    /** A followed job has a new state. */
    void standing(JobView job);

    /** A followed job is over. */
    void followed(JobView job);

    /** A list of jobs; {@code hint} says how to see more where there are more. */
    void jobs(JobList jobs, String hint);

    /** A list of jobs that are over; {@code hint} as for {@link #jobs}. */
    void history(JobList jobs, String hint);

    /** Something happened to a job. */
    void event(JobEventView event);

    /** All about one job. */
    void job(JobView job);

    /** The server, the GPUs, the queue and the user's own jobs. */
    void overview(Overview overview);

    void explanation(Explanation explanation);

    /** The metrics of a job. */
    void metrics(TrackingView told);

    /** The course of one metric of a job, and that metric summed up. */
    void curve(PointList points, MetricView metric);

    /** The parameters of a job. */
    void parameters(TrackingView told);

    /** The files that a job named. */
    void artifacts(TrackingView told);

    /** The tags of a job. */
    void tags(TrackingView told);

    /** Jobs side by side. */
    void compared(Comparison comparison);

    /** The best jobs by a metric, in their order. */
    void best(Comparison comparison, String metric);

    void projects(ProjectList projects);

    /** A project has another name. */
    void projectRenamed(String before, ProjectView project);

    /** A project is deleted, as far as it could be. */
    void projectDeleted(DeletedProject deleted);

    /** The notes of a project, as they were asked for. */
    void notes(ProjectNotes notes);

    /** The notes of a project are written, or removed. */
    void noted(ProjectNotes notes);

    void gpus(GpuList gpus);

    /** The profiles that the caller may use. */
    void profiles(ProfileList list);

    /** Where jobs can go. */
    void targets(TargetList list);

    void server(ServerView server);

    /** A line that the starting server says. */
    void startLine(String line);

    /** The server accepts. */
    void started(ServerView server);

    /** The server is gone. */
    void stopped(Stopped stopped);

    /** A job is cancelled, or is being stopped. */
    void cancelled(JobView job);

    /** A job is held, or released. */
    void changed(JobView job);

    /** A job is deleted, as far as it could be. */
    void deleted(DeletedJob deleted);

    /** A job's output is here. */
    void fetched(Fetched fetched);

    /** The server starts nothing more, or starts jobs again. */
    void paused(ServerView server);

    /** The database is copied. */
    void backedUp(BackupView backup);

    /** The database is whole. */
    void checked(CheckView check);

    /** Something was found in the examination of this machine. */
    void found(DoctorFinding finding);

    /** The examination is over. */
    void examined(DoctorView view);

    /** A job that was waited for is over. */
    void ended(JobView job);

    /** A piece of a job's log. */
    void log(LogSource job, LogFrame frame, byte[] bytes);

    /** A piece of a job's log, each line of which is to have its time. */
    void stampedLog(LogSource job, LogFrame frame, byte[] bytes);

    /** No more of a job's log will come. */
    void logEnd(LogSource job);

    /** A token was made; this is the only time that its secret is known. */
    void tokenCreated(CreatedToken created);

    void tokens(TokenList tokens);

    /** The page's address for one use. */
    void page(PageAddress page);

    void tokenRevoked(TokenView token);

    /**
     * Something was done to a receiver of notices.
     *
     * @param done what, as in {@code is added}
     */
    void receiver(String done, ReceiverView receiver);

    void receivers(ReceiverList receivers);

    void tested(TestedReceiver tested);

    /** The runs that a sweep file stands for. */
    void expanded(List<SweepRun> runs);

    /** A sentence about what is going on, not part of the result. */
    void notice(String sentence);

    /**
     * Tells what is done beside what was asked for, which nobody is to miss: on standard error, also for who wants ids
     * only.
     */
    void warning(String sentence);

    void failure(Failure failure);
}
