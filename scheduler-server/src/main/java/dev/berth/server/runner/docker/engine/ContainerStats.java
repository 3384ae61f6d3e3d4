package dev.berth.server.runner.docker.engine;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.CpuStatsConfig;
import com.github.dockerjava.api.model.MemoryStatsConfig;
import com.github.dockerjava.api.model.Statistics;
import com.github.dockerjava.api.model.StatsConfig;
import dev.berth.server.linux.ProcessUse;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** What the engine says of a container's use of the machine. */
final class ContainerStats {
    private ContainerStats() {}

    /** The use of a container that runs; empty for any other. The engine takes a second or two for it. */
    static Optional<ProcessUse> of(DockerClient client, String name) throws Exception {
        try (Answer answer = new Answer()) {
            client.statsCmd(name).withNoStream(true).exec(answer);
            return use(answer.said.get());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof NotFoundException) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Of a container that is gone the library's own would write into the log. */
    private static final class Answer extends ResultCallback.Adapter<Statistics> {
        private final CompletableFuture<Statistics> said = new CompletableFuture<>();

        @Override
        public void onNext(Statistics statistics) {
            said.complete(statistics);
        }

        @Override
        public void onError(Throwable failure) {
            said.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            said.completeExceptionally(new IOException("the engine said nothing of what a container uses"));
        }
    }

    /** What one answer says; the engine says nothing of the memory of what has ended. */
    static Optional<ProcessUse> use(Statistics said) {
        CpuStatsConfig cpu = said.getCpuStats();
        MemoryStatsConfig memory = said.getMemoryStats();
        if (cpu == null
                || cpu.getCpuUsage() == null
                || cpu.getCpuUsage().getTotalUsage() == null
                || memory == null
                || memory.getUsage() == null) {
            return Optional.empty();
        }
        long held = Math.max(0, memory.getUsage() - inactiveFiles(memory.getStats()));
        return Optional.of(new ProcessUse(cpu.getCpuUsage().getTotalUsage(), held));
    }

    /** As {@code docker stats} takes them off (docker/cli, "calculateMemUsageUnixNoCache"): version 1, then version 2. */
    private static long inactiveFiles(@Nullable StatsConfig stats) {
        if (stats == null) {
            return 0;
        }
        Long ofAll = stats.getTotalInactiveFile();
        Long own = ofAll == null ? stats.getInactiveFile() : ofAll;
        return own == null ? 0 : own;
    }
}
