package dev.berth.server.simulation;

import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition.Exited;
import dev.berth.server.runner.docker.ContainerEngine.ContainerListener;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The engine's events on their way to one server: late, in another order, more than once; and none at all while the
 * stream is broken, after which the server is told to look for itself.
 */
final class NewsWire implements ContainerListener {
    private record Piece(String what, Runnable telling) {}

    private final ContainerListener to;
    private final SplittableRandom random;
    private final Tally tally;
    private final List<Piece> waiting = new ArrayList<>();
    private boolean broken;

    NewsWire(ContainerListener to, SplittableRandom random, Tally tally) {
        this.to = to;
        this.random = random;
        this.tally = tally;
    }

    @Override
    public void started(Attempt attempt, Instant at) {
        come(new Piece("start", () -> to.started(attempt, at)));
    }

    @Override
    public void exited(Attempt attempt, Exited end) {
        come(new Piece(end.isUnknown() ? "engine's end" : "exit", () -> to.exited(attempt, end)));
    }

    @Override
    public void removed(Attempt attempt) {
        come(new Piece("removal", () -> to.removed(attempt)));
    }

    @Override
    public void unheard(Found container) {
        come(new Piece("broken log", () -> to.unheard(container)));
    }

    private void come(Piece piece) {
        if (broken) {
            tally.count(piece.what() + " news lost");
        } else {
            waiting.add(piece);
        }
    }

    @Override
    public void resumed() {
        waiting.add(new Piece("resumption", to::resumed));
    }

    /** The stream breaks, with what was on its way. */
    void breakOff() {
        if (!broken) {
            tally.count("event stream broken");
            waiting.removeIf(piece -> {
                tally.count(piece.what() + " news lost");
                return true;
            });
            broken = true;
        }
    }

    void mend() {
        if (broken) {
            broken = false;
            resumed();
        }
    }

    /** One piece arrives; false where none is on its way. */
    boolean deliver() {
        if (waiting.isEmpty()) {
            return false;
        }
        int place = random.nextInt(4) == 0 ? random.nextInt(waiting.size()) : 0;
        if (place > 0) {
            tally.count("news in another order");
        }
        Piece piece = waiting.remove(place);
        if (random.nextInt(8) == 0 && !piece.what().equals("resumption")) {
            tally.count(piece.what() + " news doubled");
            waiting.add(random.nextInt(waiting.size() + 1), piece);
        }
        try {
            piece.telling().run();
        } catch (RuntimeException e) {
            // The real one opens its stream anew, and says again that there was a gap.
            waiting.add(piece);
        }
        return true;
    }
}
