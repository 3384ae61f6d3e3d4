package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.TargetEngine;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import dev.berth.server.runner.target.TargetEngineContract;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The contract of engines at a {@linkplain RealSite real cluster}. Run as {@link RealControllersTest} is. */
@Tag("kubernetes")
class RealEngineTest extends TargetEngineContract {
    @TempDir
    private Path directory;

    private RealSite site;

    @BeforeEach
    void makeSite() throws IOException {
        site = new RealSite(directory);
    }

    @Override
    protected void close() {
        site.close();
    }

    @Override
    protected TargetEngine begin() {
        return site.engine();
    }

    /** This cluster's version has to have sidecars. */
    @Override
    protected boolean isTracked() {
        return site.isTracked();
    }

    @Override
    protected Handover job(long number) {
        return Handovers.of(number);
    }

    @Override
    protected void start(Handed one) {
        site.start(one);
    }

    @Override
    protected void write(Handed one, Stream stream, String line) {
        site.write(one, stream == Stream.TRACK ? TrackPlan.CONTAINER : PodManifest.CONTAINER, line);
    }

    @Override
    protected void end(Handed one, int exitCode) {
        site.end(one, exitCode);
    }

    @Override
    protected int count(Handed one) {
        return site.count(one);
    }
}
