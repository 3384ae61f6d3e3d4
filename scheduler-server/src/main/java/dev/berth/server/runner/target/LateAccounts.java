package dev.berth.server.runner.target;

import dev.berth.server.runner.EngineException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What attempts have used that ended before their engine's accounts knew it. It is asked for some minutes; their ends do not wait for
 * that. A server that is started anew does not ask any more. Safe for any thread.
 */
final class LateAccounts {
    private static final Logger LOG = LoggerFactory.getLogger(LateAccounts.class);
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final ConcurrentMap<Handed, Late> expected = new ConcurrentHashMap<>();
    private final TargetEngine engine;
    private final LookReports reports;
    private final InstantSource clock;

    LateAccounts(TargetEngine engine, LookReports reports, InstantSource clock) {
        this.engine = engine;
        this.reports = reports;
        this.clock = clock;
    }

    private record Late(Followed one, Phase.Over over, Instant until) {}

    /** Asks for what an attempt has used that is looked after no more, where that is not known and may become so. */
    void expect(Followed one) {
        if (one.phase instanceof Phase.Over over && over.startedAt() != null && over.used() == null) {
            expected.put(one.handed, new Late(one, over, clock.instant().plus(PATIENCE)));
        }
    }

    /** Asks the engine, where there is anything to ask. */
    void ask() {
        Instant now = clock.instant();
        expected.values().removeIf(late -> !now.isBefore(late.until()));
        if (expected.isEmpty()) {
            return;
        }
        used().forEach((handed, used) -> {
            Late late = expected.remove(handed);
            if (late != null) {
                reports.account(late.one(), late.over(), used);
            }
        });
    }

    /** Jobs are not the worse where that fails. */
    private Map<Handed, Phase.Used> used() {
        try {
            return engine.used(List.copyOf(expected.keySet()));
        } catch (EngineException e) {
            LOG.debug("what ended jobs have used is not known yet: {}", e.sentence());
            return Map.of();
        }
    }
}
