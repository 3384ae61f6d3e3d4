package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobSpec;
import dev.berth.server.runner.target.Handed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster that closes GPUs to the jobs that did not get them, as a site should have it ({@code ConstrainDevices=yes}). */
@Timeout(120)
class SlurmDevicesTest {
    /** Of cgroups of version 1: Slurm's for version 2 want a systemd. */
    private static final Path DEVICES = Path.of("/sys/fs/cgroup/devices/devices.deny");

    /** With no driver behind it, a device that is not closed says that it is not there. */
    private static final String OPEN = """
            import errno, os, sys
            for device in sys.argv[1:]:
                try:
                    os.close(os.open(device, os.O_RDWR))
                except OSError as e:
                    print(os.path.basename(device), errno.errorcode[e.errno])
            print(os.environ["CUDA_VISIBLE_DEVICES"])
            """;

    @Test
    void aJobReachesTheGpusThatItGotAndNoOther() {
        boolean closes = Files.exists(DEVICES);
        // Elsewhere a job is still told of its own GPUs alone.
        String closed = closes ? "EPERM" : "ENXIO";
        Map<String, String> variables = closes ? Map.of("BERTH_TEST_CONSTRAIN_DEVICES", "yes") : Map.of();
        try (SlurmLab lab = SlurmLab.start("devices", variables)) {
            // Those of node1. A node knows of no others.
            String open = "python3 -c '" + OPEN + "' " + lab.cluster().directory() + "/dev/nvidia[01]";
            assertThat(said(lab, SlurmJobs.spec(0), open)).isEqualTo("nvidia0 %1$s\nnvidia1 %1$s\n\n", closed);
            assertThat(said(lab, SlurmJobs.spec(1), open)).isEqualTo("nvidia0 ENXIO\nnvidia1 %s\n0\n", closed);
            // The first is another's now. Slurm's numbers count from 0 among those of the job.
            Handed holds = lab.submit(SlurmJobs.spec(1), SlurmJobs.shell("until [ -e go ]; do sleep 0.1; done"));
            lab.untilRuns(holds);
            assertThat(said(lab, SlurmJobs.spec(1), open))
                    .isEqualTo("nvidia0 %s\nnvidia1 ENXIO\n%s\n", closed, closes ? "0" : "1");
            lab.touch(holds, "go");
            lab.over(holds);
        }
    }

    private static String said(SlurmLab lab, JobSpec spec, String line) {
        Handed handed = lab.submit(spec, SlurmJobs.shell(line));
        lab.over(handed);
        return lab.output(handed);
    }
}
