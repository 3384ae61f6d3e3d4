/**
 * Jobs that run as processes of the machine instead of in containers: their GPUs are granted to a client that waits,
 * which starts the program itself and says which process it is. Here such processes are watched, ended with all that they
 * started, and found again after a restart. No decision about scheduling is made here; the news are those of containers.
 */
@NullMarked
package dev.berth.server.runner.host;

import org.jspecify.annotations.NullMarked;
