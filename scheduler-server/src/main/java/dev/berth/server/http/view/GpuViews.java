package dev.berth.server.http.view;

import dev.berth.core.api.GpuView;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Drain;
import dev.berth.core.machine.Machine;
import dev.berth.core.machine.Obstacle;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.runner.EngineText;
import dev.berth.server.usage.GpuStatus;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** GPUs as the API shows them, by what the scheduler knows of them. */
final class GpuViews {
    private GpuViews() {}

    /**
     * The view of a GPU.
     *
     * @param status how it was at the last look, null where nobody could tell
     * @param asker who asks
     * @param number what people call a job
     */
    static GpuView view(
            Machine now, Gpu gpu, @Nullable GpuStatus status, Caller asker, Function<JobId, String> number) {
        JobId cleaning = cleaning(now, gpu);
        Obstacle obstacle = now.gpus().obstacles().get(gpu.id());
        return new GpuView(
                gpu.index().toString(),
                gpu.id().uuid(),
                gpu.name(),
                gpu.memoryMiB(),
                now.live().values().stream()
                        .flatMap(job -> holder(job, gpu, status))
                        .toList(),
                now.capacity().rules().shares(gpu.id()),
                now.capacity().rules().labels(gpu.id()),
                drain(now.gpus().drains().get(gpu.id())),
                obstacle == null ? null : obstacle.sentence(),
                cleaning == null ? null : cleaning.value(),
                cleaning == null ? null : number.apply(cleaning),
                UsageViews.reading(status),
                UsageViews.occupants(status, asker));
    }

    private static Stream<GpuView.Holder> holder(Job job, Gpu gpu, @Nullable GpuStatus status) {
        return ((Live) job.state())
                .allocation().shares().stream()
                        .filter(share -> share.gpu().equals(gpu.id()))
                        .map(GpuShare::milli)
                        .map(milli -> new GpuView.Holder(
                                job.id().value(),
                                job.owner().name(),
                                milli,
                                status == null ? null : status.memoryMiB(job.id()),
                                job.number()));
    }

    private static GpuView.@Nullable Drain drain(@Nullable Drain drain) {
        if (drain == null) {
            return null;
        }
        EngineText reason = EngineText.of(drain.reason());
        return new GpuView.Drain(drain.by(), reason.sentence(), JobViews.text(drain.since()), reason.details());
    }

    private static @Nullable JobId cleaning(Machine now, Gpu gpu) {
        return now.gpus().cleaning().entrySet().stream()
                .filter(left -> left.getValue().gpus().contains(gpu.id()))
                .map(left -> left.getKey())
                .map(Attempt::job)
                .findFirst()
                .orElse(null);
    }
}
