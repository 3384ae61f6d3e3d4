package dev.berth.core.job;

/**
 * A program that runs on the machine itself, started by its submitter's own command and in no container.
 *
 * @param directory where it is started
 */
public record HostRun(String directory) {}
