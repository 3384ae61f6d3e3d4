package dev.berth.chaos;

import dev.berth.system.fixture.Running;

/** A {@code berth logs -f} that runs, or has run, over everything. */
record Followed(long job, Running command) {}
