package dev.berth.cli.output;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.json.JsonSources;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.LogFrame;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The answers of the API as JSON, one object a line on standard output; a failure is one on standard error. */
public final class JsonOutput extends BriefOutput {
    private final Screen screen;
    private final @Nullable JsonSources sources;
    private final LogLines logLines;

    /** An output of what is made here. */
    public JsonOutput(Screen screen) {
        this(screen, null);
    }

    /** An output that prints what came from the server as it came. */
    public JsonOutput(Screen screen, @Nullable JsonSources sources) {
        this.screen = screen;
        this.sources = sources;
        this.logLines = new LogLines(this::print);
    }

    private void print(Record value) {
        screen.line(JsonText.of(value, sources));
    }

    @Override
    void result(Record value, List<String> ids) {
        print(value);
    }

    /** The list says so itself: {@code next} is not null. */
    @Override
    void cutOff(String hint) {}

    @Override
    public void found(DoctorFinding finding) {}

    @Override
    public void log(LogSource job, LogFrame frame, byte[] bytes) {
        logLines.take(job, frame, bytes);
    }

    @Override
    public void stampedLog(LogSource job, LogFrame frame, byte[] bytes) {
        log(job, frame, bytes);
    }

    @Override
    public void logEnd(LogSource job) {
        logLines.end(job);
    }

    @Override
    public void warning(String sentence) {
        screen.notice("{\"warning\":" + JsonText.quoted(sentence) + "}");
    }

    @Override
    public void failure(Failure failure) {
        screen.notice(JsonText.of(failure.error()));
    }
}
