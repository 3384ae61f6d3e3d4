package dev.berth.server.metrics;

import dev.berth.server.loop.LoopFigures;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.measure.Requests;
import dev.berth.server.runner.EngineHealth;
import dev.berth.server.runner.EngineOutage;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;

/** Metrics of the server itself: engine, loop, database, disk, requests. */
record ServerFigures(Metrics.Sources sources) {
    private static final double NANOS = 1e9;

    void addTo(Points points) {
        points.add(Figure.BUILD, 1, sources.version());
        engine(points);
        loop(points);
        points.add(Figure.TRACKED_POINTS, sources.tracking().pointsStored());
        points.add(Figure.FAILING_TASKS, sources.background().failing().size());
        disk(points);
        requests(points);
    }

    private void engine(Points points) {
        EngineHealth engine = sources.engine();
        Optional<EngineOutage> outage = engine.outage();
        points.add(Figure.ENGINE_UP, outage.isPresent() ? 0 : 1);
        points.add(
                Figure.ENGINE_OUTAGE,
                outage.map(away ->
                                Duration.between(away.since(), sources.clock().instant()))
                        .map(ServerFigures::seconds)
                        .orElse(0.0));
        engine.failures().forEach((kind, count) -> points.add(Figure.ENGINE_FAILURES, count.sum(), kind.name()));
        engine.work().forEach((work, latencies) -> points.add(Figure.ENGINE_WORK, latencies, work.getSimpleName()));
    }

    private void loop(Points points) {
        Scheduling scheduling = sources.scheduling();
        LoopFigures figures = scheduling.figures();
        points.add(Figure.LOOP_TURN, figures.turns());
        points.add(
                Figure.LOOP_BUSY,
                seconds(figures.busyFor(sources.clock().steady().instant())));
        points.add(Figure.LOOP_WAITING, scheduling.waiting());
        points.add(Figure.STORE_COMMIT, figures.commits());
        figures.ended().forEach((state, count) -> points.add(Figure.ENDED, count.sum(), state.name()));
    }

    /** A disk that cannot be asked has no values: everything else is told all the same. */
    private void disk(Points points) {
        try {
            FileStore disk = Files.getFileStore(sources.data());
            long free = disk.getUsableSpace();
            long size = disk.getTotalSpace();
            points.add(Figure.DISK_FREE, free);
            points.add(Figure.DISK_SIZE, size);
        } catch (IOException _) {
            return;
        }
    }

    private void requests(Points points) {
        Requests requests = sources.requests();
        requests.counts()
                .forEach((of, count) -> points.add(
                        Figure.REQUESTS, count.sum(), of.method(), of.route(), Integer.toString(of.status())));
        requests.durations()
                .forEach((of, latencies) -> points.add(Figure.REQUEST_TIME, latencies, of.method(), of.route()));
    }

    private static double seconds(Duration duration) {
        return Math.max(0, duration.toNanos()) / NANOS;
    }
}
