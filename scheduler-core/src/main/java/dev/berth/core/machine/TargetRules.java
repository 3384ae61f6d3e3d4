package dev.berth.core.machine;

/**
 * How jobs go to a target.
 *
 * @param atOnce how many it may have of this server at the same time
 * @param keepsDependencies whether its engine lets a job wait for others that it has, so that one need not wait for them here
 */
public record TargetRules(int atOnce, boolean keepsDependencies) {}
