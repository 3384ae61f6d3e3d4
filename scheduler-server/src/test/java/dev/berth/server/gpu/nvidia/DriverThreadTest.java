package dev.berth.server.gpu.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.gpu.GpuException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls one after the other, and one that does not come back. */
class DriverThreadTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final String LATE =
            "NVIDIA's driver has not answered within 50 ms about GPU 1; the kernel's log may say why (dmesg | grep -i nvrm)";
    private static final String STILL =
            "NVIDIA's driver still has not answered an earlier call about GPU 1; it is asked"
                    + " again when that one comes back, or after a reboot";

    private final DriverThread line = new DriverThread("gpu-1");
    private final CountDownLatch back = new CountDownLatch(1);
    private final CountDownLatch gone = new CountDownLatch(1);

    @AfterEach
    void end() {
        back.countDown();
        line.close();
    }

    private String hang() {
        gone.countDown();
        try {
            back.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "back";
    }

    private static void hung(ThrowingCallable call, String sentence) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        GpuException.class, e -> assertThat(e.kind()).isEqualTo(GpuException.Kind.HUNG))
                .hasMessage(sentence);
    }

    @Test
    void theyAreMadeInTheirOrder() {
        List<Integer> made = new ArrayList<>();
        List<DriverThread.Call<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            int number = i;
            calls.add(line.begin("GPU 1", () -> made.add(number)));
        }
        calls.forEach(call -> assertThat(call.await(LONG)).isTrue());
        assertThat(made).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void aFailureIsTheCallers() {
        assertThatThrownBy(() -> line.call("GPU 1", LONG, () -> {
                    throw new GpuException("no");
                }))
                .isInstanceOf(GpuException.class)
                .hasMessage("no");
        assertThat(line.<String>call("GPU 1", LONG, () -> "well")).isEqualTo("well");
    }

    @Test
    void whoComesBehindOneThatHangsIsRefusedAtOnce() throws InterruptedException {
        DriverThread.Call<String> first = line.begin("GPU 1", this::hang);
        gone.await();
        List<String> made = new ArrayList<>();
        DriverThread.Call<Boolean> second = line.begin("GPU 1", () -> made.add("second"));
        hung(() -> first.await(SHORT), LATE);
        hung(() -> second.await(SHORT), LATE);

        hung(() -> line.call("GPU 1", LONG, () -> made.add("third")), STILL);

        back.countDown();
        while (line.isHung()) {
            Thread.onSpinWait();
        }
        assertThat(line.begin("GPU 1", () -> made.add("fourth")).await(LONG)).isTrue();
        assertThat(made).as("what nobody waits for any more is not made").containsExactly("fourth");
    }

    @Test
    void notMoreWaitThanThereIsRoom() throws InterruptedException {
        List<DriverThread.Call<?>> waiting = new ArrayList<>(List.of(line.begin("GPU 1", this::hang)));
        gone.await();
        while (waiting.size() <= 64) {
            waiting.add(line.begin("GPU 1", () -> true));
        }
        hung(() -> line.begin("GPU 1", () -> true), "64 calls about GPU 1 wait for NVIDIA's driver already");
    }
}
