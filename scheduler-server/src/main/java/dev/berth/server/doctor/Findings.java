package dev.berth.server.doctor;

import dev.berth.core.api.DoctorFinding;
import dev.berth.server.runner.EngineText;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The findings so far; each is told as it comes. For one thread. */
final class Findings {
    private final List<DoctorFinding> all = new ArrayList<>();
    private final Consumer<DoctorFinding> told;

    Findings(Consumer<DoctorFinding> told) {
        this.told = told;
    }

    void ok(String check, String sentence) {
        add(new DoctorFinding(check, DoctorFinding.OK, sentence, null, null));
    }

    /** Something to be mended that keeps no job from its GPU. */
    void warning(String check, String sentence, String mend) {
        add(check, DoctorFinding.WARNING, sentence, mend);
    }

    /** No job with a GPU can run until this is mended. */
    void failure(String check, String sentence, String mend) {
        add(check, DoctorFinding.FAILURE, sentence, mend);
    }

    /** An engine may have had its say in the sentence. */
    private void add(String check, String verdict, String sentence, String mend) {
        EngineText text = EngineText.of(sentence);
        add(new DoctorFinding(check, verdict, text.sentence(), mend, text.details()));
    }

    private void add(DoctorFinding finding) {
        all.add(finding);
        told.accept(finding);
    }

    List<DoctorFinding> all() {
        return List.copyOf(all);
    }
}
