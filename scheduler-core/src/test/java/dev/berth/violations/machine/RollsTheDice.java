package dev.berth.violations.machine;

import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;

/** Is not the same twice. */
final class RollsTheDice {
    private RollsTheDice() {}

    static double math() {
        return Math.random();
    }

    static UUID uuid() {
        return UUID.randomUUID();
    }

    static int random() {
        return new Random(1).nextInt();
    }

    static int splittable() {
        return new SplittableRandom(1).nextInt();
    }
}
