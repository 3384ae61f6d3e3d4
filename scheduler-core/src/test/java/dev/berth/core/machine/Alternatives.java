package dev.berth.core.machine;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a sealed interface can be, found by reflection, so that a new alternative is not forgotten by a test. */
final class Alternatives {
    private Alternatives() {}

    static Set<Class<?>> of(Class<?> sealed) {
        return leaves(sealed).collect(Collectors.toSet());
    }

    private static Stream<Class<?>> leaves(Class<?> type) {
        return type.isSealed()
                ? Arrays.stream(type.getPermittedSubclasses()).flatMap(Alternatives::leaves)
                : Stream.of(type);
    }
}
