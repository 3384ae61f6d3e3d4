/**
 * The cores and the memory that this machine has for jobs, as the kernel tells the server: its own affinity and cgroup
 * count. Which job gets which is the core's affair, and what makes it so the container's.
 */
@NullMarked
package dev.berth.server.cpu;

import org.jspecify.annotations.NullMarked;
