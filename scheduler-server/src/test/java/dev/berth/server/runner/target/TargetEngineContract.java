package dev.berth.server.runner.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.job.Signal;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import dev.berth.testclient.SlurmCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What every engine of a target does, so that nobody else has to know which one has a job. */
@Timeout(180)
public abstract class TargetEngineContract {
    private static final int MANY = 20;

    private final List<Handed> handed = new ArrayList<>();
    private long last;

    /** The engine of a server that begins, and knows of nothing. */
    protected abstract TargetEngine begin();

    /** A job whose program does what {@link #write} and {@link #end} say. */
    protected abstract Handover job(long number);

    /** Its program runs once this returns, whoever starts it. */
    protected abstract void start(Handed one);

    /** Has its program write a line to its output, or to {@code $BERTH_TRACK}. */
    protected abstract void write(Handed one, Stream stream, String line);

    /** Its program ends. */
    protected abstract void end(Handed one, int exitCode);

    /** Whether the engine, as it is here, brings what programs write to {@code $BERTH_TRACK}. */
    protected boolean isTracked() {
        return true;
    }

    /** How many jobs of its name there are at the engine. */
    protected abstract int count(Handed one);

    private Handed handOver() {
        Handover handover = job(++last);
        begin().handOver(handover);
        handed.add(handover.handed());
        return handover.handed();
    }

    private Handed running() {
        Handed one = handOver();
        start(one);
        return one;
    }

    private Phase until(Handed one, Predicate<Phase> isThere) {
        TargetEngine engine = begin();
        while (true) {
            Phase phase = engine.look(List.of(one)).get(one);
            if (phase != null && isThere.test(phase)) {
                return phase;
            }
            SlurmCluster.pause();
        }
    }

    private static KeptOutput collect(TargetEngine engine, KeptOutput kept) {
        while (engine.collect(List.of(kept))) {
            SlurmCluster.pause();
        }
        return kept;
    }

    @AfterEach
    void removeAll() {
        TargetEngine engine = begin();
        handed.forEach(one -> engine.cancel(one, Duration.ZERO));
        handed.forEach(engine::discard);
        close();
    }

    /** Nothing more is asked of the engine. */
    protected void close() {}

    @Test
    void aJobIsHandedOverOnce() {
        Handover handover = job(++last);
        handed.add(handover.handed());
        begin().handOver(handover);
        begin().handOver(handover);
        start(handover.handed());
        begin().handOver(handover);
        end(handover.handed(), 0);
        Phase _ = until(handover.handed(), Phase.Over.class::isInstance);
        begin().handOver(handover);
        assertThat(count(handover.handed())).isEqualTo(1);
    }

    @Test
    void itsEndIsThatOfItsProgram() {
        Handed one = handOver();
        assertThat(begin().look(List.of(one)).get(one)).isNotInstanceOfAny(Phase.Over.class, Phase.Unknown.class);
        start(one);
        Phase.Alive alive = (Phase.Alive) until(one, Phase.Alive.class::isInstance);
        end(one, 3);
        Phase.Over over = (Phase.Over) until(one, Phase.Over.class::isInstance);
        assertThat(over.end()).isEqualTo(new Phase.End.Exited(3, false));
        assertThat(over.startedAt()).isEqualTo(alive.startedAt());
        assertThat(over.endedAt()).isAfterOrEqualTo(alive.startedAt());
    }

    @Test
    void whatItWritesComesOnceAndFromWhereItIsKnown() {
        Handed one = running();
        KeptOutput kept = KeptOutput.of(one);
        TargetEngine engine = begin();
        write(one, Stream.OUTPUT, "first\n");
        write(one, Stream.TRACK, "{\"tag\":\"first\"}\n");
        Stream slowest = isTracked() ? Stream.TRACK : Stream.OUTPUT;
        while (!collect(engine, kept).text(slowest).endsWith("\n")) {
            SlurmCluster.pause();
        }
        assertThat(kept.text(Stream.OUTPUT)).isEqualTo("first\n");
        write(one, Stream.OUTPUT, "second\n");
        write(one, Stream.TRACK, "{\"tag\":\"second\"}\n");
        end(one, 0);
        Phase _ = until(one, Phase.Over.class::isInstance);
        // The next server goes on where this one was.
        KeptOutput all = collect(begin(), kept);
        assertThat(all.text(Stream.OUTPUT)).isEqualTo("first\nsecond\n");
        assertThat(all.text(Stream.TRACK)).isEqualTo(isTracked() ? "{\"tag\":\"first\"}\n{\"tag\":\"second\"}\n" : "");
        assertThat(all.text(Stream.ERROR)).isEmpty();
    }

