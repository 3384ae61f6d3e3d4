package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Slurm 22.05's {@code scancel} and {@code scontrol} have said of several jobs. */
class ComplaintsTest {
    private static final String GONE = "Invalid job id specified";
    private static final String FINISHED = "Job has already finished";

    @Test
    void knowsOfWhichJobsSomethingIsSaid() {
        assertThat(Complaints.in("""
            scancel: error: Kill job error on job id 7: Invalid job id specified
            scancel: error: Kill job error on job id 12_1: Access/permission denied
            """)).contains(Map.of("7", GONE, "12_1", "Access/permission denied"));
        assertThat(Complaints.in("""
            Job has already finished for job 7
            Invalid job id specified for job 999
            slurm_suspend error: No error
            """)).contains(Map.of("7", FINISHED, "999", GONE));
        assertThat(Complaints.in("12_1: Job has already finished\n12_9: Invalid job id specified\n"))
                .contains(Map.of("12_1", FINISHED, "12_9", GONE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "slurm_suspend error: Invalid job id specified\n",
                "scancel: error: Kill job error on job id 7: Invalid job id specified\nscancel: error: something else\n",
                "scancel: error: Kill job error on job id 7: Invalid job id specified\nscancel: error: Kill job err",
                "scancel: error: slurm_receive_msg: Zero Bytes were transmitted or received\n"
            })
    void saysNothingOfWhatIsAboutNoJob(String error) {
        assertThat(Complaints.in(error)).isEmpty();
    }
}
