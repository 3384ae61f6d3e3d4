package dev.berth.server.runner.target;

import dev.berth.server.runner.EngineException;
import java.util.List;

/** An engine has none of these tasks, and does not take them as an array; it may take each alone. */
public final class ArrayRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<Handed> tasks;

    /** Makes the refusal of tasks, for the reason that the engine gives. */
    public ArrayRefusedException(EngineException reason, List<Handed> tasks) {
        super(reason.sentence(), reason);
        this.tasks = List.copyOf(tasks);
    }

    List<Handed> tasks() {
        return tasks;
    }
}
