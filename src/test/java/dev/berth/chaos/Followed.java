package dev.berth.chaos;

import dev.berth.system.fixture.Running;

/**
 * A {@code berth logs -f} that runs, or has run, over everything.
 *
 * @param job its number as people name it
 */
record Followed(String job, Running command) {}