    @Test
    void aLookIsAtManyJobsAndKnowsThoseThatWereNeverThere() {
        Set<Handed> many = new HashSet<>();
        for (int i = 0; i < MANY; i++) {
            many.add(handOver());
        }
        Handed never = job(++last).handed();
        many.add(never);
        Map<Handed, Phase> found = begin().look(many);
        assertThat(found).containsOnlyKeys(many);
        assertThat(found.get(never)).isEqualTo(new Phase.Unknown());
        assertThat(found.values().stream().filter(Phase.Unknown.class::isInstance))
                .hasSize(1);
    }

    @Test
    void aCancelEndsWhatWaitsAndWhatRunsAndIsNothingToOthers() {
        Handed waiting = handOver();
        Handed running = running();
        TargetEngine engine = begin();
        for (Handed one : List.of(waiting, running)) {
            engine.cancel(one, Duration.ofSeconds(1));
            Phase after = until(one, phase -> phase instanceof Phase.Unknown || phase instanceof Phase.Over);
            if (after instanceof Phase.Over over) {
                assertThat(over.end()).isNotEqualTo(new Phase.End.Exited(0, false));
            }
            engine.cancel(one, Duration.ZERO);
        }
        engine.cancel(job(++last).handed(), Duration.ZERO);
    }

    @Test
    void aHoldIsDoneOrRefusedInASentence() {
        Handed one = handOver();
        TargetEngine engine = begin();
        if (engine.abilities().has(TargetEngine.Ability.HOLDS)) {
            engine.hold(one, true);
            engine.hold(one, false);
            assertThat(until(one, phase -> !(phase instanceof Phase.Waiting waiting) || !waiting.isHeld()))
                    .isNotInstanceOf(Phase.Unknown.class);
        } else {
            assertThatExceptionOfType(EngineException.class)
                    .isThrownBy(() -> engine.hold(one, true))
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                    .withMessageContaining("cannot set a Job aside");
        }
    }

    @Test
    void aSignalIsSentOrRefusedInASentence() {
        Handed one = running();
        TargetEngine engine = begin();
        if (engine.abilities().has(TargetEngine.Ability.SIGNALS)) {
            assertThat(engine.signal(one, Signal.CONT)).isTrue();
            assertThat(until(one, Phase.Alive.class::isInstance)).isNotNull();
            assertThat(engine.signal(job(++last).handed(), Signal.CONT))
                    .as("never there")
                    .isFalse();
            end(one, 0);
            Phase _ = until(one, Phase.Over.class::isInstance);
            assertThat(engine.signal(one, Signal.CONT)).as("over").isFalse();
        } else {
            assertThatExceptionOfType(EngineException.class)
                    .isThrownBy(() -> engine.signal(one, Signal.CONT))
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                    .withMessageContaining("cannot be sent");
        }
    }

    @Test
    void whatIsLeftOfAJobIsRemovedAndMayBeRemovedAgain(@TempDir Path directory) throws IOException {
        Handed one = running();
        // What comes from there, its owner brings.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path output = Files.createDirectory(directory.resolve("output"));
        Files.setAttribute(output, "unix:uid", Math.toIntExact(one.owner().uid()));
        end(one, 0);
        Phase _ = until(one, Phase.Over.class::isInstance);
        TargetEngine engine = begin();
        engine.fetch(one, output);
        engine.discard(one);
        engine.discard(one);
        assertThat(Objects.requireNonNull(engine.look(List.of(one)).get(one)))
                .isNotInstanceOfAny(Phase.Waiting.class, Phase.Alive.class);
    }

    @Test
    void itTellsHowItIsAndHowOrderGoes() {
        TargetEngine engine = begin();
        assertThat(engine.health().isWell()).isTrue();
        assertThat(engine.health().sentence()).isNotBlank();
        assertThat(engine.abilities().order()).isNotBlank();
        assertThat(engine.examine(job(++last).handed().owner())).isNotEmpty();
    }
}
