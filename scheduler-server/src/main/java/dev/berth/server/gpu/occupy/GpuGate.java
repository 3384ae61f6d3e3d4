package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Attempt;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The gate that each attempt goes through between being given its GPUs and using them. Calls block for a moment. */
@FunctionalInterface
public interface GpuGate {
    /** Gate that lets everybody through: of simulated GPUs nobody else has one. */
    GpuGate OPEN = (_, _) -> new Answer.Occupied();

    /** The answer about the state of the GPUs. */
    sealed interface Answer {
        /** Nobody else is on them. */
        record Occupied() implements Answer {}

        /** GPUs that cannot be had, each with its sentence; the loop has been told. */
        record Taken(SortedMap<GpuId, String> sentences) implements Answer {
            public Taken {
                sentences = Collections.unmodifiableSortedMap(new TreeMap<>(sentences));
            }
        }

        /** Another process chooses GPUs just now; the loop has been told. */
        record Locked(String sentence) implements Answer {}
    }

    /**
     * Looks at the GPUs of an attempt, and takes them in sight of safe-gpu's users. May be done again after a crash.
     * Where they cannot be had, nothing is to be made: the loop has been told, and gives others out when there are any.
     */
    Answer occupy(Attempt attempt, List<GpuId> gpus);

    /** The attempt's container has been made: what runs in it is ours, also when the engine has forgotten it. */
    default void made(Attempt attempt, String name, String containerId) {}
}
