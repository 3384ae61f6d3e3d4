package dev.berth.server.runner.host;

import dev.berth.server.linux.ProcessKey;
import dev.berth.server.upkeep.VirtualThreadTasks;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** The runner on the processes that the simulation has. */
class SimulatedHostRunnerTest extends HostRunnerContract {
    @TempDir
    private Path proc;

    private final Map<ProcessKey, IntConsumer> waiting = new ConcurrentHashMap<>();
    private @Nullable SimulatedKernel kernel;
    private @Nullable ProcessKey command;

    @Override
    SimulatedKernel kernel() {
        SimulatedKernel there = kernel;
        if (there == null) {
            there = new SimulatedKernel(proc, new VirtualThreadTasks(), (key, exitCode) -> {
                IntConsumer waits = waiting.remove(key);
                if (waits != null) {
                    waits.accept(exitCode);
                }
            });
            kernel = there;
        }
        return there;
    }

    @Override
    ProcessKey command() {
        ProcessKey there = command;
        if (there == null) {
            there = kernel().start(1, 0, "");
            command = there;
        }
        return there;
    }

    @Override
    ProcessKey start(IntConsumer ended) {
        ProcessKey key = kernel().start(command().pid(), 0, "");
        waiting.put(key, ended);
        return key;
    }

    @Override
    void end(ProcessKey program, int exitCode) {
        kernel().end(program, exitCode);
    }

    @Override
    boolean isAlive(ProcessKey program) {
        return kernel().isAlive(program);
    }
}
