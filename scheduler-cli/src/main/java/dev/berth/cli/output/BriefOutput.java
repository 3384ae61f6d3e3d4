package dev.berth.cli.output;

import dev.berth.core.api.BackupView;
import dev.berth.core.api.CheckView;
import dev.berth.core.api.CreatedToken;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.DeletedProject;
import dev.berth.core.api.DoctorView;
import dev.berth.core.api.Explanation;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.GpuView;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.PageAddress;
import dev.berth.core.api.PointList;
import dev.berth.core.api.ProfileList;
import dev.berth.core.api.ProfileView;
import dev.berth.core.api.ProjectList;
import dev.berth.core.api.ProjectNotes;
import dev.berth.core.api.ProjectView;
import dev.berth.core.api.ReceiverList;
import dev.berth.core.api.ReceiverView;
import dev.berth.core.api.ServerView;
import dev.berth.core.api.SubmitPlan;
import dev.berth.core.api.TargetList;
import dev.berth.core.api.TargetView;
import dev.berth.core.api.TestedReceiver;
import dev.berth.core.api.TokenList;
import dev.berth.core.api.TokenView;
import dev.berth.core.api.TrackingView;
import dev.berth.core.api.TrackingView.ArtifactView;
import dev.berth.core.api.TrackingView.MetricView;
import dev.berth.core.option.SweepTasks;
import dev.berth.core.sweep.SweepRun;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Output for programs: what is printed of a result is its record, or the ids in it. */
abstract class BriefOutput implements Output {
    /** Prints a result; its ids are those of jobs, of GPUs, of tokens, or of the server's process. */
    abstract void result(Record value, List<String> ids);

    /** Says that a list has not all that there is. */
    abstract void cutOff(String hint);

    private void result(Record value, long id) {
        result(value, List.of(Long.toString(id)));
    }

    private void result(JobList jobs, String hint) {
        resultOfJobs(jobs, jobs.jobs());
        if (jobs.next() != null) {
            cutOff(hint);
        }
    }

    private void resultOfJobs(Record value, List<JobView> jobs) {
        List<String> ids = new ArrayList<>();
        for (JobView job : jobs) {
            ids.add(job.number());
        }
        result(value, ids);
    }

    @Override
    public final void submitted(JobView job) {
        result(job, List.of(job.number()));
    }

    @Override
    public final void following(JobView job) {
        result(job, List.of(job.number()));
    }

    @Override
    public final void followed(JobView job) {
        result(job, List.of());
    }

    @Override
    public final void jobs(JobList jobs, String hint) {
        result(jobs, hint);
    }

    @Override
    public final void history(JobList jobs, String hint) {
        result(jobs, hint);
    }

    @Override
    public final void job(JobView job) {
        result(job, List.of(job.number()));
    }

    @Override
    public final void overview(Overview overview) {
        resultOfJobs(overview, overview.jobs());
    }

    @Override
    public final void planned(SubmitPlan plan, Function<SubmitPlan.Setting, String> origin) {
        result(plan, List.of());
    }

    @Override
    public final void plannedTasks(SweepTasks tasks) {
        for (int place = 0; place < tasks.count(); place++) {
            result(PlannedTask.of(tasks.at(place)), List.of());
        }
    }

    @Override
    public final void explanation(Explanation explanation) {
        result(explanation, List.of(explanation.number()));
    }

    @Override
    public final void metrics(TrackingView told) {
        result(told, told.metrics().stream().map(MetricView::name).toList());
    }

    @Override
    public final void curve(PointList points, MetricView metric) {
        result(points, List.of(points.number()));
    }

    @Override
    public final void parameters(TrackingView told) {
        result(told, List.copyOf(told.params().keySet()));
    }

    @Override
    public final void artifacts(TrackingView told) {
        result(told, told.artifacts().stream().map(ArtifactView::path).toList());
    }

    @Override
    public final void tags(TrackingView told) {
        result(told, List.copyOf(told.tags().keySet()));
    }

    @Override
    public final void compared(Comparison comparison) {
        result(comparison, comparison.jobs().stream().map(Comparison.Run::id).toList());
    }

