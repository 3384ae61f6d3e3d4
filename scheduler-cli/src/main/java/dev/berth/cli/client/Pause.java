package dev.berth.cli.client;

import java.time.Duration;

/** Lets time pass; the tests' own lets none. */
public interface Pause {
    void pause(Duration length);
}
