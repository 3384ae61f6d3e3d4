package dev.berth.cli.launch;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The reason why a server does not start, in the words of its main class. */
final class ServerFailure {
    /** The beginning of the line that says so: "FAILED 2 the port 5555 is taken", and more in the lines behind it. */
    static final String MARK = "FAILED ";

    private static final int MAX_LINES = 1_000;

    private ServerFailure() {}

    /** Reads to the end: a failed server is gone, with its lock and its port, when its output ends. */
    static Failure read(String marked, BufferedReader said) throws IOException {
        List<String> lines = new ArrayList<>();
        String codeAndSentence = marked.substring(MARK.length());
        int blank = codeAndSentence.indexOf(' ');
        int code = ExitCode.BERTH_FAILED;
        try {
            code = Integer.parseInt(codeAndSentence, 0, Math.max(0, blank), 10);
            lines.add(codeAndSentence.substring(blank + 1));
        } catch (NumberFormatException noCode) {
            lines.add(codeAndSentence);
        }
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (lines.size() < MAX_LINES) {
                lines.add(line);
            }
        }
        return Failure.of(code, "START_FAILED", lines);
    }
}
