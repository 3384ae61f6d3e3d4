package dev.berth.server.container;

import dev.berth.core.job.JobId;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ImageRefused;
import dev.berth.server.container.EngineException.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Gets the images that queued jobs need, each once a user however many of their jobs wait for it; a pull that nobody waits
 * for any more is given up. Users are kept apart: nobody's pull waits for another's, and a registry that hangs is waited
 * for within {@link PullShares}. Safe for any thread.
 */
public final class Images {
    /**
     * One image being looked for.
     *
     * @param jobs who waits for it, told in the order of their ids: a run with the same inputs is the same run
     * @param progress how the pull goes, empty before there is one
     * @param failures how often the engine failed at it by its own fault
     * @param spent how long pulls of it took that failed
     */
    private record Fetch(SortedSet<JobId> jobs, String progress, int failures, Duration spent) {
        Fetch {
            jobs = Collections.unmodifiableSortedSet(new TreeSet<>(jobs));
        }

        static Fetch of(JobId job) {
            return new Fetch(new TreeSet<>(Set.of(job)), "", 0, Duration.ZERO);
        }

        Fetch with(JobId job) {
            SortedSet<JobId> more = new TreeSet<>(jobs);
            more.add(job);
            return new Fetch(more, progress, failures, spent);
        }

        Fetch without(JobId job) {
            SortedSet<JobId> fewer = new TreeSet<>(jobs);
            fewer.remove(job);
            return new Fetch(fewer, progress, failures, spent);
        }

        Fetch at(String words) {
            return new Fetch(jobs, words, failures, spent);
        }

        Fetch failed(Duration after) {
            return new Fetch(jobs, progress, failures + 1, spent.plus(after));
        }
    }

    /** An image as somebody wants it: a pull for one who wants it fresh is of no use to one who wants none. */
    private record Wanted(long owner, String image, PullPolicy pull) {}

    /** How often an engine that fails at a look or a pull is asked; with the pauses in between, three seconds where it fails at once. */
    private static final int MAX_FAILURES = 6;

    private static final String WAITS = "waits for the pull of other images for the same user";

    private final ConcurrentMap<Wanted, Fetch> fetches = new ConcurrentHashMap<>();
    private final PullShares<Wanted> shares;
    private final ContainerEngine engine;
    private final StartCheck starts;
    private final EngineRetry retry;
    private final Notices notices;
    private final InstantSource clock;

    Images(ContainerEngine engine, StartCheck starts, EngineRetry retry, Notices notices, InstantSource clock) {
        this.engine = engine;
        this.starts = starts;
        this.retry = retry;
        this.notices = notices;
        this.clock = clock;
        this.shares = new PullShares<>(clock);
    }

    /** Looks for an image, and pulls it where it is not here; whoever waits hears of it. */
    void fetch(JobId job, long owner, String image, PullPolicy pull) {
        fetch(job, new Wanted(owner, image, pull));
    }

    private void fetch(JobId job, Wanted wanted) {
        Fetch before = fetches.putIfAbsent(wanted, Fetch.of(job));
        if (before == null) {
            begin(wanted);
        } else if (fetches.computeIfPresent(wanted, (_, fetch) -> fetch.with(job)) == null) {
            // It came to its end between the two looks.
            fetch(job, wanted);
        }
    }

    private void begin(Wanted wanted) {
        var _ = retry.run(() -> {
            find(wanted);
            return true;
        });
    }

    /** This job does not wait any more. */
    void abandon(JobId job, String image) {
        fetches.keySet().stream()
                .filter(wanted -> wanted.image().equals(image))
                .forEach(wanted -> fetches.computeIfPresent(wanted, (_, fetch) -> fetch.without(job)));
    }

    /** How the pull that a job waits for goes, for people; empty where none is going on. */
    public Optional<String> progress(JobId job) {
        return fetches.values().stream()
                .filter(fetch -> fetch.jobs().contains(job))
                .map(Fetch::progress)
                .filter(words -> !words.isEmpty())
                .findFirst();
    }

    private void find(Wanted wanted) {
        String image = wanted.image();
        requireStarts(wanted);
        try {
            Optional<String> here = look(wanted);
            boolean pulls =
                    wanted.pull() == PullPolicy.ALWAYS || (here.isEmpty() && wanted.pull() == PullPolicy.MISSING);
            if (pulls && !isPulled(wanted)) {
                return;
            }
            Optional<String> found = pulls ? look(wanted) : here;
            String missing = pulls
                    ? "image " + image + " was pulled and is not here"
                    : "image " + image
                            + " is not on this machine, and the job said --pull never; pull or build it first";
            tell(wanted, found.<JobEvent>map(ImageArrived::new).orElseGet(() -> new ImageRefused(missing)));
        } catch (EngineException e) {
            if (e.kind() != Kind.REFUSED) {
                throw failing(wanted, e);
            }
            tell(
                    wanted,
                    new ImageRefused("image " + image + " cannot be looked at: " + e.sentence()
                            + "; check the name, or remove the image here and pull or build it again"));
        }
    }

