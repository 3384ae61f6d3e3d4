package dev.berth.server;

import dev.berth.core.job.Gpu;
import dev.berth.core.machine.Capacity;
import dev.berth.server.http.view.ServerFacts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The first words of a server that answers. */
final class Banner {
    private Banner() {}

    /**
     * The lines.
     *
     * @param files the configuration files that were read
     */
    static List<String> lines(ServerFacts facts, Capacity capacity, List<Path> files) {
        List<String> lines = new ArrayList<>();
        lines.add("berth " + facts.version() + " is ready, pid " + facts.pid());
        if (!files.isEmpty()) {
            lines.add("  config   " + files.stream().map(Path::toString).collect(Collectors.joining(", ")));
        }
        lines.add("  socket   " + facts.socket());
        lines.add("  url      " + facts.url());
        lines.add("  data     " + facts.dataDirectory());
        lines.add("  engine   " + facts.engine());
        lines.add("  image    " + facts.image());
        lines.add("  workers  " + capacity.workers()
                + (capacity.cpuWorkers() > 0 ? ", and " + capacity.cpuWorkers() + " for jobs without GPUs" : ""));
        lines.add("  gpus     " + gpus(facts, capacity));
        for (Gpu gpu : capacity.gpus()) {
            lines.add("    %3s  %s  %s%s"
                    .formatted(
                            gpu.index(),
                            gpu.id(),
                            gpu.name(),
                            gpu.memoryMiB() == 0 ? "" : "  " + gpu.memoryMiB() + " MiB"));
        }
        promised(capacity).ifPresent(promised -> lines.add("  own      " + promised));
        facts.warnings().forEach(warning -> lines.add("  warning  " + warning));
        return lines;
    }

    /** The CPUs and memory that jobs can have for themselves if they name a number or an amount. */
    private static Optional<String> promised(Capacity capacity) {
        List<String> promised = new ArrayList<>();
        if (!capacity.cpus().cpus().isEmpty()) {
            promised.add("cores "
                    + capacity.cpus().cpus().stream()
                            .map(cpu -> Integer.toString(cpu.id()))
                            .collect(Collectors.joining(",")));
        }
        if (capacity.memoryBytes() != Long.MAX_VALUE) {
            promised.add((capacity.memoryBytes() >> 20) + " MiB of memory");
        }
        return promised.isEmpty()
                ? Optional.empty()
                : Optional.of(String.join(" and ", promised) + ", for jobs with --cpus and --memory");
    }

    private static String gpus(ServerFacts facts, Capacity capacity) {
        int count = capacity.gpus().size();
        if (count == 0) {
            return "none; start with -g to allocate this machine's";
        }
        if (facts.simulated()) {
            return count + ", simulated (--simulate-gpus): no job sees a real one";
        }
        return count
                + (facts.driver() == null ? "" : ", driver " + facts.driver())
                + (facts.cuda() == null ? "" : ", up to CUDA " + facts.cuda())
                + (facts.gpuWay().isEmpty() ? "" : ", given " + facts.gpuWay());
    }
}
