package dev.berth.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server's own log by its own configuration: whatever a text says, it says it on its own line. */
class ServerLogTest {
    private static final String FORGED = "2026-03-01T09:00:00.000Z INFO  TransitionLog job=1 cancelled by root";

    @TempDir
    private Path directory;

    /** What is in the file when this was logged. */
    private List<String> logged(Consumer<Logger> work) throws Exception {
        Path file = directory.resolve("server.log");
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        context.putProperty("berth.log", file.toString());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        URL configuration = Objects.requireNonNull(ServerLogTest.class.getResource("/logback.xml"));
        configurator.doConfigure(configuration);
        work.accept(context.getLogger("EngineRetry"));
        context.stop();
        return Files.readAllLines(file);
    }

    @Test
    void aMessageIsOneLineAndSteersNoTerminal() throws Exception {
        List<String> lines = logged(log ->
                log.warn("the engine failed: {}", "denied\r\n" + FORGED + "\u001b[2J\u009b1m\u202e\u2028x\u0085y"));
        assertThat(lines)
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .endsWith("WARN  EngineRetry the engine failed: denied\\r\\n" + FORGED
                                + "\\x1b[2J\\x9b1m\\u202e\\u2028x\\x85y"));
    }

    @Test
    void theMessagesOfAStackTraceBeginNoLines() throws Exception {
        List<String> lines = logged(log -> {
            IllegalStateException failure =
                    new IllegalStateException("top\n" + FORGED, new IOException("below\n" + FORGED + "\u001b[2J"));
            failure.addSuppressed(new IOException("beside\n" + FORGED));
            log.error("an effect failed", failure);
        });
        assertThat(lines).noneMatch(line -> line.startsWith("2026-03-01") || line.contains("\u001b"));
        assertThat(lines)
                .anyMatch(line -> line.equals("java.lang.IllegalStateException: top\\n" + FORGED))
                .anyMatch(line -> line.equals("Caused by: java.io.IOException: below\\n" + FORGED + "\\x1b[2J"))
                .anyMatch(line -> line.strip().equals("Suppressed: java.io.IOException: beside\\n" + FORGED))
                .anyMatch(line -> line.startsWith("\tat dev.berth.server.logging.ServerLogTest"));
    }

    @Test
    void whatIsTooLongIsCut() throws Exception {
        List<String> lines = logged(log -> log.warn("{}", "x".repeat(1 << 20)));
        assertThat(lines)
                .singleElement()
                .satisfies(line -> assertThat(line).hasSizeLessThan(17 << 10).endsWith("... (1032192 more)"));
    }

    @Test
    void plainTextStaysAsItIs() throws Exception {
        assertThat(logged(log -> log.info("job={} Ärger mit \"日本\" \\n 😀", 17)))
                .singleElement()
                .satisfies(line -> assertThat(line).endsWith("INFO  EngineRetry job=17 Ärger mit \"日本\" \\n 😀"));
    }
}
