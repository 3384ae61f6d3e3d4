package dev.berth.cli.output.text;

import dev.berth.core.api.DoctorFinding;
import java.util.ArrayList;
import java.util.List;

/** The findings on a machine, for people: a line each, and one more for what mends it. */
public final class DoctorText {
    static final String OK = "ok";
    static final String WARNING = "warn";
    static final String FAILURE = "FAIL";

    private static final int VERDICT_WIDTH = 6;
    private static final int CHECK_WIDTH = 13;

    private DoctorText() {}

    public static List<String> lines(DoctorFinding finding, boolean colour) {
        String verdict = verdict(finding);
        List<String> lines = new ArrayList<>();
        lines.add((colour ? Colours.paint(verdict, verdict) : verdict)
                + " ".repeat(VERDICT_WIDTH - verdict.length())
                + padded(PlainText.of(finding.check()))
                + PlainText.of(finding.sentence()));
        String mend = finding.mend();
        if (mend != null) {
            lines.add(" ".repeat(VERDICT_WIDTH + CHECK_WIDTH) + "fix: " + PlainText.of(mend));
        }
        String details = finding.details();
        if (details != null) {
            lines.add(" ".repeat(VERDICT_WIDTH + CHECK_WIDTH) + "in full: " + PlainText.of(details));
        }
        return lines;
    }

    private static String verdict(DoctorFinding finding) {
        return switch (finding.verdict()) {
            case DoctorFinding.OK -> OK;
            case DoctorFinding.WARNING -> WARNING;
            default -> FAILURE;
        };
    }

    private static String padded(String check) {
        return check + " ".repeat(Math.max(1, CHECK_WIDTH - PlainText.width(check)));
    }
}
