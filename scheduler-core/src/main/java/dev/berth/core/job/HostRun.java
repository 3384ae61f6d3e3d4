package dev.berth.core.job;

/**
 * A program that runs on the machine itself, started by its submitter's own command and in no container.
 *
 * @param directory where it is started
 * @param shell whether it is a shell that was there before, which is not the server's to end
 * @param noWait whether it was to start at once or not at all
 */
public record HostRun(String directory, boolean shell, boolean noWait) {}
