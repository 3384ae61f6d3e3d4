/** The Docker Engine behind the {@code ContainerEngine} port: the only place that sees docker-java. */
@NullMarked
package dev.berth.server.runner.docker.engine;

import org.jspecify.annotations.NullMarked;
