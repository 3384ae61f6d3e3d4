package dev.berth.server.usage;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.process.ProcessFacts;
import dev.berth.server.gpu.process.ProcessTable;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the machine's table of processes knows of one, and whose job it is by its containers and its descent. */
public final class TableLook implements ProcessLook {
    private static final Logger LOG = LoggerFactory.getLogger(TableLook.class);
    private static final Seen GONE = new Seen("?", "?", "?", null, null);
    private static final int MAX_LENGTH = 1_000;

    private final ProcessTable processes;
    private final Function<ProcessFacts, Optional<Attempt>> owner;

    /**
     * A look at a table.
     *
     * @param owner whose a process is; may fail where the container engine does
     */
    public TableLook(ProcessTable processes, Function<ProcessFacts, Optional<Attempt>> owner) {
        this.processes = processes;
        this.owner = owner;
    }

    @Override
    public Seen look(long pid) {
        return processes.find(pid).map(this::seen).orElse(GONE);
    }

    private Seen seen(ProcessFacts process) {
        String line = String.join(" ", processes.words(process.pid()));
        String command = processes.command(process);
        return new Seen(
                processes.user(process),
                command,
                line.isEmpty() ? command : line.length() > MAX_LENGTH ? line.substring(0, MAX_LENGTH) : line,
                process.containers().isEmpty() ? null : process.containers().getLast(),
                job(process).orElse(null));
    }

    /** An engine that does not answer is asked again at a later look. */
    private Optional<JobId> job(ProcessFacts process) {
        try {
            return owner.apply(process).map(Attempt::job);
        } catch (RuntimeException e) {
            LOG.debug("whose process {} is cannot be said now: {}", process.pid(), e.toString());
            return Optional.empty();
        }
    }

    @Override
    public boolean tellsJobs() {
        return true;
    }
}
