package dev.berth.cli.launch;

import dev.berth.cli.client.http.IdleTimeout;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.exit.OnInterrupt;
import dev.berth.cli.json.DoctorViews;
import dev.berth.cli.json.JsonObject;
import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.DoctorView;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** An examination of this machine by the server's code, in a process of its own. */
public final class DoctorProcess {
    /** A GPU that hangs is given up sooner. */
    private static final Duration SILENCE_LIMIT = Duration.ofSeconds(90);

    private final ServerJvm jvm;

    public DoctorProcess(ServerJvm jvm) {
        this.jvm = jvm;
    }

    /** Has it done; {@code told} hears of each finding as it comes. */
    public DoctorView run(List<String> words, Consumer<DoctorFinding> told) {
        List<String> order = new ArrayList<>(List.of("doctor", "detached=true"));
        order.addAll(words);
        try {
            Process process = new ProcessBuilder(jvm.inFront(order))
                    .redirectInput(new File("/dev/null"))
                    .redirectError(Redirect.INHERIT)
                    .start();
            try (OnInterrupt _ = OnInterrupt.run(process::destroy);
                    IdleTimeout watch = IdleTimeout.start(process::destroy, SILENCE_LIMIT);
                    BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
                return read(said, watch, told);
            }
        } catch (IOException broken) {
            throw Failure.berth("DOCTOR_FAILED", "the examination cannot be made: " + broken.getMessage());
        }
    }

    private static DoctorView read(BufferedReader said, IdleTimeout watch, Consumer<DoctorFinding> told)
            throws IOException {
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            watch.moved();
            if (line.startsWith(ServerFailure.MARK)) {
                throw ServerFailure.read(line, said);
            }
            JsonObject json = JsonObject.parse(line.getBytes(StandardCharsets.UTF_8));
            if (json.textOrNull("check") == null) {
                return DoctorViews.view(json);
            }
            told.accept(DoctorViews.finding(json));
        }
        throw Failure.berth(
                "DOCTOR_FAILED",
                watch.isExpired()
                        ? "the examination said nothing for " + SILENCE_LIMIT.toSeconds() + " s and was ended"
                        : "the examination ended before its end");
    }
}
