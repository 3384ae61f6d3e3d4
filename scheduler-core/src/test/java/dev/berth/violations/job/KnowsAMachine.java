package dev.berth.violations.job;

import dev.berth.violations.machine.LeansOnALibrary;

/** A value that decides; with {@link LeansOnALibrary} it makes a cycle too. */
public record KnowsAMachine(LeansOnALibrary machine) {}
