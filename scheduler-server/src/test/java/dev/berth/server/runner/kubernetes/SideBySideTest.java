package dev.berth.server.runner.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SideBySideTest {
    private static final SideBySide LONG = new SideBySide(Duration.ofMinutes(1));

    @Test
    void allAreDoneAndWhetherThereIsMoreIsTold() {
        AtomicInteger done = new AtomicInteger();
        List<SideBySide.Part> parts = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            boolean isMore = i == 11;
            parts.add(gate -> {
                done.incrementAndGet();
                return isMore;
            });
        }
        assertThat(LONG.run(parts)).isTrue();
        assertThat(done).hasValue(20);
        assertThat(LONG.run(List.of())).isFalse();
    }

    @Test
    void oneThatFailsKeepsNoOtherBack() {
        AtomicInteger done = new AtomicInteger();
        EngineException failure = new EngineException(Kind.FAILING, "no");
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> LONG.run(List.of(
                        gate -> {
                            throw failure;
                        },
                        gate -> done.incrementAndGet() == 0)))
                .isSameAs(failure);
        assertThat(done).hasValue(1);
    }

    @Test
    void thoseBehindOneThatIsLateAreLeftForAnotherTime() {
        CountDownLatch never = new CountDownLatch(1);
        List<Integer> begun = new CopyOnWriteArrayList<>();
        List<Integer> late = new CopyOnWriteArrayList<>();
        List<SideBySide.Part> parts = IntStream.range(0, 20)
                .<SideBySide.Part>mapToObj(number -> new SideBySide.Part() {
                    @Override
                    public boolean run(SideBySide.Gate gate) {
                        begun.add(number);
                        try {
                            if (number == 9) {
                                never.await();
                            }
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        return false;
                    }

                    @Override
                    public void late() {
                        late.add(number);
                    }
                })
                .toList();
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> new SideBySide(Duration.ofSeconds(1)).run(parts))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.LATE));
        assertThat(late).contains(9);
        assertThat(begun).contains(0, 9).doesNotContain(16, 17, 18, 19);
    }

    @Test
    void nothingComesThroughFromOneThatIsLate() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        ConcurrentLinkedQueue<String> through = new ConcurrentLinkedQueue<>();
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> new SideBySide(Duration.ofMillis(50)).run(List.of(gate -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        through.add("cut off");
                    }
                    try {
                        gate.through(() -> through.add("late"));
                    } catch (CancellationException e) {
                        through.add(String.valueOf(e.getMessage()));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    } finally {
                        over.countDown();
                    }
                    return false;
                })))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.LATE));
        over.await();
        assertThat(through).containsExactly("cut off", "too late");
    }
}
