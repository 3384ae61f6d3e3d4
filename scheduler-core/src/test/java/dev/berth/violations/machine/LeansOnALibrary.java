package dev.berth.violations.machine;

import dev.berth.violations.job.KnowsAMachine;
import java.util.List;
import org.assertj.core.data.Index;

/** Depends on something that is not Java. */
public record LeansOnALibrary(Index index, List<KnowsAMachine> jobs) {}
