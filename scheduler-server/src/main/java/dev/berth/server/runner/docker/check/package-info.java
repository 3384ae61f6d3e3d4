/** Berth's own test container, by which is found out whether an engine, or a GPU, is at fault. */
@NullMarked
package dev.berth.server.runner.docker.check;

import org.jspecify.annotations.NullMarked;
