package dev.berth.core.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Random arrivals and ends of shares and whole GPUs on machines of all sizes, first in, first out. */
class SharingTest {
    private static final int SEQUENCES = 10_000;
    private static final int STEPS = 30;
    private static final List<GpuTopology> TOPOLOGIES = Stream.concat(
                    Stream.of(GpuTopology.UNKNOWN),
                    Stream.of(GpuMachines.values()).map(GpuMachines::topology))
            .toList();

    @Test
    void noGpuIsGivenOutTwiceAndNobodyWaitsForNothing() {
        int started = 0;
        for (long seed = 1; seed <= SEQUENCES; seed++) {
            started += run(new SplittableRandom(seed));
        }
        assertThat(started).as("jobs that started").isGreaterThan(SEQUENCES * STEPS / 10);
    }

    /** The checks are {@link TinyMachine}'s; here only the queue is kept. */
    private static int run(SplittableRandom random) {
        int gpus = 1 + random.nextInt(8);
        GpuTopology topology = TOPOLOGIES.get(random.nextInt(TOPOLOGIES.size()));
        TinyMachine machine = new TinyMachine(GpuMachines.gpus(gpus), topology, 1 + random.nextInt(8));
        Deque<Integer> queue = new ArrayDeque<>();
        int lastJob = 0;
        for (int step = 0; step < STEPS; step++) {
            List<Integer> running = machine.running();
            if (random.nextBoolean()) {
                queue.add(milli(random, gpus));
            } else if (!running.isEmpty()) {
                machine.end(running.get(random.nextInt(running.size())));
            }
            while (!queue.isEmpty() && machine.start(lastJob + 1, queue.getFirst())) {
                queue.removeFirst();
                lastJob++;
            }
        }
        return lastJob;
    }

    private static int milli(SplittableRandom random, int gpus) {
        return switch (random.nextInt(4)) {
            case 0 -> 1000 * (1 + random.nextInt(gpus));
            case 1 -> 50 * (1 + random.nextInt(19));
            default -> 1 + random.nextInt(999);
        };
    }
}
