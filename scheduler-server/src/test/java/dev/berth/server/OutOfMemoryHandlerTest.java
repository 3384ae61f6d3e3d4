package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a process of its own. */
class OutOfMemoryHandlerTest {
    /** Throws on a thread of the kind that it is told. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws InterruptedException {
            OutOfMemoryHandler.install();
            Runnable work = () -> {
                if (arguments[1].equals("memory")) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                throw new IllegalStateException("a bug");
            };
            Thread thread = arguments[0].equals("virtual") ? Thread.startVirtualThread(work) : new Thread(work);
            if (!thread.isVirtual()) {
                thread.start();
            }
            thread.join();
            System.exit(0);
        }
    }

    private record Ended(int code, String errors) {}

    private static Ended child(String thread, String what) throws IOException, InterruptedException {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        thread,
                        what)
                .start();
        String errors = new String(child.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(child.waitFor(), errors);
    }

    @ParameterizedTest
    @ValueSource(strings = {"virtual", "platform"})
    void aThreadWithoutMemoryEndsTheServerWithASentence(String thread) throws Exception {
        Ended ended = child(thread, "memory");
        assertThat(ended.code()).isEqualTo(125);
        assertThat(ended.errors()).contains("berth: the server ends: it has no memory left outside of its heap");
    }

    @Test
    void anyOtherFailureOfAThreadEndsThatThreadAlone() throws Exception {
        assertThat(child("platform", "bug").code()).isZero();
    }
}
