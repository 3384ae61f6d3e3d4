package dev.berth.cli.output;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.output.text.Amounts;
import dev.berth.cli.output.text.CompareText;
import dev.berth.cli.output.text.DoctorText;
import dev.berth.cli.output.text.EventText;
import dev.berth.cli.output.text.ExplanationText;
import dev.berth.cli.output.text.GpuText;
import dev.berth.cli.output.text.HistoryText;
import dev.berth.cli.output.text.JobText;
import dev.berth.cli.output.text.PlainText;
import dev.berth.cli.output.text.PlanText;
import dev.berth.cli.output.text.ProfileText;
import dev.berth.cli.output.text.ProjectText;
import dev.berth.cli.output.text.ReceiverText;
import dev.berth.cli.output.text.ServerText;
import dev.berth.cli.output.text.SweepText;
import dev.berth.cli.output.text.Table;
import dev.berth.cli.output.text.TargetText;
import dev.berth.cli.output.text.TokenText;
import dev.berth.cli.output.text.TrackText;
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
import dev.berth.core.parameter.TaskParameters;
import dev.berth.core.sweep.SweepRun;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Tables and sentences for people. Names and sentences of others are made harmless; a log is shown as it is. */
public final class TextOutput implements Output {
    /** As many tasks of a sweep as show what its sets of values are like. */
    private static final int SHOWN_TASKS = 20;

    private final Screen screen;
    private final InstantSource time;
    private final LogStamps stamps = new LogStamps();
    private final boolean colour;
    private final boolean unicode;

    /** Makes an output without colours. */
    public TextOutput(Screen screen, InstantSource time) {
        this(screen, time, false);
    }

    /** Makes an output for a terminal that knows ASCII alone. */
    public TextOutput(Screen screen, InstantSource time, boolean colour) {
        this(screen, time, colour, false);
    }

    public TextOutput(Screen screen, InstantSource time, boolean colour, boolean unicode) {
        this.unicode = unicode;
        this.screen = screen;
        this.time = time;
        this.colour = colour;
    }

    private void table(Table table) {
        lines(table.lines(screen.columns(), colour));
    }

    private void lines(List<String> lines) {
        for (String line : lines) {
            screen.line(line);
        }
    }

    @Override
    public void submitted(JobView job) {
        screen.line(JobText.accepted(job));
    }

    @Override
    public void following(JobView job) {
        screen.notice(JobText.accepted(job));
    }

    @Override
    public void standing(JobView job) {
        screen.notice(JobText.standing(job));
    }

    @Override
    public void followed(JobView job) {
        screen.notice(JobText.standing(job));
    }

    @Override
    public void jobs(JobList jobs, String hint) {
        if (jobs.jobs().isEmpty()) {
            screen.notice("no jobs to show");
            return;
        }
        table(JobText.table(jobs.jobs(), time.instant()));
        if (jobs.next() != null) {
            screen.notice(hint);
        }
    }

    @Override
    public void job(JobView job) {
        lines(JobText.page(job, time.instant(), unicode));
    }

    @Override
    public void overview(Overview overview) {
        ServerView server = overview.server();
        lines(ServerText.summary(server, overview.first(), time.instant()));
        if (!server.gpus().isEmpty()) {
            screen.line("");
            lines(GpuText.lines(server.gpus(), Map.of(), screen.columns(), colour));
        }
        screen.line("");
        if (overview.jobs().isEmpty()) {
            screen.line("no job of " + PlainText.of(overview.user()) + " runs or waits");
        } else {
            table(JobText.table(overview.jobs(), time.instant()));
        }
    }

    @Override
    public void explanation(Explanation explanation) {
        lines(ExplanationText.page(explanation, time.instant()));
    }

    @Override
    public void metrics(TrackingView told) {
        if (told.metrics().isEmpty()) {
            screen.notice(
                    "job " + told.number() + " has told no metrics; a program tells them in the file $BERTH_TRACK");
        } else {
            lines(TrackText.metrics(told).lines(screen.columns()));
        }
    }

    @Override
    public void curve(PointList points, MetricView metric) {
        lines(TrackText.curve(points, metric, screen.columns(), unicode));
    }

    @Override
    public void parameters(TrackingView told) {
        if (told.params().isEmpty()) {
            screen.notice("job " + told.number()
                    + " has no parameters; a sweep gives some, and a program tells its own in the"
                    + " file $BERTH_TRACK");
        } else {
            lines(TrackText.parameters(told).lines(screen.columns()));
        }
    }

