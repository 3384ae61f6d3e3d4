package dev.berth.server.gpu.process;

import java.util.List;

/**
 * Process of the machine, as it was at one moment.
 *
 * @param startTicks when it began, in the kernel's ticks since its own start: with the number it names one process only
 * @param parent the process that it belongs to, 0 for none
 * @param uid whose it is
 * @param name the kernel's short name of its program, made harmless
 * @param containers the ids of the containers it is in, the outermost first; empty for one of the machine itself
 */
public record RunningProcess(long pid, long startTicks, long parent, long uid, String name, List<String> containers) {
    public RunningProcess {
        containers = List.copyOf(containers);
    }
}