    /** What is no name of an image is refused each time; a look may fail each time where a registry made the image so. */
    private Optional<String> look(Wanted wanted) {
        try {
            return engine.findImage(wanted.image());
        } catch (EngineException e) {
            boolean isOfTheImage = switch (e.kind()) {
                case REFUSED -> true;
                case FAILING, LATE -> engine.outage().isEmpty() && starts.engine() instanceof StartCheck.Verdict.Well;
                case UNREACHABLE, NOT_FOUND, UNABLE, BEGUN, INTERRUPTED -> false;
            };
            if (!isOfTheImage) {
                throw e;
            }
            throw new EngineException(isEnough(wanted, Duration.ZERO) ? Kind.REFUSED : Kind.FAILING, e.sentence(), e);
        }
    }

    /** An image is of no use to an engine that starts nothing: its jobs wait here, where they hold no GPU. */
    private void requireStarts(Wanted wanted) {
        starts.complaint().ifPresent(complaint -> {
            throw failing(
                    wanted,
                    new EngineException(
                            Kind.FAILING, "it starts no container, Berth's own test container neither: " + complaint));
        });
    }

    /** Whether the image may be here now; where it is not, whoever waits has heard why, or its turn comes. */
    private boolean isPulled(Wanted wanted) {
        if (!shares.enters(wanted.owner(), wanted)) {
            fetches.computeIfPresent(wanted, (_, fetch) -> fetch.at(WAITS));
            return false;
        }
        if (isUnwanted(wanted)) {
            leave(wanted);
            return false;
        }
        Optional<String> refusal = shares.refusal(wanted.owner());
        if (refusal.isPresent()) {
            refuse(wanted, refusal.get());
            return false;
        }
        Instant began = clock.instant();
        try {
            engine.pull(wanted.image(), progress -> keepPulling(wanted, progress));
            return true;
        } catch (EngineException e) {
            Duration after = Duration.between(began, clock.instant());
            switch (e.kind()) {
                case UNREACHABLE, UNABLE, BEGUN -> throw e;
                case FAILING, LATE -> {
                    if (engine.outage().isPresent() || !isEnough(wanted, after)) {
                        throw e;
                    }
                    refuse(wanted, e.sentence());
                }
                case REFUSED, NOT_FOUND -> {
                    shares.failed(wanted.owner(), after);
                    refuse(wanted, e.sentence());
                }
                case INTERRUPTED -> startAnew(wanted);
            }
            return false;
        }
    }

    /** Whether nobody has waited for it since it had to wait for its turn. */
    private boolean isUnwanted(Wanted wanted) {
        return fetches.computeIfPresent(wanted, (_, fetch) -> fetch.jobs().isEmpty() ? null : fetch) == null;
    }

    private void refuse(Wanted wanted, String why) {
        tell(wanted, new ImageRefused(refusal(wanted) + why + "; check the name, or pull or build it here first"));
    }

    /** Whether so many tries have failed, or so slowly, that their failure is the answer. */
    private boolean isEnough(Wanted wanted, Duration after) {
        Fetch fetch = fetches.computeIfPresent(wanted, (_, before) -> before.failed(after));
        if (fetch == null || fetch.spent().compareTo(PullShares.SLOW) >= 0) {
            shares.failed(wanted.owner(), fetch == null ? after : fetch.spent());
            return true;
        }
        return fetch.failures() >= MAX_FAILURES;
    }

    /** The same failure, told to whoever looks at the jobs that wait. */
    private EngineException failing(Wanted wanted, EngineException failure) {
        if (failure.kind() != Kind.UNREACHABLE) {
            fetches.computeIfPresent(
                    wanted,
                    (_, fetch) -> fetch.at("the engine fails at it and is asked again (" + failure.sentence() + ")"));
        }
        return failure;
    }

    private static String refusal(Wanted wanted) {
        return wanted.pull() == PullPolicy.ALWAYS
                ? "image " + wanted.image() + " cannot be pulled, and the job said --pull always: "
                : "image " + wanted.image() + " is not on this machine and cannot be pulled: ";
    }

    private boolean keepPulling(Wanted wanted, String progress) {
        Fetch fetch = fetches.computeIfPresent(wanted, (_, before) -> before.at(progress));
        return fetch != null && !fetch.jobs().isEmpty();
    }

    private void tell(Wanted wanted, JobEvent event) {
        Fetch done = fetches.remove(wanted);
        if (done != null) {
            done.jobs().forEach(job -> notices.post(job, event));
        }
        leave(wanted);
    }

    /** The pull was given up because nobody waited; somebody may have come in between. */
    private void startAnew(Wanted wanted) {
        Fetch given = fetches.remove(wanted);
        leave(wanted);
        if (given != null) {
            given.jobs().forEach(job -> fetch(job, wanted));
        }
    }

    private void leave(Wanted wanted) {
        shares.leave(wanted.owner(), wanted).ifPresent(this::begin);
    }
}
