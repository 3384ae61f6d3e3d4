package dev.berth.server.runner.kubernetes;

import dev.berth.server.linux.UserThreads;

/**
 * What an engine has of the server that it is a part of.
 *
 * @param id part of each attempt's name
 * @param links by which pods fetch directories
 * @param files for files that belong to users
 */
public record OwnServer(String id, SnapshotLinks links, UserThreads files) {}
