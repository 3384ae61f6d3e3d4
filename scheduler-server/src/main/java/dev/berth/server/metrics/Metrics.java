package dev.berth.server.metrics;

import dev.berth.server.loop.Scheduling;
import dev.berth.server.measure.Requests;
import dev.berth.server.runner.EngineHealth;
import dev.berth.server.store.JobQueries;
import dev.berth.server.time.Clocks;
import dev.berth.server.track.Tracking;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.usage.LatestGpuStatus;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmRuntimeInfoMetric;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All metrics as Prometheus reads them. The library is loaded when somebody asks for the first time. Safe for any thread. */
public final class Metrics {
    /** The type of {@link #text}. */
    public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    /**
     * The parts of a server that the metrics come from.
     *
     * @param data the data directory
     */
    public record Sources(
            String version,
            Path data,
            Scheduling scheduling,
            JobQueries queries,
            EngineHealth engine,
            LatestGpuStatus gpus,
            Tracking tracking,
            BackgroundWork background,
            Requests requests,
            Clocks clock) {}

    private final Sources sources;
    private @Nullable PrometheusRegistry process;

    public Metrics(Sources sources) {
        this.sources = sources;
    }

    /** All values of now. */
    public byte[] text() throws IOException {
        Points points = new Points();
        new MachineFigures(
                        sources.scheduling().machine(),
                        sources.queries(),
                        sources.gpus(),
                        sources.clock().instant())
                .addTo(points);
        new ServerFigures(sources).addTo(points);
        MetricSnapshot[] all = Stream.concat(points.all().stream(), process().scrape().stream())
                .toArray(MetricSnapshot[]::new);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(text, new MetricSnapshots(all), EscapingScheme.UNDERSCORE_ESCAPING);
        return text.toByteArray();
    }

    private synchronized PrometheusRegistry process() {
        PrometheusRegistry known = process;
        if (known == null) {
            known = new PrometheusRegistry();
            ProcessMetrics.builder().register(known);
            JvmMemoryMetrics.builder().register(known);
            JvmGarbageCollectorMetrics.builder().register(known);
            JvmRuntimeInfoMetric.builder().register(known);
            process = known;
        }
        return known;
    }
}
