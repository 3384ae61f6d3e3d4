/**
 * The chaos run: the built distribution on a Docker Engine of its own, under clients that submit, cancel and follow,
 * while server and engine are killed, stopped, frozen and cut off from each other. What is counted at the end are the
 * notes that the jobs took themselves, out of the reach of both.
 */
@NullMarked
package dev.berth.chaos;

import org.jspecify.annotations.NullMarked;
