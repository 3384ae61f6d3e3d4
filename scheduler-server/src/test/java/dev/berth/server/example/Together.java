package dev.berth.server.example;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several threads that do the same at one moment. */
public final class Together {
    private Together() {}

    /** What each of them answers; what one of them throws is the cause of what this throws. */
    public static <T> List<T> run(int count, Callable<T> work) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CyclicBarrier together = new CyclicBarrier(count);
            List<Future<T>> begun = new ArrayList<>();
            for (int thread = 0; thread < count; thread++) {
                begun.add(threads.submit(() -> {
                    together.await();
                    return work.call();
                }));
            }
            List<T> answers = new ArrayList<>();
            for (Future<T> one : begun) {
                answers.add(one.get());
            }
            return answers;
        }
    }
}
