package dev.berth.server.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Pauses;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class GpuSamplerTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Instant START = Instant.parse("2026-01-01T09:00:00Z");

    private static GpuSampler sampler(Function<GpuId, GpuReading> reader, List<GpuReadings> looks, Duration every) {
        return new GpuSampler(
                List.of(Jobs.gpu(0), Jobs.gpu(1)),
                reader,
                List.of(looks::add),
                every,
                Clocks.neverSet(InstantSource.fixed(START)));
    }

    @Test
    void aLookHasEachGpuOrWhyItCouldNotBeRead() {
        List<GpuReadings> looks = new ArrayList<>();
        StagedGpus gpus = new StagedGpus();
        gpus.set(Jobs.gpu(0), 96, 11_848);
        gpus.fail(Jobs.gpu(1));
        try (GpuSampler sampler = sampler(gpus::read, looks, SECOND)) {
            sampler.look();
        }
        assertThat(looks).singleElement().satisfies(look -> {
            assertThat(look.at()).isEqualTo(START);
            assertThat(look.readings()).containsOnlyKeys(Jobs.gpu(0));
            assertThat(look.failures()).containsOnlyKeys(Jobs.gpu(1));
        });
    }

    @Test
    void itLooksInTheMiddleOfEachSecond() {
        try (GpuSampler sampler = sampler(new StagedGpus()::read, new ArrayList<>(), SECOND)) {
            Map<Integer, Integer> pauses = Map.of(0, 1_500, 499, 1_001, 500, 1_000, 501, 999, 750, 750, 999, 501);
            pauses.forEach((now, pause) -> assertThat(sampler.pause(Duration.ZERO, START.plusMillis(now)))
                    .isEqualTo(Duration.ofMillis(pause)));
        }
    }

    @Test
    void aSlowWayToLookIsTakenLessOften() {
        try (GpuSampler sampler = sampler(new StagedGpus()::read, new ArrayList<>(), SECOND)) {
            assertThat(sampler.pause(Duration.ofMillis(1_200), START.plusMillis(1_200)))
                    .isEqualTo(Duration.ofSeconds(24));
        }
    }

    @Test
    void whatALookFailsAtDoesNotEndTheLooking() throws InterruptedException {
        CountDownLatch later = new CountDownLatch(3);
        AtomicInteger calls = new AtomicInteger();
        Function<GpuId, GpuReading> broken = gpu -> {
            later.countDown();
            throw new IllegalStateException("call " + calls.incrementAndGet());
        };
        try (GpuSampler sampler = sampler(broken, new ArrayList<>(), Duration.ofMillis(1))) {
            sampler.start(BackgroundWork.onVirtualThreads(InstantSource.system())
                    .attempts("looks", new Pauses(Duration.ofMillis(1), Duration.ofMillis(1))));
            assertThat(later.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }
}
