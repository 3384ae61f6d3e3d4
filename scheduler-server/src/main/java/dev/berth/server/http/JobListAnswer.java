package dev.berth.server.http;

import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link JobList} as it is written, job by job. Begun with its first job, so that what fails before has its own answer. */
final class JobListAnswer {
    private static final int BUFFER_BYTES = 1 << 14;

    private final Exchange exchange;
    private @Nullable OutputStream out;

    JobListAnswer(Exchange exchange) {
        this.exchange = exchange;
    }

    private OutputStream begun() throws IOException {
        if (out == null) {
            out = new BufferedOutputStream(exchange.answer(200, "application/json"), BUFFER_BYTES);
            write(out, "{\"jobs\":[");
        } else {
            write(out, ",");
        }
        return out;
    }

    /** Writes the next job, and says how many bytes it took. */
    long show(JobView job) throws IOException {
        byte[] json = Json.bytes(job);
        begun().write(json);
        return json.length;
    }

    /** Ends the list; without it an answer breaks off, and does not look whole. */
    void end(@Nullable Long next) throws IOException {
        if (out == null) {
            JobsResource.answer(exchange, 200, new JobList(List.of(), next));
            return;
        }
        write(out, "],\"next\":" + next + "}");
        out.close();
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
