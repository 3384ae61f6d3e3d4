package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.FakeContainerEngine;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A start on an engine that answers later, or never. */
class EngineWaitTest {
    private final ContainerEngine engine = new FakeContainerEngine(InstantSource.system(), (_, _) -> {});
    private final Queue<EngineException> failures = new ArrayDeque<>();
    private final List<String> told = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();

    private final EngineWait wait = new EngineWait(pauses::add, told::add, () -> told.add("still"));

    private static EngineException away() {
        return new EngineException(Kind.UNREACHABLE, "no Docker Engine answers at unix:///x");
    }

    private ContainerEngine ask() {
        @Nullable EngineException failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
        return engine;
    }

    @Test
    void oneThatAnswersIsNotWaitedFor() {
        assertThat(wait.first(this::ask)).isSameAs(engine);
        assertThat(told).isEmpty();
        assertThat(pauses).isEmpty();
        assertThat(EngineWait.atOnce(this::ask)).isSameAs(engine);
    }

    @Test
    void theReasonIsToldOnceAndAgainWhereItHasChanged() {
        failures.addAll(List.of(away(), away(), away(), new EngineException(Kind.FAILING, "500: it starts"), away()));
        assertThat(wait.first(this::ask)).isSameAs(engine);
        String sentence = "no Docker Engine answers at unix:///x; the start waits for it (--wait-for-engine)";
        assertThat(told)
                .containsExactly(
                        sentence,
                        "still",
                        "still",
                        "still",
                        "500: it starts; the start waits for it (--wait-for-engine)",
                        "still",
                        sentence,
                        "still");
        assertThat(pauses).hasSize(5).containsOnly(Duration.ofSeconds(1));
    }

    @Test
    void whatWaitingDoesNotMendIsRefusedAtOnce() {
        EngineException refused = new EngineException(Kind.REFUSED, "too old");
        failures.addAll(List.of(refused, refused));
        assertThatThrownBy(() -> wait.first(this::ask)).isSameAs(refused);
        assertThatThrownBy(() -> EngineWait.atOnce(this::ask)).isSameAs(refused);
        assertThat(pauses).isEmpty();
    }

    @Test
    void withoutTheOptionTheRefusalNamesIt() {
        failures.add(away());
        assertThatThrownBy(() -> EngineWait.atOnce(this::ask))
                .isInstanceOfSatisfying(
                        EngineException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE))
                .hasMessage("no Docker Engine answers at unix:///x; --wait-for-engine waits until it answers");
    }

    /** As a signal does, which ends the process. */
    @Test
    void anInterruptEndsTheWaitAtOnce() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        EngineWait real = new EngineWait(_ -> never.await(), told::add, () -> {});
        List<Throwable> ends = new ArrayList<>();
        CountDownLatch waits = new CountDownLatch(1);
        Thread starter = Thread.ofPlatform().start(() -> {
            try {
                real.first(() -> {
                    waits.countDown();
                    throw away();
                });
            } catch (StartException ended) {
                ends.add(ended);
            }
        });
        waits.await();
        starter.interrupt();
        starter.join();
        assertThat(ends).singleElement().isInstanceOfSatisfying(StartException.class, ended -> {
            assertThat(ended.exitCode()).isEqualTo(StartException.FAILED);
            assertThat(ended.sentence()).isEqualTo("the start was interrupted");
        });
    }
}
