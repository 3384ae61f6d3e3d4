package dev.berth.cli.output.text;

import dev.berth.core.api.JobEventView;

/** The events of a job, for people. */
public final class EventText {
    private EventText() {}

    public static String line(JobEventView event) {
        String from = event.from();
        String move = from == null ? "-> " + event.to() : from.equals(event.to()) ? from : from + " -> " + event.to();
        StringBuilder line = new StringBuilder(PlainText.of(Times.utc(event.at())));
        line.append("  job ").append(PlainText.of(event.number()));
        line.append("  ").append(PlainText.of(move));
        line.append("  ").append(PlainText.of(event.event()));
        String sentence = event.sentence();
        return sentence == null
                ? line.toString()
                : line.append(": ").append(PlainText.of(sentence)).toString();
    }
}
