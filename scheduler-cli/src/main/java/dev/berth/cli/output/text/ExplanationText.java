package dev.berth.cli.output.text;

import dev.berth.core.api.Explanation;
import dev.berth.core.api.WarningView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reason why a job stands where it stands, for people: the sentence, and behind it the facts that it rests on. */
public final class ExplanationText {
    private ExplanationText() {}

    public static List<String> page(Explanation explanation, Instant now) {
        List<String> lines = new ArrayList<>();
        lines.add(PlainText.of(
                "job " + explanation.number() + " " + explanation.state() + ": " + explanation.sentence()));
        JobText.field(lines, "since", JobText.ago(explanation.since(), now));
        Long position = explanation.position();
        if (position != null) {
            JobText.field(lines, "place", position + " in the queue");
        }
        String start = ProgressText.start(explanation.expectedStart(), explanation.latestStart(), now);
        if (!start.isEmpty()) {
            JobText.field(lines, "starts", start);
        }
        String name = "before it";
        for (Explanation.Ahead ahead : explanation.ahead()) {
            JobText.field(
                    lines,
                    name,
                    "job " + ahead.number() + of(ahead.user()) + ", " + JobText.gpusInWords(ahead.gpuMilli()));
            name = "";
        }
        int more =
                position == null ? 0 : (int) (position - 1 - explanation.ahead().size());
        if (more > 0 && !explanation.ahead().isEmpty()) {
            JobText.field(lines, "", "and " + more + " more");
        }
        name = "warning";
        for (WarningView warning : explanation.warnings()) {
            JobText.field(lines, name, warning.sentence());
            name = "";
        }
        name = "held by";
        for (Explanation.Holder holder : explanation.holders()) {
            JobText.field(lines, name, holder(holder, now));
            name = "";
        }
        String help = explanation.help();
        if (help != null) {
            JobText.field(lines, "help", help);
        }
        return lines;
    }

    /** Others' jobs have no names for who may not see them. */
    private static String of(@Nullable String user) {
        return user == null ? "" : " of " + user;
    }

    private static String holder(Explanation.Holder holder, Instant now) {
        String since = holder.since();
        String until = holder.until();
        String end = holder.expectedEnd();
        return "job " + holder.number() + of(holder.user()) + ", " + JobText.gpusInWords(holder.gpuMilli()) + ", "
                + (since == null ? "being started" : "for " + Times.between(since, now))
                + (end == null ? "" : ", ends about " + Times.clock(end, now.toString()))
                + (until == null ? ", without a time limit" : ", until " + Times.utc(until) + " at the latest");
    }
}
