package dev.berth.server.runner;

import dev.berth.core.machine.Found;
import dev.berth.core.machine.RunnerKind;
import java.util.List;
import java.util.stream.Stream;

/** The runners of a server: the one place that says which of them carries out what is owed to a run. */
public record Runners(Runner containers, Runner host, Runner targets) {
    Runner of(RunnerKind kind) {
        return switch (kind) {
            case CONTAINER -> containers;
            case HOST -> host;
            case TARGET -> targets;
        };
    }

    /** The runs that all runners know of. */
    public List<Found> list() {
        return Stream.of(containers, host, targets)
                .flatMap(runner -> runner.list().stream())
                .toList();
    }
}
