package dev.berth.cli.output;

/**
 * The result of {@code berth server stop}.
 *
 * @param pid the process that is gone
 * @param jobsGoOn how many jobs go on without the server
 * @param jobsWait how many jobs wait for its return
 */
public record Stopped(long pid, long jobsGoOn, long jobsWait) {}
