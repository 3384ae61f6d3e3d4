/**
 * Control groups of the kernel (cgroups(7)), as plain files: a place for all that comes of a program, which it cannot
 * leave, and whose cgroup a process is in. What is ended, and when, is decided elsewhere.
 */
@NullMarked
package dev.berth.server.cgroup;

import org.jspecify.annotations.NullMarked;
