package dev.berth.server.runner.kubernetes;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineText;
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
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Brings what programs write, and what they tell of themselves. Kubernetes keeps what a program writes to its output and to its errors as one, on the node, for as long as
 * the pod is there; so all of it comes as output. How far it came is known by a position, kept here, and with the Job every
 * so often for a server that starts anew. Any thread, but one attempt by one thread at a time.
 */
final class Logs {
    /** The most that is taken of one program before it is another's turn. */
    private static final long MOST = 8L * 1024 * 1024;

    /** Well below what a node keeps before it throws the older part away (kubelet's containerLogMaxSize, 10 MiB). */
    private static final long NOTED_EVERY = 1024L * 1024;

    /** For how long a node may fail to hand out the log of a program that is over: it may be started anew meanwhile. */
    static final Duration PATIENCE = Duration.ofMinutes(5);

    /** How long a node is left alone of which nothing came. */
    static final Duration SILENCE = Duration.ofMinutes(1);

    /** The most attempts that are each asked for by name. */
    private static final int FEW = 16;

    /** When the log is not asked for any more, whatever the failure. */
    private static final Duration GIVEN_UP_AFTER = PATIENCE.multipliedBy(2);

    private static final byte[] GIVEN_UP =
            "[berth: the rest of the output is missing: its node did not hand it out]\n".getBytes(US_ASCII);

    private final ClusterCalls calls;
    private final Told told;
    private final InstantSource clock;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    /** The logs of programs that are over which are asked for in vain. Lost with the server, which then waits anew. */
    private final Map<String, Vain> unread = new ConcurrentHashMap<>();

    /** When nodes were asked the last time of which nothing came at all. Others' logs do not wait for theirs. */
    private final Map<String, Instant> silent = new ConcurrentHashMap<>();

    /** The logs of an attempt, each of a container of its pod. */
    private enum Source {
        OUTPUT(PodManifest.CONTAINER, Stream.OUTPUT, "dev.berth/log"),
        TRACK(TrackPlan.CONTAINER, Stream.TRACK, "dev.berth/track");

        private final String container;
        private final Stream stream;

        /** The annotation of the Job that says how far it was taken. */
        private final String note;

        Source(String container, Stream stream, String note) {
            this.container = container;
            this.stream = stream;
            this.note = note;
        }
    }

    /**
     * One of them.
     *
     * @param restarts how often its container was started again: its log begins anew then, with all that was told
     */
    private record Log(Handed handed, Source source, int restarts) {
        String key() {
            return prefix(handed) + source.container + " " + restarts;
        }

        static String prefix(Handed handed) {
            return handed.name() + " ";
        }
    }

    Logs(ClusterCalls calls, Told told, InstantSource clock) {
        this.calls = calls;
        this.told = told;
        this.clock = clock;
    }

    boolean collect(Collection<Reading> readings) {
        if (readings.isEmpty()) {
            return false;
        }
        Map<Handed, PodState> pods =
                begun(readings.stream().map(Reading::handed).toList());
        return new SideBySide(calls.settings().callDeadline())
                .run(readings.stream()
                        .filter(reading -> pods.containsKey(reading.handed()))
                        .flatMap(reading -> parts(reading, Objects.requireNonNull(pods.get(reading.handed()))).stream())
                        .sorted(Comparator.comparing(part -> silent.containsKey(part.pod.node())))
                        .toList());
    }

    /**
     * The pods that have logs. Who asks for those of an attempt knows that it has begun, or is over: what was not told here yet is
     * asked for, by name, or by a list where many have never begun.
     */
    private Map<Handed, PodState> begun(List<Handed> all) {
        Map<Handed, PodState> begun = told(all);
        List<Handed> untold =
                all.stream().filter(one -> !begun.containsKey(one)).toList();
        if (untold.size() > FEW) {
            told.renew();
            return told(all);
        }
        for (Handed one : untold) {
            begun(one, Looks.telling(calls.pods(one))).ifPresent(pod -> begun.put(one, pod));
        }
        return begun;
    }

    private Map<Handed, PodState> told(List<Handed> all) {
        Map<String, PodState> pods = Looks.telling(told.pods());
        Map<Handed, PodState> begun = new HashMap<>();
        all.forEach(one -> begun(one, pods).ifPresent(pod -> begun.put(one, pod)));
        return begun;
    }

    private Optional<PodState> begun(Handed handed, Map<String, PodState> pods) {
        return Optional.ofNullable(pods.get(handed.name()))
                .filter(pod -> pod.hasBegun() && calls.labels().areOn(pod.pod(), handed));
    }

    private List<LogPart> parts(Reading reading, PodState pod) {
        return Arrays.stream(Source.values())
                .filter(source -> source == Source.OUTPUT || pod.isTracked())
                .map(source -> new LogPart(reading, source, pod))
                .toList();
    }

    /** The reading of one log. */
    private final class LogPart implements SideBySide.Part {
        private final Reading reading;
        private final Source source;
        private final PodState pod;
        private volatile long have = -1;

        LogPart(Reading reading, Source source, PodState pod) {
            this.reading = reading;
            this.source = source;
            this.pod = pod;
        }

        @Override
        public boolean run(SideBySide.Gate gate) {
            have = reading.known(source.stream);
            return collect(reading, source, pod, gate);
        }

        @Override
        public void late() {
            if (reading.known(source.stream) == have) {
                silent.put(pod.node(), clock.instant());
            }
        }
    }

