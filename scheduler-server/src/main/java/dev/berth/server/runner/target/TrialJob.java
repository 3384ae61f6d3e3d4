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
import dev.berth.server.runner.target.Phase.End;
import dev.berth.server.runner.target.TargetEngine.Finding;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves a target from end to end by a job of Berth's own, which prints a file of its directory and ends: it is handed over, looked
 * after, read and removed as any other.
 *
 * @param handed whose it is, and what it is called there
 * @param target the target
 * @param image what the job's container is made of; the word of those that have none
 * @param pause waits for {@link #PAUSE} between two looks
 */
public record TrialJob(Handed handed, String target, TargetEngine engine, String image, Runnable pause) {
    private static final Logger LOG = LoggerFactory.getLogger(TrialJob.class);
    static final String NAME = "trial";
    private static final String WORD = "berth was here";
    private static final String FILE = "berth-trial.txt";
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
            return bad(
                    "a job of " + handed.owner().name() + " could not be handed over: " + e.sentence(),
                    remedy(e.kind()));
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

    /** What the engine does not take lies in what the target asks for, as the job itself asks for nothing. */
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
                Resources.of(GpuRequest.NONE),
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

    private static Program program() {
        return new Program(List.of("/bin/cat", FILE), Map.of());
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
                "a job of " + handed.owner().name() + " was handed over and has not ended within "
                        + PATIENCE.toSeconds() + " seconds: " + inWords(phase),
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
            case End.Exited(int code, boolean _)
            when code != 0 ->
                bad(
                        "the job (" + over.id() + ") ended with exit code " + code + ", and not 0; it wrote: "
                                + written(),
                        inspection(over));
            case End.Exited _ -> {
                String text = written();
                yield text.contains(WORD)
                        ? Finding.well(
                                NAME,
                                "a job of " + handed.owner().name() + " ran (" + over.id()
                                        + "), found its directory, and what it wrote came back")
                        : bad(
                                "a job ran (" + over.id()
                                        + "), and nothing that it wrote came back: is the target's"
                                        + " directory the same one on the nodes and where the engine is called?",
                                inspection(over));
            }
        };
    }

    private String written() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        engine.collect(List.of(new Trial(handed, all)));
        return all.toString(StandardCharsets.UTF_8).strip();
    }

    private String inspection(Phase.Over over) {
        return engine.inspection(handed, over.id());
    }

    private static Finding bad(String sentence, String remedy) {
        return Finding.failure(NAME, sentence, remedy);
    }

    /** What the job writes, from its beginning. */
    private record Trial(Handed handed, ByteArrayOutputStream all) implements TargetEngine.Reading {
        @Override
        public long known(Stream stream) {
            return 0;
        }

        @Override
        public void take(Stream stream, byte[] bytes) {
            if (stream != Stream.TRACK) {
                all.writeBytes(bytes);
            }
        }
    }
}
