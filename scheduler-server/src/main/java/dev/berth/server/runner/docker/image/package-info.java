/** Images of jobs: whether they are here, and the pulls that bring them while jobs wait, shared out among users. */
@NullMarked
package dev.berth.server.runner.docker.image;

import org.jspecify.annotations.NullMarked;
