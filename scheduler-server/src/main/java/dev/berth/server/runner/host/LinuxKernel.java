package dev.berth.server.runner.host;

import dev.berth.server.linux.ErrorNumber;
import dev.berth.server.linux.ProcessDescriptor;
import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.upkeep.BackgroundWork;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Kernel of this machine. */
public final class LinuxKernel implements ProcessKernel {
    private static final Logger LOG = LoggerFactory.getLogger(LinuxKernel.class);
    private static final Path PROC = Path.of("/proc");

    private final ProcessTable table = new ProcessTable(PROC);
    private final ProcessWatch watch;

    /** The kernel, whose processes are watched in the background. */
    public LinuxKernel(BackgroundWork background) {
        this.watch = new ProcessWatch(table, background);
    }

    @Override
    public Path proc() {
        return PROC;
    }

    @Override
    public Watch watch(ProcessKey process, Runnable whenEnded) {
        return watch.watch(process, whenEnded);
    }

    /** The descriptor is opened first and the process looked at then, so that no other of its number is hit. */
    @Override
    public boolean signal(ProcessKey key, int number) {
        Optional<ProcessDescriptor> opened = ProcessDescriptor.of(key.pid());
        if (opened.isEmpty()) {
            return signalByNumber(key, number);
        }
        try (ProcessDescriptor process = opened.get()) {
            int answer = table.isAlive(key) ? process.signal(number) : -ErrorNumber.ESRCH;
            if (answer < 0 && answer != -ErrorNumber.ESRCH) {
                LOG.warn("process {} could not be sent signal {}: error {}", key.pid(), number, -answer);
            }
            return answer >= 0;
        }
    }

    /** Signals a process where the kernel has no such descriptors; Java looks at the start of the process itself. */
    private boolean signalByNumber(ProcessKey key, int number) {
        if (number != ProcessDescriptor.SIGKILL && number != ProcessDescriptor.SIGTERM) {
            LOG.warn("process {} cannot be sent signal {}: that takes Linux 5.3", key.pid(), number);
            return false;
        }
        return ProcessHandle.of(key.pid())
                .filter(_ -> table.isAlive(key))
                .map(process -> number == ProcessDescriptor.SIGKILL ? process.destroyForcibly() : process.destroy())
                .orElse(false);
    }
}
