package dev.berth.server.runner;

import dev.berth.core.job.JobState;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.JobEvent.GpusConfirmed;
import dev.berth.server.gpu.occupy.GpuGate;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** The look at the GPUs of an attempt before anything is made of it, by whichever runner. */
record GpuConfirmation(GpuGate gate, Notices notices) {
    /**
     * Work that is done on the GPUs of an attempt, once it is known that it can have them. They are looked at once: anyone
     * who waits behind it has been given its turn since, and the attempt goes back to its place no more.
     */
    BooleanSupplier before(CreateRun creation, BooleanSupplier work) {
        AtomicBoolean isDecided =
                new AtomicBoolean(creation.launch().state() instanceof JobState.Creating known && known.isDecided());
        return () -> {
            if (!isDecided.get()) {
                isDecided.set(hasItsGpus(creation));
            }
            return !isDecided.get() || work.getAsBoolean();
        };
    }

    /** Whether nobody else is on them; the loop is told in either case. */
    private boolean hasItsGpus(CreateRun creation) {
        Attempt attempt = creation.attempt();
        boolean isFree = switch (gate.occupy(attempt, creation.allocation().gpus())) {
            case GpuGate.Answer.Occupied() -> true;
            case GpuGate.Answer.Taken _, GpuGate.Answer.Locked _ -> false;
        };
        if (isFree && !creation.allocation().isNone()) {
            notices.post(attempt.job(), new GpusConfirmed(attempt.number()));
        }
        return isFree;
    }
}
