package dev.berth.server.http.route;

import dev.berth.core.api.JobList;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A {@link JobList} or another list of that form as it is written, job by job, alone or within another object. It is begun with the first job, so that
 * what fails before has its own answer.
 */
final class JobListAnswer {
    private static final int BUFFER_BYTES = 1 << 14;

    private final Exchange exchange;
    private final String before;
    private final String after;
    private @Nullable OutputStream out;

    /** An answer with this JSON before and after the list. */
    JobListAnswer(Exchange exchange, String before, String after) {
        this.exchange = exchange;
        this.before = before;
        this.after = after;
    }

    private OutputStream begun(String separator) throws IOException {
        if (out == null) {
            out = new BufferedOutputStream(exchange.answer(200, "application/json"), BUFFER_BYTES);
            write(out, before + "{\"jobs\":[");
        } else {
            write(out, separator);
        }
        return out;
    }

    /** Writes the next job, or what it told, and says how many bytes that took. */
    long show(Record job) throws IOException {
        byte[] json = Json.bytes(job);
        begun(",").write(json);
        return json.length;
    }

    /** Ends the list; without it an answer breaks off, and does not look whole. */
    void end(@Nullable Long next) throws IOException {
        OutputStream begun = begun("");
        write(begun, "],\"next\":" + next + "}" + after);
        begun.close();
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