    private boolean collect(Reading reading, Source source, PodState pod, SideBySide.Gate gate) {
        Log of = new Log(reading.handed(), source, source == Source.TRACK ? pod.trackRestarts() : 0);
        long have = reading.known(source.stream);
        Known from = known(of, have);
        if (from.isWhole() && pod.isOver()) {
            return false;
        }
        Duration vain = pod.isOver() ? inVain(of) : Duration.ZERO;
        // A read from a node that is off ends by our own deadline, and by no failure that names the node.
        if (vain.compareTo(GIVEN_UP_AFTER) >= 0) {
            return giveUp(reading, of, from, gate);
        }
        requireAnswers(pod.node());
        LogLines lines = new LogLines(
                from.position(),
                have - from.position().bytes(),
                () -> source == Source.TRACK && isStartedAgain(of),
                bytes -> gate.through(() -> taken(reading, source, bytes)));
        boolean isMore;
        try (InputStream log = log(pod, source, from.position())) {
            isMore = lines.read(log, MOST);
        } catch (KubernetesClientException e) {
            if (Failures.isNoLog(e)) {
                answered(of, pod);
                return false;
            }
            if (Failures.isServers(e) && vain.compareTo(PATIENCE) >= 0) {
                return giveUp(reading, of, from, gate);
            }
            throw calls.failures().of("read logs", e);
        } catch (LogLines.OtherLogException e) {
            PodState next = begun(reading.handed(), Looks.telling(calls.pods(reading.handed())))
                    .orElse(null);
            return next != null && collect(reading, source, next, gate);
        } catch (LogLines.NoLogException e) {
            if (vain.compareTo(PATIENCE) >= 0) {
                return giveUp(reading, of, from, gate);
            }
            throw new EngineException(
                    Kind.FAILING,
                    "node " + pod.node() + " hands no log of " + of.handed().name() + " out: "
                            + EngineText.of(Objects.requireNonNullElse(e.getMessage(), ""))
                                    .sentence(),
                    e);
        } catch (IOException e) {
            throw new EngineException(
                    Kind.UNREACHABLE, "the log of " + of.handed().name() + " broke off: " + e.getMessage(), e);
        }
        answered(of, pod);
        keep(of, new Known(lines.position(), from.noted(), !isMore && pod.isOver()));
        return isMore;
    }

    /** Since the cluster told of its pod. */
    private boolean isStartedAgain(Log log) {
        return Looks.telling(calls.pods(log.handed())).values().stream()
                .anyMatch(pod -> pod.trackRestarts() != log.restarts());
    }

    private void answered(Log log, PodState pod) {
        unread.remove(log.key());
        silent.remove(pod.node());
    }

    /** Else each look would wait for it as long, and with it what is to be told of all other jobs. */
    private void requireAnswers(String node) {
        Instant last = silent.get(node);
        if (last != null && clock.instant().isBefore(last.plus(SILENCE))) {
            throw new EngineException(
                    Kind.LATE,
                    "node " + node + " handed no log over when it was asked last; it is asked again after "
                            + SILENCE.toSeconds() + " s");
        }
    }

    /** For how long it was asked for again and again; a time in which nobody could ask does not count. */
    private Duration inVain(Log log) {
        Instant now = clock.instant();
        Vain vain = unread.compute(
                log.key(),
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
    private boolean giveUp(Reading reading, Log log, Known from, SideBySide.Gate gate) {
        try {
            if (log.source() == Source.OUTPUT) {
                gate.through(() -> taken(reading, log.source(), GIVEN_UP));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        keep(log, new Known(from.position(), from.noted(), true));
        return false;
    }

    private static void taken(Reading reading, Source source, byte[] bytes) {
        try {
            reading.take(source.stream, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private InputStream log(PodState pod, Source source, LogPosition from) {
        BytesLimitTerminateTimeTailPrettyLoggable log = calls.client()
                .pods()
                .inNamespace(calls.namespace())
                .withName(pod.name())
                .inContainer(source.container)
                // Else it is asked for once more; it has begun.
                .withReadyWaitTimeout(null)
                .usingTimestamps();
        Instant stamp = from.stamp();
        // The API server hands whole seconds on to the node.
        Loggable part = stamp == null
                ? log
                : log.sinceTime(stamp.truncatedTo(ChronoUnit.SECONDS).toString());
        return part.getLogInputStream();
    }

    /** The place from where to read; what Berth has of the output is never less than it. */
    private Known known(Log log, long have) {
        return Optional.ofNullable(known.get(log.key()))
                .or(() -> noted(log))
                .filter(kept -> kept.position().bytes() <= have)
                .orElse(new Known(LogPosition.BEGINNING, 0, false));
    }

    private Optional<Known> noted(Log log) {
        return Optional.of(log)
                .filter(first -> first.restarts() == 0)
                .flatMap(first -> calls.job(first.handed()))
                .map(job -> job.getMetadata().getAnnotations())
                .flatMap(notes -> LogPosition.parse(notes.getOrDefault(log.source().note, "")))
                .map(position -> new Known(position, position.bytes(), false));
    }

    private void keep(Log log, Known now) {
        boolean isNoted = log.restarts() == 0 && now.position().bytes() - now.noted() >= NOTED_EVERY;
        if (isNoted) {
            calls.note(
                    log.handed().name(),
                    Map.of(log.source().note, now.position().text()));
        }
        known.put(log.key(), isNoted ? new Known(now.position(), now.position().bytes(), now.isWhole()) : now);
    }

    void forget(Handed handed) {
        known.keySet().removeIf(key -> key.startsWith(Log.prefix(handed)));
        unread.keySet().removeIf(key -> key.startsWith(Log.prefix(handed)));
    }

    /**
     * What is known of a log.
     *
     * @param noted up to which byte that is kept with the Job
     * @param isWhole whether nothing more can come
     */
    private record Known(LogPosition position, long noted, boolean isWhole) {}
}
