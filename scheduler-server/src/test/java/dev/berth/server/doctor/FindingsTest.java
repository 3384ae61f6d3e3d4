package dev.berth.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.DoctorFinding;
import org.junit.jupiter.api.Test;

class FindingsTest {
    private static final String SAID =
            "a test container on it did not run: OCI runtime create failed: runc create failed:"
                    + " no such device: unknown";

    @Test
    void whatAnEngineSaysIsASentenceWithAllOfItBehind() {
        Findings findings = new Findings(_ -> {});
        findings.failure("gpu 1", SAID, "reboot");
        findings.warning("way", "no runtime", "see there");
        assertThat(findings.all())
                .containsExactly(
                        new DoctorFinding(
                                "gpu 1",
                                DoctorFinding.FAILURE,
                                "a test container on it did not run: no such device",
                                "reboot",
                                SAID),
                        new DoctorFinding("way", DoctorFinding.WARNING, "no runtime", "see there", null));
    }
}
