package dev.berth.server.gpu.occupy;

import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.process.ProcessFacts;
import java.util.Optional;
import java.util.function.Predicate;

/** Knows processes of the machine itself that belong to Berth. */
@FunctionalInterface
public interface OwnProcesses {
    /** Whose this very process is; its children need not be known. */
    Optional<Attempt> attemptOf(ProcessFacts process);

    /** Whether it is Berth's, by whatever is known of it; an attempt's always is. */
    default boolean isOurs(ProcessFacts process) {
        return attemptOf(process).isPresent();
    }

    /** Those that this tells, without saying whose they are: nothing here ends them. */
    static OwnProcesses ofNoAttempt(Predicate<ProcessFacts> ours) {
        return new OwnProcesses() {
            @Override
            public Optional<Attempt> attemptOf(ProcessFacts process) {
                return Optional.empty();
            }

            @Override
            public boolean isOurs(ProcessFacts process) {
                return ours.test(process);
            }
        };
    }
}
