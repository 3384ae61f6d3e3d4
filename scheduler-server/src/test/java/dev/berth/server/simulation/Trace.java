package dev.berth.server.simulation;

import java.time.InstantSource;

/** What happens, told on standard output where somebody plays one seed again. */
final class Trace {
    private final boolean told;
    private final InstantSource clock;
    private int step;

    Trace(boolean told, InstantSource clock) {
        this.told = told;
        this.clock = clock;
    }

    void step(int number) {
        step = number;
    }

    int step() {
        return step;
    }

    void say(String who, Object... words) {
        if (told) {
            StringBuilder line = new StringBuilder("%4d %s %-8s".formatted(step, clock.instant(), who));
            for (Object word : words) {
                line.append(' ').append(word);
            }
            System.out.println(line);
        }
    }
}
