package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Program;
import dev.berth.server.linux.Users;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.KeptOutput;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.Alive;
import dev.berth.server.runner.target.Phase.Over;
import dev.berth.server.runner.target.Snapshot;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import dev.berth.testclient.SlurmCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A cluster with two users, and what tests ask of the engine there. As root. */
record SlurmLab(SlurmCluster cluster, SlurmUser ada, SlurmUser bob, SlurmSettings settings, SlurmEngine engine)
        implements AutoCloseable {
    private static final AtomicLong NUMBERS = new AtomicLong();

    /** A lab whose users have names that end so. */
    static SlurmLab start(String suffix) {
        return start(suffix, Map.of());
    }

    /** The same with these variables for the script that starts its cluster. */
    static SlurmLab start(String suffix, Map<String, String> variables) {
        SlurmUser ada = SlurmUser.create("berth-ada-" + suffix);
        SlurmUser bob = SlurmUser.create("berth-bob-" + suffix);
        SlurmCluster cluster = SlurmCluster.start(variables);
        SlurmSettings settings = SlurmJobs.settings(
                Map.of("SLURM_CONF", cluster.configuration()), cluster.shared().toString());
        return new SlurmLab(cluster, ada, bob, settings, engine(settings));
    }

    static SlurmEngine engine(SlurmSettings settings) {
        return new SlurmEngine(settings, 0, new Users(), InstantSource.system());
    }

    @Override
    public void close() {
        cluster.close();
        ada.close();
        bob.close();
    }

    /** Ends all jobs of a test. */
    void emptyQueue() {
        for (SlurmUser user : List.of(ada, bob)) {
            cluster.ask("scancel", "--user=" + user.submitter().name());
        }
        while (!cluster.ask("squeue", "--noheader").isBlank()) {
            SlurmCluster.pause();
        }
    }

    Handed next(SlurmUser owner) {
        return SlurmJobs.handed(NUMBERS.incrementAndGet(), owner.submitter());
    }

    Handed submit(JobSpec spec, Program program) {
        return submit(spec, program, null);
    }

    Handed submit(JobSpec spec, Program program, @Nullable Snapshot snapshot) {
        Handed handed = next(ada);
        engine.handOver(SlurmJobs.handover(handed, spec, program, snapshot));
        return handed;
    }

    Handed run(String line) {
        return submit(SlurmJobs.spec(0), SlurmJobs.shell(line));
    }

    Phase until(Handed handed, Predicate<Phase> isThere) {
        while (true) {
            Phase phase = engine.look(List.of(handed)).get(handed);
            if (phase != null && isThere.test(phase)) {
                return phase;
            }
            SlurmCluster.pause();
        }
    }

    Over over(Handed handed) {
        return (Over) until(handed, Over.class::isInstance);
    }

    void untilRuns(Handed handed) {
        until(handed, Alive.class::isInstance);
    }

    /** A node that answers comes back by itself; until it has, there is one less for other tests. */
    void untilNodesAreUp() {
        while (engine.health().sentence().contains("down or drained")) {
            SlurmCluster.pause();
        }
    }

    KeptOutput collected(Handed handed) {
        KeptOutput reading = KeptOutput.of(handed);
        while (engine.collect(List.of(reading))) {
            assertThat(reading.known(Stream.OUTPUT)).isPositive();
        }
        return reading;
    }

    String output(Handed handed) {
        return collected(handed).text(Stream.OUTPUT);
    }

    void untilWritten(Handed handed, String text) {
        while (!output(handed).contains(text)) {
            SlurmCluster.pause();
        }
    }

    /** Makes an empty file where the program of a job runs. */
    void touch(Handed handed, String file) {
        try {
            Files.createFile(directory(handed).resolve("code").resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts a file there as a whole, once the last one of its name is taken away. */
    void put(Handed handed, String file, String text) {
        Path code = directory(handed).resolve("code");
        try {
            while (Files.exists(code.resolve(file))) {
                SlurmCluster.pause();
            }
            Files.move(Files.writeString(code.resolve(file + ".new"), text), code.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The numbers of the jobs of that name. */
    String of(Handed handed) {
        return cluster.ask("squeue", "--noheader", "--states=all", "--name=" + handed.name(), "--format=%i");
    }

    Path users(Handed handed) {
        return cluster.shared().resolve(handed.owner().name());
    }

    Path directory(Handed handed) {
        return users(handed).resolve(handed.path());
    }
}
