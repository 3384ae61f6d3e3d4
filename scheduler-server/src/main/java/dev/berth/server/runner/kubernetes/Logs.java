package dev.berth.server.runner.kubernetes;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.TargetEngine.Reading;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.BytesLimitTerminateTimeTailPrettyLoggable;
import io.fabric8.kubernetes.client.dsl.Loggable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Brings programs' output. Kubernetes keeps what a program writes to its output and to its errors as one, on the node, for as long as
 * the pod is there; so all of it comes as output. How far it came is known by a position, kept here, and with the Job every
 * so often for a server that starts anew. Any thread, but one attempt by one thread at a time.
 */
final class Logs {
    /** The most that is taken of one program before it is another's turn. */
    private static final long MOST = 8L * 1024 * 1024;

    /** Well below what a node keeps before it throws the older part away (kubelet's containerLogMaxSize, 10 MiB). */
    private static final long NOTED_EVERY = 1024L * 1024;

    private static final String NOTE = "dev.berth/log";

    /** For how long a node may fail to hand out the log of a program that is over: it may be started anew meanwhile. */
    static final Duration PATIENCE = Duration.ofMinutes(5);

    /** When the log is not asked for any more, whatever the failure. */
    private static final Duration GIVEN_UP_AFTER = PATIENCE.multipliedBy(2);

    private static final byte[] GIVEN_UP =
            "[berth: the rest of the output is missing: its node did not hand it out]\n".getBytes(US_ASCII);

    private final ClusterCalls calls;
    private final InstantSource clock;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    /** The logs of programs that are over which are asked for in vain. Lost with the server, which then waits anew. */
    private final Map<String, Vain> unread = new ConcurrentHashMap<>();

    Logs(ClusterCalls calls, InstantSource clock) {
        this.calls = calls;
        this.clock = clock;
    }

    boolean collect(Collection<Reading> readings) {
        if (readings.isEmpty()) {
            return false;
        }
        Map<String, PodState> pods = Looks.telling(calls.pods());
        List<Reading> begun = readings.stream()
                .filter(reading -> Optional.ofNullable(pods.get(reading.handed().name()))
                        .filter(PodState::hasBegun)
                        .filter(pod -> calls.labels().areOn(pod.pod(), reading.handed()))
                        .isPresent())
                .toList();
        return new SideBySide(calls.settings().callDeadline())
                .run(begun.stream()
                        .<SideBySide.Part>map(reading -> gate -> collect(
                                reading,
                                Objects.requireNonNull(pods.get(reading.handed().name())),
                                gate))
                        .toList());
    }

    private boolean collect(Reading reading, PodState pod, SideBySide.Gate gate) {
        Handed handed = reading.handed();
        long have = reading.known(Stream.OUTPUT);
        Known from = known(handed, have);
        if (from.isWhole() && pod.isOver()) {
            return false;
        }
        Duration vain = pod.isOver() ? inVain(handed) : Duration.ZERO;
        // A read from a node that is off ends by our own deadline, and by no failure that names the node.
        if (vain.compareTo(GIVEN_UP_AFTER) >= 0) {
            return giveUp(reading, from, gate);
        }
        LogLines lines = new LogLines(
                from.position(), have - from.position().bytes(), bytes -> gate.through(() -> taken(reading, bytes)));
        boolean isMore;
        try (InputStream log = log(pod, from.position())) {
            isMore = lines.read(log, MOST);
        } catch (KubernetesClientException e) {
            if (Failures.isNoLog(e)) {
                unread.remove(handed.name());
                return false;
            }
            if (Failures.isServers(e) && vain.compareTo(PATIENCE) >= 0) {
                return giveUp(reading, from, gate);
            }
            throw calls.failures().of("read logs", e);
        } catch (IOException e) {
            throw new EngineException(
                    Kind.UNREACHABLE, "the log of " + handed.name() + " broke off: " + e.getMessage(), e);
        }
        unread.remove(handed.name());
        keep(handed, new Known(lines.position(), from.noted(), !isMore && pod.isOver()));
        return isMore;
    }

    /** For how long it was asked for again and again; a time in which nobody could ask does not count. */
    private Duration inVain(Handed handed) {
        Instant now = clock.instant();
        Vain vain = unread.compute(
                handed.name(),
                (_, before) ->
                        before == null || before.last().plus(GIVEN_UP_AFTER).isBefore(now)
                                ? new Vain(now, now)
                                : new Vain(before.since(), now));
        return Duration.between(vain.since(), now);
    }

    /**
     * What was asked for in vain.
     *
     * @param last when it was the last time
     */
    private record Vain(Instant since, Instant last) {}

    /** Takes no more of it: a job that is over does not wait for ever for a node that is lost. */
    private boolean giveUp(Reading reading, Known from, SideBySide.Gate gate) {
        try {
            gate.through(() -> taken(reading, GIVEN_UP));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        keep(reading.handed(), new Known(from.position(), from.noted(), true));
        return false;
    }

    private static void taken(Reading reading, byte[] bytes) {
        try {
            reading.take(Stream.OUTPUT, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private InputStream log(PodState pod, LogPosition from) {
        BytesLimitTerminateTimeTailPrettyLoggable log = calls.client()
                .pods()
                .inNamespace(calls.namespace())
                .withName(pod.name())
                .inContainer(PodManifest.CONTAINER)
                .usingTimestamps();
        Instant stamp = from.stamp();
        // The API server hands whole seconds on to the node.
        Loggable part = stamp == null
                ? log
                : log.sinceTime(stamp.truncatedTo(ChronoUnit.SECONDS).toString());
        return part.getLogInputStream();
    }

    /** The place from where to read; what Berth has of the output is never less than it. */
    private Known known(Handed handed, long have) {
        return Optional.ofNullable(known.get(handed.name()))
                .or(() -> noted(handed))
                .filter(kept -> kept.position().bytes() <= have)
                .orElse(new Known(LogPosition.BEGINNING, 0, false));
    }

    private Optional<Known> noted(Handed handed) {
        return calls.job(handed)
                .map(job -> job.getMetadata().getAnnotations())
                .flatMap(notes -> LogPosition.parse(notes.getOrDefault(NOTE, "")))
                .map(position -> new Known(position, position.bytes(), false));
    }

    private void keep(Handed handed, Known now) {
        boolean isNoted = now.position().bytes() - now.noted() >= NOTED_EVERY;
        if (isNoted) {
            calls.note(handed.name(), Map.of(NOTE, now.position().text()));
        }
        known.put(
                handed.name(),
                isNoted ? new Known(now.position(), now.position().bytes(), now.isWhole()) : now);
    }

    void forget(Handed handed) {
        known.remove(handed.name());
        unread.remove(handed.name());
    }

    /**
     * What is known of a log.
     *
     * @param noted up to which byte that is kept with the Job
     * @param isWhole whether nothing more can come
     */
    private record Known(LogPosition position, long noted, boolean isWhole) {}
}
