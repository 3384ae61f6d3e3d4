package dev.berth.core.api;

import java.util.List;

/** {@code GET /api/v1/targets}: where jobs can go, this machine's own queue first, the others by their names. */
public record TargetList(List<TargetView> targets) {
    public TargetList {
        targets = List.copyOf(targets);
    }
}
