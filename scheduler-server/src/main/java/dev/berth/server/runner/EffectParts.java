package dev.berth.server.runner;

import dev.berth.core.machine.Effect.CleanGpus;
import dev.berth.core.machine.Effect.OfImage;
import dev.berth.server.gpu.occupy.GpuGate;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The parts that carry out effects.
 *
 * @param runners those on runs
 * @param images takes on at once those on images
 * @param gate where each attempt goes through before anything is made of it
 * @param cleaning takes on at once what is to be looked at of GPUs
 * @param health keeps what the engine fails at
 * @param orphanGrace how long a run that no job owns is left alone
 */
public record EffectParts(
        Runners runners,
        Consumer<OfImage> images,
        GpuGate gate,
        Consumer<CleanGpus> cleaning,
        EngineHealth health,
        Duration orphanGrace) {}
