package dev.berth.server.runner.target;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.Label;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.job.Resources;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineText;
import dev.berth.server.runner.target.Phase.End;
import dev.berth.server.runner.target.TargetEngine.Finding;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves a target from end to end by a job of Berth's own, which prints a file of its directory, and the GPUs that it sees if it has
 * any, and ends: it is handed over, looked after, read and removed as any other.
 *
 * @param handed whose it is, and what it is called there
 * @param target the target
 * @param image what the job's container is made of; the word of those that have none
 * @param gpus those that it asks for
 * @param pause waits for {@link #PAUSE} between two looks
 */
public record TrialJob(
        Handed handed, String target, TargetEngine engine, String image, GpuRequest gpus, Runnable pause) {
    private static final Logger LOG = LoggerFactory.getLogger(TrialJob.class);
    static final String NAME = "trial";
    private static final String WORD = "berth was here";
    private static final String FILE = "berth-trial.txt";

    /** Tells each GPU in a line that begins so: "GPU 0: NVIDIA H200 (UUID: GPU-...)". */
    private static final String LIST_GPUS = "nvidia-smi -L";

    private static final String GPU = "GPU ";

    /** Of what it writes: far more than it does, unless a launcher of the lab's own goes astray. */
    private static final int MOST_PARTS = 8;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    static final Duration PAUSE = Duration.ofMillis(500);

    /** No job of a queue has this number. */
    static final JobId NUMBER = new JobId(Long.MAX_VALUE);

    /** Runs it; never fails. */
    Finding run() {
        try {
            engine.handOver(new Handover(handed, job(), program(), Map.of(), TrialJob::writeDirectory));
            return followed();
        } catch (EngineException e) {
            return bad(named() + " could not be handed over: " + e.sentence(), remedy(e.kind()));
        } finally {
            remove();
        }
    }

    /** Also what was handed over in part. */
    private void remove() {
        try {
            engine.cancel(handed, Duration.ZERO);
            engine.discard(handed);
        } catch (EngineException e) {
            LOG.warn("what is left of {} at target {} cannot be removed: {}", handed.name(), target, e.sentence());
        }
    }

    /** "a job of ada", "a job of ada with 2 GPUs". */
    private String named() {
        return "a job of " + handed.owner().name() + (gpus.isNone() ? "" : " with " + gpus.inWords());
    }

    /** What the engine does not take lies in what the target asks for, as the job itself asks for GPUs at most. */
    private String remedy(EngineException.Kind kind) {
        return switch (kind) {
            case REFUSED, NOT_FOUND ->
                "berth config show says what target " + target + " asks for (targets." + target + ")";
            case UNREACHABLE, FAILING, LATE, UNABLE, BEGUN, INTERRUPTED ->
                "berth targets says how " + target + " is; try again when that has passed";
        };
    }

    private Job job() {
        JobSpec spec = new JobSpec(
                new Label(NAME, NAME, List.of()),
                new AtTarget(target, InContainer.of("", image)),
                Resources.of(gpus),
                new Limits(Duration.ofMinutes(1), null),
                false,
                null);
        return new Job(
                NUMBER,
                spec,
                handed.owner(),
                handed.since(),
                new Creating(handed.attempt().number(), "", Allocation.NONE));
    }

    private Program program() {
        return new Program(
                gpus.isNone()
                        ? List.of("/bin/cat", FILE)
                        : List.of("/bin/sh", "-c", "cat " + FILE + " && " + LIST_GPUS),
                Map.of());
    }

    /** Whether a job's number is that of trials, which no queue knows. */
    public static boolean isOne(JobId job) {
        return job.equals(NUMBER);
    }

    /** The directory of each trial, as {@link Snapshot#writeTo} writes one. */
    public static void writeDirectory(OutputStream archive) throws IOException {
        byte[] word = (WORD + "\n").getBytes(StandardCharsets.UTF_8);
        TarArchiveOutputStream tar = new TarArchiveOutputStream(archive);
        TarArchiveEntry entry = new TarArchiveEntry(FILE, TarConstants.LF_NORMAL);
        entry.setSize(word.length);
        tar.putArchiveEntry(entry);
        tar.write(word);
        tar.closeArchiveEntry();
        tar.finish();
        tar.flush();
    }

    private Finding followed() {
        Phase phase = new Phase.Unknown();
        for (Duration waited = Duration.ZERO; waited.compareTo(PATIENCE) < 0; waited = waited.plus(PAUSE)) {
            phase = engine.look(List.of(handed)).getOrDefault(handed, phase);
            if (phase instanceof Phase.Over over) {
                return ended(over);
            }
            pause.run();
        }
        return bad(
                named() + " was handed over and has not ended within " + PATIENCE.toSeconds() + " seconds: "
                        + inWords(phase),
                "berth targets says how " + target + " is and what it can hold; try again when it has room");
    }

    private static String inWords(Phase phase) {
        return switch (phase) {
            case Phase.Waiting(String _, boolean _, String words) -> words;
            case Phase.Alive(String id, Instant _, String node) -> "job " + id + " is on " + node;
            case Phase.Over _, Phase.Unknown _ -> "nothing is known of it";
        };
    }

    private Finding ended(Phase.Over over) {
        return switch (over.end()) {
            case End.ByEngine(var outcome) -> bad("the job ended otherwise: " + outcome.sentence(), inspection(over));
            case End.NoImage end -> bad(end.sentence(image), inspection(over));
            case End.Exited(int code, boolean _) -> exited(over, code, written());
        };
    }

    private Finding exited(Phase.Over over, int code, String text) {
        String ran = named() + " ran (" + over.id() + ")";
        boolean isBack = text.contains(WORD);
        if (code != 0 && isBack && !gpus.isNone()) {
            return withoutGpus(
                    over,
                    ran + ", and '" + LIST_GPUS + "' in it ended with exit code " + code + ": "
                            + shown(text.replace(WORD, "")));
        }
        if (code != 0) {
            return bad(
                    "the job (" + over.id() + ") ended with exit code " + code + ", and not 0; it wrote: "
                            + shown(text),
                    inspection(over));
        }
        if (!isBack) {
            return bad(
                    "a job ran (" + over.id() + "), and nothing that it wrote came back: is the target's directory the"
                            + " same one on the nodes and where the engine is called?",
                    inspection(over));
        }
        long seen = gpus.isNone()
                ? 0
                : text.lines().filter(line -> line.startsWith(GPU)).count();
        if (seen < gpus.count()) {
            return withoutGpus(over, ran + ", and sees " + seen + " of them");
        }
        if (seen > gpus.count()) {
            return Finding.warning(
                    NAME,
                    ran + ", and sees " + seen + ": nothing keeps jobs from the GPUs of others",
                    "at Slurm, ConstrainDevices=yes in cgroup.conf and each GPU's File= in gres.conf; at Kubernetes,"
                            + " NVIDIA's device plugin");
        }
        return Finding.well(
                NAME,
                ran + (gpus.isNone() ? "" : ", saw no more and no less") + ", found its directory, and what it wrote"
                        + " came back");
    }

    /** What a launcher says may be of any length. */
    private static String shown(String text) {
        return EngineText.of(text).sentence();
    }

    private Finding withoutGpus(Phase.Over over, String sentence) {
        return bad(
                sentence,
                "nodes need NVIDIA's driver, and its Container Toolkit where programs run in containers; "
                        + inspection(over));
    }

    private String written() {
        Written written = new Written(handed, new EnumMap<>(Stream.class));
        boolean hasMore = true;
        for (int part = 0; hasMore && part < MOST_PARTS; part++) {
            hasMore = engine.collect(List.of(written));
        }
        return (written.text(Stream.OUTPUT) + written.text(Stream.ERROR)).strip();
    }

    private String inspection(Phase.Over over) {
        return engine.inspection(handed, over.id());
    }

    private static Finding bad(String sentence, String remedy) {
        return Finding.failure(NAME, sentence, remedy);
    }

    /** What the job writes, from its beginning. */
    private record Written(Handed handed, Map<Stream, ByteArrayOutputStream> streams) implements TargetEngine.Reading {
        @Override
        public long known(Stream stream) {
            return of(stream).size();
        }

        @Override
        public void take(Stream stream, byte[] bytes) {
            of(stream).writeBytes(bytes);
        }

        String text(Stream stream) {
            return of(stream).toString(StandardCharsets.UTF_8);
        }

        private ByteArrayOutputStream of(Stream stream) {
            return streams.computeIfAbsent(stream, _ -> new ByteArrayOutputStream());
        }
    }
}