    @Override
    public void artifacts(TrackingView told) {
        if (told.artifacts().isEmpty()) {
            screen.notice("job " + told.number() + " has named no files; berth get " + told.number() + " fetches all");
        } else {
            lines(TrackText.artifacts(told).lines(screen.columns()));
        }
    }

    @Override
    public void tags(TrackingView told) {
        if (told.tags().isEmpty()) {
            screen.notice("job " + told.number() + " has no tags; berth tag " + told.number() + " NAME sets one");
        } else {
            lines(TrackText.tags(told).lines(screen.columns()));
        }
    }

    @Override
    public void compared(Comparison comparison) {
        lines(CompareText.compared(comparison, screen.columns()));
    }

    @Override
    public void best(Comparison comparison, String metric) {
        if (comparison.jobs().isEmpty()) {
            screen.notice("no jobs to show");
        } else {
            lines(CompareText.best(comparison, metric).lines(screen.columns()));
        }
    }

    @Override
    public void projects(ProjectList projects) {
        if (projects.projects().isEmpty()) {
            screen.notice("no projects; berth submit --project NAME begins one");
        } else {
            lines(ProjectText.table(projects.projects()).lines(screen.columns()));
        }
    }

    @Override
    public void projectRenamed(String before, ProjectView project) {
        screen.line(ProjectText.renamed(before, project));
    }

    @Override
    public void projectDeleted(DeletedProject deleted) {
        lines(ProjectText.deleted(deleted));
    }

    @Override
    public void notes(ProjectNotes notes) {
        if (notes.notes().isEmpty()) {
            screen.notice(ProjectText.noted(notes));
        } else {
            lines(ProjectText.notes(notes));
        }
    }

    @Override
    public void noted(ProjectNotes notes) {
        screen.line(ProjectText.noted(notes));
    }

    @Override
    public void gpus(GpuList gpus) {
        if (gpus.gpus().isEmpty()) {
            screen.notice("this server allocates no GPUs; berth server start -g allocates those of the machine");
            return;
        }
        lines(GpuText.lines(gpus.gpus(), Map.of(), screen.columns(), colour));
        if (gpus.simulated()) {
            screen.notice(
                    "these GPUs are simulated: jobs get their numbers, and no device; the figures are simulated too");
        }
    }

    @Override
    public void targets(TargetList list) {
        lines(TargetText.table(list.targets()).lines(screen.columns(), colour));
    }

    @Override
    public void profiles(ProfileList list) {
        if (list.profiles().isEmpty()) {
            screen.notice(
                    "there are no profiles for you; an operator writes them into the file that profiles.file names");
            return;
        }
        lines(ProfileText.table(list.profiles()).lines(screen.columns()));
    }

    @Override
    public void server(ServerView server) {
        lines(ServerText.page(server, time.instant()));
    }

    @Override
    public void startLine(String line) {
        screen.line(PlainText.of(line));
    }

    @Override
    public void started(ServerView server) {}

    @Override
    public void stopped(Stopped stopped) {
        StringBuilder text =
                new StringBuilder("the server (pid ").append(stopped.pid()).append(") is stopped");
        if (stopped.jobsGoOn() > 0) {
            text.append("; ").append(goOn(stopped.jobsGoOn()));
        }
        if (stopped.jobsWait() > 0) {
            text.append("; ").append(stopped.jobsWait()).append(" in the queue until then");
        }
        screen.line(text.toString());
    }

    private static String goOn(long count) {
        return count == 1
                ? "1 running job goes on, and the next server takes it over"
                : count + " running jobs go on, and the next server takes them over";
    }

    @Override
    public void cancelled(JobView job) {
        screen.line(JobText.cancelled(job));
    }

    @Override
    public void expanded(List<SweepRun> runs) {
        SweepText.print(runs, screen.columns(), colour, screen::line);
        screen.notice(SweepText.total(runs));
    }

    @Override
    public void planned(SubmitPlan plan, Function<SubmitPlan.Setting, String> origin) {
        table(PlanText.table(plan, origin));
        screen.line("");
        screen.line(PlainText.of(plan.sentence()));
    }

    @Override
    public void plannedTasks(SweepTasks tasks) {
        int shown = Math.min(tasks.count(), SHOWN_TASKS);
        Table table = new Table("TASK", "PARAMS");
        for (int place = 0; place < shown; place++) {
            TaskParameters task = tasks.at(place);
            table.row(Integer.toString(task.index()), JobText.parameters(task.shown()));
        }
        screen.line("");
        table(table);
        if (shown < tasks.count()) {
            screen.line("... and " + (tasks.count() - shown) + " more; --json shows all of them");
        }
    }

