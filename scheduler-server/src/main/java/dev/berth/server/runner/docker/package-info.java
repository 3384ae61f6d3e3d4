/**
 * The runner of jobs in containers: the {@code ContainerEngine} port, what a container is made of, its log and its image. No
 * decision about scheduling is made here, and no engine's library is seen here; that is the business of
 * {@code runner.docker.engine}.
 */
@NullMarked
package dev.berth.server.runner.docker;

import org.jspecify.annotations.NullMarked;