    @Override
    public final void best(Comparison comparison, String metric) {
        compared(comparison);
    }

    @Override
    public final void projects(ProjectList projects) {
        result(projects, projects.projects().stream().map(ProjectView::project).toList());
    }

    @Override
    public final void projectRenamed(String before, ProjectView project) {
        result(project, List.of(project.project()));
    }

    @Override
    public final void projectDeleted(DeletedProject deleted) {
        result(deleted, List.of(deleted.project()));
    }

    @Override
    public final void notes(ProjectNotes notes) {
        result(notes, List.of(notes.project()));
    }

    @Override
    public final void noted(ProjectNotes notes) {
        notes(notes);
    }

    @Override
    public final void gpus(GpuList gpus) {
        List<String> ids = new ArrayList<>();
        for (GpuView gpu : gpus.gpus()) {
            ids.add(gpu.uuid());
        }
        result(gpus, ids);
    }

    @Override
    public final void profiles(ProfileList list) {
        List<String> names = new ArrayList<>();
        for (ProfileView profile : list.profiles()) {
            names.add(profile.name());
        }
        result(list, names);
    }

    @Override
    public final void targets(TargetList list) {
        List<String> names = new ArrayList<>();
        for (TargetView target : list.targets()) {
            names.add(target.name());
        }
        result(list, names);
    }

    @Override
    public final void server(ServerView server) {
        result(server, server.pid());
    }

    @Override
    public final void started(ServerView server) {
        result(server, server.pid());
    }

    @Override
    public final void stopped(Stopped stopped) {
        result(stopped, stopped.pid());
    }

    @Override
    public final void paused(ServerView server) {
        result(server, server.pid());
    }

    @Override
    public final void cancelled(JobView job) {
        result(job, List.of(job.number()));
    }

    @Override
    public final void changed(JobView job) {
        result(job, List.of(job.number()));
    }

    @Override
    public final void ended(JobView job) {
        result(job, List.of(job.number()));
    }

    @Override
    public final void event(JobEventView event) {
        result(event, List.of(event.number()));
    }

    @Override
    public final void deleted(DeletedJob deleted) {
        result(deleted, deleted.id());
    }

    @Override
    public final void fetched(Fetched fetched) {
        result(fetched, List.of(fetched.number()));
    }

    @Override
    public final void backedUp(BackupView backup) {
        result(backup, List.of(backup.file()));
    }

    @Override
    public final void checked(CheckView check) {
        result(check, List.of());
    }

    @Override
    public final void examined(DoctorView view) {
        result(view, List.of());
    }

    /** The token and not its id: nobody could ask for it later. */
    @Override
    public final void tokenCreated(CreatedToken created) {
        result(created, List.of(created.secret()));
    }

    @Override
    public final void page(PageAddress page) {
        result(page, List.of(page.url()));
    }

    @Override
    public final void tokens(TokenList tokens) {
        List<String> ids = new ArrayList<>();
        for (TokenView token : tokens.tokens()) {
            if (token.revokedAt() == null) {
                ids.add(token.id());
            }
        }
        result(tokens, ids);
    }

    @Override
    public final void tokenRevoked(TokenView token) {
        result(token, List.of(token.id()));
    }

    @Override
    public final void receiver(String done, ReceiverView receiver) {
        result(receiver, List.of(Long.toString(receiver.id())));
    }

    @Override
    public final void receivers(ReceiverList receivers) {
        result(
                receivers,
                receivers.receivers().stream()
                        .map(receiver -> Long.toString(receiver.id()))
                        .toList());
    }

    @Override
    public final void tested(TestedReceiver tested) {
        result(tested, List.of(Long.toString(tested.receiver().id())));
    }

    @Override
    public final void expanded(List<SweepRun> runs) {
        for (SweepRun run : runs) {
            result(ExpandedRun.of(run), List.of(run.directory()));
        }
    }

    @Override
    public final void standing(JobView job) {}

    @Override
    public final void startLine(String line) {}

    @Override
    public final void notice(String sentence) {}
}
