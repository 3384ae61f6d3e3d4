package dev.berth.server.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Virtual threads that wait for a class hold up no other ones. */
class CarriersTest {
    private static final int WAITING = 200;
    private static final int STUCK = 42;

    /** Its initialisation waits for somebody else. */
    static final class Slow {
        static final long LOADED;

        static {
            Child.ENTERED.countDown();
            Child.await(Child.GO);
            LOADED = System.nanoTime();
        }

        private Slow() {}
    }

    /** A process in which many virtual threads need a class whose initialisation waits for one more. */
    static final class Child {
        static final CountDownLatch ENTERED = new CountDownLatch(1);
        static final CountDownLatch GO = new CountDownLatch(1);

        private Child() {}

        static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        public static void main(String[] arguments) throws InterruptedException {
            if (arguments[0].equals("reserved")) {
                Carriers.reserve();
            }
            CountDownLatch done = new CountDownLatch(WAITING);
            for (int thread = 0; thread < WAITING; thread++) {
                Thread.startVirtualThread(() -> {
                    if (Slow.LOADED != 0) {
                        done.countDown();
                    }
                });
            }
            ENTERED.await();
            Thread.startVirtualThread(GO::countDown);
            System.exit(done.await(Long.parseLong(arguments[1]), TimeUnit.SECONDS) ? 0 : STUCK);
        }
    }

    private static int child(String carriers, int seconds) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:ActiveProcessorCount=2",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        carriers,
                        Integer.toString(seconds))
                .inheritIO()
                .start()
                .waitFor();
    }

    @Test
    void manyThatWaitForAClassHoldUpNoOther() throws Exception {
        assertThat(child("reserved", 60)).isZero();
    }

    /** That this is still so: once it is not, {@link Carriers} can go. */
    @Test
    void asManyAsCoresAreTooFew() throws Exception {
        assertThat(child("default", 3)).isEqualTo(STUCK);
    }
}
