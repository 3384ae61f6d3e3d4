package dev.berth.cli.output;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.BackupView;
import dev.berth.core.api.CheckView;
import dev.berth.core.api.CreatedToken;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.DoctorView;
import dev.berth.core.api.Explanation;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.LogFrame;
import dev.berth.core.api.ServerView;
import dev.berth.core.api.SubmitPlan;
import dev.berth.core.api.TokenList;
import dev.berth.core.api.TokenView;
import java.util.function.UnaryOperator;

/** The API's records as JSON, one object a line on standard output; a failure is one on standard error. */
public final class JsonOutput implements Output {
    private final Screen screen;
    private final LogLines logLines;

    public JsonOutput(Screen screen) {
        this.screen = screen;
        this.logLines = new LogLines(this::print);
    }

    private void print(Record value) {
        screen.line(JsonText.of(value));
    }

    @Override
    public void submitted(JobView job) {
        print(job);
    }

    @Override
    public void following(JobView job) {
        print(job);
    }

    @Override
    public void standing(JobView job) {}

    @Override
    public void followed(JobView job) {
        print(job);
    }

    @Override
    public void jobs(JobList jobs, String hint) {
        print(jobs);
    }

    @Override
    public void job(JobView job) {
        print(job);
    }

    @Override
    public void overview(Overview overview) {
        print(overview);
    }

    @Override
    public void explanation(Explanation explanation) {
        print(explanation);
    }

    @Override
    public void gpus(GpuList gpus) {
        print(gpus);
    }

    @Override
    public void server(ServerView server) {
        print(server);
    }

    @Override
    public void startLine(String line) {}

    @Override
    public void started(ServerView server) {
        print(server);
    }

    @Override
    public void stopped(Stopped stopped) {
        print(stopped);
    }

    @Override
    public void cancelled(JobView job) {
        print(job);
    }

    @Override
    public void planned(SubmitPlan plan, UnaryOperator<String> origin) {
        print(plan);
    }

    @Override
    public void history(JobList jobs, String hint) {
        print(jobs);
    }

    @Override
    public void event(JobEventView event) {
        print(event);
    }

    @Override
    public void changed(JobView job) {
        print(job);
    }

    @Override
    public void deleted(DeletedJob deleted) {
        print(deleted);
    }

    @Override
    public void fetched(Fetched fetched) {
        print(fetched);
    }

    @Override
    public void paused(ServerView server) {
        print(server);
    }

    @Override
    public void backedUp(BackupView backup) {
        print(backup);
    }

    @Override
    public void checked(CheckView check) {
        print(check);
    }

    @Override
    public void found(DoctorFinding finding) {}

    @Override
    public void examined(DoctorView view) {
        print(view);
    }

    @Override
    public void ended(JobView job) {
        print(job);
    }

    @Override
    public void log(long job, LogFrame frame, byte[] bytes) {
        logLines.take(job, frame, bytes);
    }

    @Override
    public void stampedLog(long job, LogFrame frame, byte[] bytes) {
        log(job, frame, bytes);
    }

    @Override
    public void logEnd(long job) {
        logLines.end(job);
    }

    @Override
    public void tokenCreated(CreatedToken created) {
        print(created);
    }

    @Override
    public void tokens(TokenList tokens) {
        print(tokens);
    }

    @Override
    public void tokenRevoked(TokenView token) {
        print(token);
    }

    @Override
    public void notice(String sentence) {}

    @Override
    public void warning(String sentence) {
        screen.notice("{\"warning\":" + JsonText.quoted(sentence) + "}");
    }

    @Override
    public void failure(Failure failure) {
        screen.notice(JsonText.of(failure.error()));
    }
}
