package dev.berth.server.gpu.occupy;

import dev.berth.core.machine.Attempt;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Knows containers by their ids. */
@FunctionalInterface
public interface ContainerOwners {

    /**
     * A container.
     *
     * @param name for people
     * @param attempt whose it is, null for one that is none of this server's
     */
    record Owner(String name, @Nullable Attempt attempt) {}

    /** A container of this id, empty where nobody knows one. Throws what its engine throws. */
    Optional<Owner> find(String containerId);
}
