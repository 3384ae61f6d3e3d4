package dev.berth.server.runner.target;

import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import java.time.Instant;

/**
 * An attempt that an engine has, or may have.
 *
 * @param name what it is called there, unique to server, job and attempt: {@code berth-<server>-<job>-<attempt>}, of lower-case
 *     letters, digits and hyphens
 * @param owner as whom it is to run, and as whom the engine is asked to do anything to it
 * @param since no later than when it may have been handed over
 */
public record Handed(Attempt attempt, String name, Submitter owner, Instant since) {}
