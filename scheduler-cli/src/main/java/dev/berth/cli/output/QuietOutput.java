package dev.berth.cli.output;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.output.text.PlainText;
import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.LogFrame;
import java.util.List;

/** Ids only, one a line: of jobs, of GPUs, of the server's process. */
public final class QuietOutput extends BriefOutput {
    private final Screen screen;
    private final LogStamps stamps = new LogStamps();

    public QuietOutput(Screen screen) {
        this.screen = screen;
    }

    @Override
    void result(Record value, List<String> ids) {
        for (String id : ids) {
            screen.line(PlainText.of(id));
        }
    }

    @Override
    void cutOff(String hint) {
        warning(hint);
    }

    /** Prints what is to be mended before a job with a GPU can run. */
    @Override
    public void found(DoctorFinding finding) {
        if (finding.verdict().equals(DoctorFinding.FAILURE)) {
            screen.line(PlainText.of(finding.check()));
        }
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
    public void warning(String sentence) {
        screen.notice(PlainText.warning(sentence));
    }

    @Override
    public void failure(Failure failure) {
        PlainText.complaint(failure).forEach(screen::notice);
    }
}
