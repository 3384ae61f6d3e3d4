package dev.berth.server.doctor;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Gpu;
import dev.berth.core.machine.Found.Condition;
import dev.berth.server.log.LogSink;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.ContainerLogStream;
import dev.berth.server.runner.docker.GpuAccess;
import dev.berth.server.runner.docker.GpuHandover;
import dev.berth.server.runner.docker.check.TestContainer;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** A test container for each GPU: the same way that a job goes, and what is seen at its end. */
final class GpuCheck {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MAX_OUTPUT = 64 << 10;
    private final ContainerEngine engine;
    private final GpuHandover handover;
    private final Findings findings;

    GpuCheck(ContainerEngine engine, GpuHandover handover, Findings findings) {
        this.engine = engine;
        this.handover = handover;
        this.findings = findings;
    }

    /**
     * Tries them all, one after the other.
     *
     * @param held the UUIDs of those that jobs have now
     */
    void look(List<Gpu> gpus, String imageId, Set<String> held) {
        for (Gpu gpu : gpus) {
            if (held.contains(gpu.id().uuid())) {
                findings.ok(name(gpu), "not tried: a job has it");
            } else {
                look(gpu, imageId);
            }
        }
    }

    private static String name(Gpu gpu) {
        return "gpu " + gpu.index();
    }

    private void look(Gpu gpu, String imageId) {
        String name = "berth-doctor-" + UUID.randomUUID();
        try {
            judge(gpu, output(name, gpu, imageId));
        } catch (EngineException e) {
            failed(gpu, "a test container on it did not run: " + e.sentence());
        } finally {
            remove(name);
        }
    }

    private void judge(Gpu gpu, String output) {
        long seen = output.lines()
                .filter(line ->
                        line.startsWith("GPU ") || line.startsWith("  MIG ") || line.startsWith("node /dev/nvidia"))
                .filter(line -> !line.endsWith("*"))
                .count();
        if (output.contains(gpu.id().uuid())) {
            findings.ok(name(gpu), "a test container sees it: " + gpu.name());
        } else if (seen == 1 && output.contains("node /dev/nvidia")) {
            findings.ok(name(gpu), "a test container sees one GPU's node, and has no nvidia-smi to ask");
        } else {
            String said = output.strip().lines().findFirst().orElse("nothing");
            failed(gpu, "a test container on it sees " + (seen == 0 ? "no GPU" : "others") + " ('" + said + "')");
        }
    }

    private void failed(Gpu gpu, String sentence) {
        findings.failure(name(gpu), sentence, "nvidia-smi -q -i " + gpu.id());
    }

    private String output(String name, Gpu gpu, String imageId) {
        GpuAccess access = handover.access(Allocation.whole(List.of(gpu.id())));
        engine.create(TestContainer.plan(name, imageId, access, "none", "dev.berth.doctor"));
        Said said = new Said();
        try (ContainerLogStream stream = engine.attach(name, said)) {
            engine.start(name);
            if (!stream.awaitEnd(PATIENCE)) {
                engine.stop(name, Duration.ofSeconds(1));
                throw new EngineException(
                        EngineException.Kind.FAILING, "it did not end within " + PATIENCE.toSeconds() + " s");
            }
        }
        return said.text();
    }

    private void remove(String name) {
        try {
            if (engine.inspect(name).orElse(null) instanceof Condition.Alive) {
                engine.stop(name, Duration.ofSeconds(1));
            }
            engine.remove(name);
        } catch (EngineException e) {
            findings.warning("engine", "test container " + name + " is left: " + e.sentence(), "docker rm -f " + name);
        }
    }

    /** The beginning of what a test container said. */
    private static final class Said implements LogSink {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public synchronized void write(Stream stream, ByteBuffer piece) {
            byte[] some = new byte[Math.min(piece.remaining(), MAX_OUTPUT - bytes.size())];
            piece.get(some);
            bytes.writeBytes(some);
        }

        synchronized String text() {
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
