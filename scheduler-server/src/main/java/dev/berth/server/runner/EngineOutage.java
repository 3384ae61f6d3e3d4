package dev.berth.server.runner;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/**
 * Something that does not work at the engine.
 *
 * @param since when it began, as far as anybody noticed
 * @param sentence what is known about it, the engine's own words or ours
 */
public record EngineOutage(Instant since, String sentence) {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");

    /** The sentence for people: {@code engine unreachable since 14:02:11 (no Docker Engine answers at ...)}. */
    public String unreachable() {
        return unreachable("engine unreachable");
    }

    /** The sentence about something else that does not answer, which it begins with. */
    public String unreachable(String words) {
        return words + " since " + time() + " (" + sentence + ")";
    }

    /** The sentence about an engine that answers, and fails at what it is asked. */
    public String failing() {
        return "the engine fails at it since " + time() + " and is asked again (" + sentence + ")";
    }

    private String time() {
        return TIME.format(since.atZone(ZoneId.systemDefault()));
    }
}
