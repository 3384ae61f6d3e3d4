package dev.berth.server.lease;

import dev.berth.server.container.Notices;
import dev.berth.server.container.Tasks;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;

/**
 * What leases need.
 *
 * @param server this server's id, which marks its programs
 * @param proc where the kernel shows processes
 * @param notices takes the news
 * @param stopGrace from TERM to KILL where somebody stops a program
 */
public record LeaseParts(
        String server, Path proc, Notices notices, Tasks tasks, Duration stopGrace, InstantSource clock) {}
