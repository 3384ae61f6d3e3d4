package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Submitter;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job that Slurm's controller forgets between two questions about it, where it keeps no accounts. */
class ForgottenJobTest {
    private static final Submitter SELF = new Submitter(0, 0, List.of(), "root");

    @TempDir
    private Path folder;

    @BeforeEach
    void makePrograms() throws IOException {
        program("squeue", """
            case "$*" in *--Format=*) exit 0 ;; esac
            echo '7|0|FAILED|NonZeroExitCode|2026-11-28T12:00:00|node1|berth-test-1-1'
            echo '8|0|RUNNING|None|2026-11-28T12:00:00|node1|berth-test-2-1'
            """);
        program("sacct", "echo 'Slurm accounting storage is disabled' >&2; exit 1");
    }

    private void program(String name, String text) throws IOException {
        Path program = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + text);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** What the queue says of a job that a later Slurm brings, is no end: its directory would be removed while it runs. */
    @Test
    void aStateThatIsNotKnownEndsNothing() throws IOException {
        program("squeue", "echo '7|0|HIBERNATING|None|2026-11-28T12:00:00|node1|berth-test-1-1'");
        SlurmSettings settings = SlurmJobs.programs(SlurmJobs.settings(Map.of(), folder.toString()), folder);
        assertThat(SlurmLab.engine(settings).look(List.of(SlurmJobs.handed(1, SELF))))
                .isEmpty();
    }

    /** As where sbatch was ended before it had Slurm's answer, and handed it over all the same. */
    @Test
    void ofTwoJobsOfANameTheOneThatRunsCounts() throws IOException {
        program("squeue", """
            echo '7|0|FAILED|NonZeroExitCode|2026-11-28T12:00:00|node1|berth-test-1-1'
            echo '8|0|RUNNING|None|2026-11-28T12:00:00|node1|berth-test-1-1'
            """);
        SlurmSettings settings = SlurmJobs.programs(SlurmJobs.settings(Map.of(), folder.toString()), folder);
        Handed one = SlurmJobs.handed(1, SELF);
        assertThat(SlurmLab.engine(settings).look(List.of(one)).get(one))
                .isInstanceOfSatisfying(
                        Phase.Alive.class, alive -> assertThat(alive.id()).isEqualTo("8"));
    }

    @Test
    void theLookAtOthersGoesOn() {
        SlurmSettings settings = SlurmJobs.programs(SlurmJobs.settings(Map.of(), folder.toString()), folder);
        Handed forgotten = SlurmJobs.handed(1, SELF);
        Handed other = SlurmJobs.handed(2, SELF);
        Map<Handed, Phase> found = SlurmLab.engine(settings).look(List.of(forgotten, other));
        assertThat(found).containsOnlyKeys(other);
        assertThat(found.get(other)).isInstanceOf(Phase.Alive.class);
    }
}
