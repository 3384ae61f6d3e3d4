package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The script that brings what programs have written, as the machine's own shell runs it. */
@Timeout(120)
class CollectScriptTest {
    private static final int JOBS = 300;
    private static final long PATIENCE_MILLIS = 60_000;

    @TempDir
    private Path home;

    private Path jobs;

    @BeforeEach
    void makeDirectory() throws IOException {
        jobs = Files.createDirectory(home.resolve("jobs"));
    }

    private String collected(int mostOfOne, int mostOfAll, List<String> pairs) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                "sh",
                "-c",
                SharedScripts.COLLECT,
                "sh",
                "home",
                "jobs",
                Integer.toString(mostOfOne),
                Integer.toString(mostOfAll)));
        words.addAll(pairs);
        ProcessBuilder builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("HOME", home.toString());
        Process process = builder.start();
        Thread watch = Thread.ofVirtual().start(() -> {
            try {
                Thread.sleep(PATIENCE_MILLIS);
                process.destroyForcibly();
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        });
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        watch.interrupt();
        return said;
    }

    private void write(String path, String text) throws IOException {
        Path file = jobs.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void whatIsNewOfEachFileComesInItsPlace() throws IOException {
        write("a/output", "one two");
        write("a/error", "");
        write("b/output", "three\n");
        Files.createDirectory(jobs.resolve("b/error"));
        Files.createSymbolicLink(jobs.resolve("b/track"), jobs.resolve("a/output"));
        assertThat(collected(
                        100,
                        100,
                        List.of(
                                "a/output",
                                "4",
                                "a/error",
                                "0",
                                "a/track",
                                "0",
                                "b/output",
                                "0",
                                "b/error",
                                "0",
                                "b/track",
                                "3")))
                .isEqualTo("0 3\ntwo3 6\nthree\n5 4\n twoall\n");
    }

    @Test
    void noMoreThanSoMuchComesAtOnce() throws IOException {
        write("a/output", "123456789");
        write("b/output", "abcdefghi");
        write("c/output", "-");
        List<String> pairs = List.of("a/output", "0", "b/output", "0", "c/output", "0");
        assertThat(collected(6, 8, pairs)).isEqualTo("0 6\n1234561 2\nabmore\n");
    }

    /** As many as one call has: once the time for it grew with the cube of their number. */
    @Test
    void manyJobsAreReadInTime() throws IOException {
        List<String> pairs = new ArrayList<>();
        StringBuilder expected = new StringBuilder();
        for (int job = 0; job < JOBS; job++) {
            for (String file : List.of("output", "error", "track")) {
                String path = "berth-a1b2c3-" + job + "-1/" + file;
                write(path, file.equals("output") ? "line of " + job : "");
                pairs.addAll(List.of(path, "0"));
            }
            String line = "line of " + job;
            expected.append(3 * job)
                    .append(' ')
                    .append(line.length())
                    .append('\n')
                    .append(line);
        }
        assertThat(collected(1_000, 1_000_000, pairs))
                .isEqualTo(expected.append("all\n").toString());
    }
}
