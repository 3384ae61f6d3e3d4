package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class JointCallsTest {
    private static final int MOST = 4;

    private final List<List<Integer>> made = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final JointCalls<String, Integer, Integer> calls = new JointCalls<>(MOST, this::make);

    @AfterEach
    void goOn() {
        goOn.countDown();
    }

    /** The first call waits until the test lets it go on; 13 fails, 99 finds its thread interrupted. */
    private int make(String key, List<Integer> all) {
        boolean isFirst = begun.getCount() > 0;
        made.add(List.copyOf(all));
        begun.countDown();
        if (isFirst) {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new EngineException(Kind.INTERRUPTED, "interrupted", e);
            }
        }
        if (all.contains(13)) {
            throw new EngineException(Kind.REFUSED, "no 13");
        }
        return all.stream().mapToInt(Integer::intValue).sum();
    }

    private Call call(String key, int one) {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        Thread thread = Thread.startVirtualThread(() -> {
            try {
                answer.complete(calls.of(key, one));
            } catch (EngineException e) {
                answer.completeExceptionally(e);
            }
        });
        return new Call(thread, answer);
    }

    private Call first() throws InterruptedException {
        Call first = call("ada", 0);
        begun.await();
        return first;
    }

    /** Begins calls one after the other, each once the one before waits. */
    private List<Call> behind(int... numbers) {
        return IntStream.of(numbers)
                .mapToObj(number -> call("ada", number).waiting())
                .toList();
    }

    private record Call(Thread thread, CompletableFuture<Integer> answer) {
        Call waiting() {
            while (thread.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            return this;
        }

        int get() {
            return answer.join();
        }
    }

    @Test
    void whatComesMeanwhileGoesTogether() throws Exception {
        Call first = first();
        List<Call> others = behind(1, 2, 3);
        goOn.countDown();
        assertThat(first.get()).isZero();
        for (Call other : others) {
            assertThat(other.get()).isEqualTo(6);
        }
        assertThat(made).containsExactly(List.of(0), List.of(1, 2, 3));
    }

    @Test
    void aCallIsNeverOfMoreThanTheMost() throws Exception {
        Call first = first();
        List<Call> others = behind(1, 2, 3, 4, 5, 6);
        goOn.countDown();
        assertThat(first.get()).isZero();
        for (Call other : others) {
            assertThat(other.get()).isPositive();
        }
        assertThat(made).containsExactlyInAnyOrder(List.of(0), List.of(1, 2, 3, 4), List.of(5, 6));
    }

    @Test
    void thoseOfOthersDoNotWait() throws Exception {
        Call first = first();
        assertThat(call("bob", 5).get()).isEqualTo(5);
        assertThat(first.answer().isDone()).isFalse();
    }

    @Test
    void aFailureIsThatOfAll() throws Exception {
        Call first = first();
        List<Call> others = behind(13, 13);
        goOn.countDown();
        assertThat(first.get()).isZero();
        for (Call other : others) {
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(other::get)
                    .extracting(Throwable::getCause, InstanceOfAssertFactories.type(EngineException.class))
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED));
        }
        assertThat(call("ada", 7).get()).isEqualTo(7);
    }

    /** A thread that is to end ends; the call is still to be made for the others. */
    @Test
    void anInterruptionIsThatOfOneAlone() throws Exception {
        Call first = first();
        Call other = call("ada", 5);
        first.thread().interrupt();
        assertThatExceptionOfType(CompletionException.class).isThrownBy(first::get);
        assertThat(other.get()).isEqualTo(5);
    }
}
