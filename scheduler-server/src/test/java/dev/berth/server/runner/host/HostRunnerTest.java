package dev.berth.server.runner.host;

import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.io.Writer;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;

/** The runner on real processes of this machine. */
class HostRunnerTest extends HostRunnerContract {
    private final LinuxKernel kernel = new LinuxKernel(BackgroundWork.onVirtualThreads(InstantSource.system()));
    private final ProcessTable table = new ProcessTable(kernel.proc());
    private final Map<ProcessKey, Process> programs = new ConcurrentHashMap<>();

    @Override
    ProcessKernel kernel() {
        return kernel;
    }

    private ProcessKey key(long pid) {
        return table.find(pid).orElseThrow().key();
    }

    @Override
    ProcessKey command() {
        return key(ProcessHandle.current().pid());
    }

    @Override
    ProcessKey start(IntConsumer ended) throws IOException {
        Process started = new ProcessBuilder("/bin/sh", "-c", "read code; exit $code").start();
        var _ = started.onExit().thenAccept(it -> ended.accept(it.exitValue()));
        ProcessKey key = key(started.pid());
        programs.put(key, started);
        return key;
    }

    @Override
    void end(ProcessKey program, int exitCode) throws IOException {
        try (Writer input = Objects.requireNonNull(programs.get(program)).outputWriter()) {
            input.write(exitCode + "\n");
        }
    }

    @Override
    boolean isAlive(ProcessKey program) {
        return Objects.requireNonNull(programs.get(program)).isAlive();
    }
}
