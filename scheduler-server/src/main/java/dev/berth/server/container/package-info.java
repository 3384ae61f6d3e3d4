/**
 * Running one job in one container: the {@code ContainerEngine} port, what a container is made of, and carrying out
 * the effects that touch it. No decision about scheduling is made here, and no engine's library is seen here; that is
 * the business of {@code container.docker}.
 */
@NullMarked
package dev.berth.server.container;

import org.jspecify.annotations.NullMarked;