    @Override
    public void history(JobList jobs, String hint) {
        if (jobs.jobs().isEmpty()) {
            screen.notice("no jobs to show");
            return;
        }
        table(HistoryText.table(jobs.jobs(), time.instant(), screen.columns()));
        if (jobs.next() != null) {
            screen.notice(hint);
        }
    }

    @Override
    public void event(JobEventView event) {
        screen.line(EventText.line(event));
    }

    @Override
    public void changed(JobView job) {
        screen.line(JobText.standing(job));
    }

    @Override
    public void deleted(DeletedJob deleted) {
        if (deleted.remains().isEmpty()) {
            screen.line("job " + deleted.id() + " is deleted");
            return;
        }
        screen.line("job " + deleted.id() + " is not wholly deleted; its record is kept, and so is this:");
        for (String remaining : deleted.remains()) {
            screen.line("  " + PlainText.of(remaining));
        }
    }

    @Override
    public void fetched(Fetched fetched) {
        screen.line("job " + PlainText.of(fetched.number()) + ": "
                + (fetched.files() == 1 ? "1 file" : fetched.files() + " files") + " ("
                + Amounts.bytes(fetched.bytes()) + ") in " + PlainText.of(fetched.directory()));
    }

    @Override
    public void paused(ServerView server) {
        screen.line(
                server.paused() == null
                        ? "the server starts jobs again"
                        : "the server is paused: jobs that run go on, nothing new is started");
    }

    @Override
    public void backedUp(BackupView backup) {
        String told = backup.trackingFile();
        screen.line(PlainText.of("the database is copied to " + backup.file() + " (" + backup.bytes() + " bytes)"
                + (told == null ? "" : ", and what jobs told of themselves to " + told)));
    }

    @Override
    public void checked(CheckView check) {
        screen.line(PlainText.of(check.sentence()));
    }

    @Override
    public void found(DoctorFinding finding) {
        DoctorText.lines(finding, colour).forEach(screen::line);
    }

    @Override
    public void examined(DoctorView view) {
        screen.line(PlainText.of(view.sentence()));
    }

    @Override
    public void ended(JobView job) {
        screen.line(JobText.standing(job));
    }

    @Override
    public void log(LogSource job, LogFrame frame, byte[] bytes) {
        screen.bytes(bytes, frame.length());
    }

    @Override
    public void stampedLog(LogSource job, LogFrame frame, byte[] bytes) {
        byte[] stamped = stamps.stamped(frame, bytes);
        screen.bytes(stamped, stamped.length);
    }

    @Override
    public void logEnd(LogSource job) {}

    @Override
    public void tokenCreated(CreatedToken created) {
        screen.line(PlainText.of(created.secret()));
        screen.notice(TokenText.created(created.token()));
    }

    @Override
    public void page(PageAddress page) {
        screen.line(PlainText.of(page.url()));
    }

    @Override
    public void tokens(TokenList tokens) {
        if (tokens.tokens().isEmpty()) {
            screen.notice("you have no tokens; berth token create makes one");
            return;
        }
        lines(TokenText.table(tokens.tokens(), time.instant()).lines(screen.columns()));
    }

    @Override
    public void tokenRevoked(TokenView token) {
        screen.line("token " + PlainText.of(token.id() + " (" + token.name() + ") is revoked"));
    }

    @Override
    public void receiver(String done, ReceiverView receiver) {
        screen.line(PlainText.of(ReceiverText.named(receiver) + " " + done));
    }

    @Override
    public void receivers(ReceiverList receivers) {
        if (receivers.receivers().isEmpty()) {
            screen.notice("nobody is told of your jobs; berth notify add has somebody told");
            return;
        }
        lines(ReceiverText.table(receivers.receivers()).lines(screen.columns()));
    }

    @Override
    public void tested(TestedReceiver tested) {
        String what = tested.arrived() ? " has it: " : " does not have it: ";
        screen.line(PlainText.of(ReceiverText.named(tested.receiver()) + what + tested.sentence()));
    }

    @Override
    public void notice(String sentence) {
        screen.notice(PlainText.of(sentence));
    }

    @Override
    public void warning(String sentence) {
        screen.notice(PlainText.warning(sentence));
    }

    @Override
    public void failure(Failure failure) {
        PlainText.complaint(failure).forEach(screen::notice);
    }
}
