package dev.berth.cli.output;

import dev.berth.cli.exit.Failure;
import dev.berth.core.api.BackupView;
import dev.berth.core.api.CheckView;
import dev.berth.core.api.CreatedToken;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.DoctorView;
import dev.berth.core.api.Explanation;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.GpuView;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.LogFrame;
import dev.berth.core.api.ServerView;
import dev.berth.core.api.SubmitPlan;
import dev.berth.core.api.TokenList;
import dev.berth.core.api.TokenView;
import java.util.function.UnaryOperator;

/** Ids only, one a line: of jobs, of GPUs, of the server's process. */
public final class QuietOutput implements Output {
    private final Screen screen;
    private final LogStamps stamps = new LogStamps();

    public QuietOutput(Screen screen) {
        this.screen = screen;
    }

    private void id(long id) {
        screen.line(Long.toString(id));
    }

    @Override
    public void submitted(JobView job) {
        id(job.id());
    }

    @Override
    public void following(JobView job) {
        id(job.id());
    }

    @Override
    public void standing(JobView job) {}

    @Override
    public void followed(JobView job) {}

    @Override
    public void jobs(JobList jobs, String hint) {
        for (JobView job : jobs.jobs()) {
            id(job.id());
        }
    }

    @Override
    public void job(JobView job) {
        id(job.id());
    }

    @Override
    public void overview(Overview overview) {
        for (JobView job : overview.jobs()) {
            id(job.id());
        }
    }

    @Override
    public void explanation(Explanation explanation) {
        id(explanation.id());
    }

    @Override
    public void gpus(GpuList gpus) {
        for (GpuView gpu : gpus.gpus()) {
            screen.line(PlainText.of(gpu.uuid()));
        }
    }

    @Override
    public void server(ServerView server) {
        id(server.pid());
    }

    @Override
    public void startLine(String line) {}

    @Override
    public void started(ServerView server) {
        id(server.pid());
    }

    @Override
    public void stopped(Stopped stopped) {
        id(stopped.pid());
    }

    @Override
    public void cancelled(JobView job) {
        id(job.id());
    }

    @Override
    public void planned(SubmitPlan plan, UnaryOperator<String> origin) {}

    @Override
    public void history(JobList jobs, String hint) {
        jobs(jobs, hint);
    }

    @Override
    public void event(JobEventView event) {
        id(event.job());
    }

    @Override
    public void changed(JobView job) {
        id(job.id());
    }

    @Override
    public void deleted(DeletedJob deleted) {
        id(deleted.id());
    }

    @Override
    public void fetched(Fetched fetched) {
        id(fetched.id());
    }

    @Override
    public void paused(ServerView server) {
        id(server.pid());
    }

    @Override
    public void backedUp(BackupView backup) {
        screen.line(PlainText.of(backup.file()));
    }

    @Override
    public void checked(CheckView check) {}

    /** What is to be mended before a job with a GPU can run. */
    @Override
    public void found(DoctorFinding finding) {
        if (finding.verdict().equals(DoctorFinding.FAILURE)) {
            screen.line(PlainText.of(finding.check()));
        }
    }

    @Override
    public void examined(DoctorView view) {}

    @Override
    public void ended(JobView job) {
        id(job.id());
    }

    @Override
    public void log(long job, LogFrame frame, byte[] bytes) {
        screen.bytes(bytes, frame.length());
    }

    @Override
    public void stampedLog(long job, LogFrame frame, byte[] bytes) {
        byte[] stamped = stamps.stamped(frame, bytes);
        screen.bytes(stamped, stamped.length);
    }

    @Override
    public void logEnd(long job) {}

    /** The token and not its id: nobody could ask for it later. */
    @Override
    public void tokenCreated(CreatedToken created) {
        screen.line(PlainText.of(created.secret()));
    }

    @Override
    public void tokens(TokenList tokens) {
        for (TokenView token : tokens.tokens()) {
            if (token.revokedAt() == null) {
                screen.line(PlainText.of(token.id()));
            }
        }
    }

    @Override
    public void tokenRevoked(TokenView token) {
        screen.line(PlainText.of(token.id()));
    }

    @Override
    public void notice(String sentence) {}

    @Override
    public void warning(String sentence) {
        screen.notice(PlainText.warning(sentence));
    }

    @Override
    public void failure(Failure failure) {
        PlainText.complaint(failure).forEach(screen::notice);
    }
}
