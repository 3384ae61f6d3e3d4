package dev.berth.violations.api;

import dev.berth.violations.job.KnowsAMachine;
import dev.berth.violations.machine.LeansOnALibrary;

/** Carries the inside over the wire. */
public record KnowsTheInside(KnowsAMachine job, LeansOnALibrary machine) {}
