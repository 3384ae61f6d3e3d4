/**
 * The runner of jobs in containers: the {@code ContainerEngine} port, what a container is made of, its log and its image. No
 * decision about scheduling is made here, and no engine's library is seen here; that is the business of
 * {@code runner.docker.engine}. Above 25 classes because a container's plan, its environment, its GPUs and its log have one each,
 * which know each other.
 */
@NullMarked
package dev.berth.server.runner.docker;

import org.jspecify.annotations.NullMarked;
