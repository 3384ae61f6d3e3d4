package dev.berth.server.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of a process of its own, as it is gone for this one afterwards. */
class StandardErrorTest {
    @TempDir
    private Path directory;

    /** Writes before, afterwards, and by a program that it starts. */
    public static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) throws Exception {
            System.err.println("before");
            StandardError.appendTo(Path.of(arguments[0]));
            System.err.println("after");
            new ProcessBuilder("sh", "-c", "echo of a child >&2")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start()
                    .waitFor();
        }
    }

    private String written(Path file) throws IOException, InterruptedException {
        Process writer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName(),
                        file.toString())
                .start();
        String errors = new String(writer.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(writer.waitFor()).as(errors).isIn(0, 1);
        return errors;
    }

    @Test
    void allThatIsWrittenFromThenOnIsAppendedToAFileOfTheOwnersAlone() throws Exception {
        Path file = directory.resolve("server.err");
        assertThat(written(file)).isEqualTo("before\n");
        assertThat(file).hasContent("after\nof a child\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(written(file)).isEqualTo("before\n");
        assertThat(file).hasContent("after\nof a child\nafter\nof a child\n");
    }

    @Test
    void noLinkIsFollowed() throws Exception {
        Path precious = Files.writeString(directory.resolve("precious"), "kept");
        Path link = Files.createSymbolicLink(directory.resolve("server.err"), precious);
        assertThat(written(link)).contains("before", "server.err");
        assertThat(precious).hasContent("kept");
        Files.delete(precious);
        assertThat(written(link)).contains("before", "server.err");
        assertThat(precious).doesNotExist();
    }
}
