package dev.berth.core.api;

import java.util.List;

/**
 * The findings of {@code berth doctor}.
 *
 * @param ready whether a job with a GPU could run
 * @param sentence the same for people
 */
public record DoctorView(boolean ready, String sentence, List<DoctorFinding> findings) {
    public DoctorView {
        findings = List.copyOf(findings);
    }
}
