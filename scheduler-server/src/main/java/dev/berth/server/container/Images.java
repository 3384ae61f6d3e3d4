package dev.berth.server.container;

import dev.berth.core.job.JobId;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ImageRefused;
import dev.berth.server.container.EngineException.Kind;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;

/**
 * Gets the images that queued jobs need, each once however many wait for it; a pull that nobody waits for any more is
 * given up. Safe for any thread.
 */
public final class Images {
    /**
     * One image being looked for.
     *
     * @param jobs who waits for it, told in the order of their ids: a run with the same inputs is the same run
     * @param progress how the pull goes, empty before there is one
     * @param failures how often the engine failed at it by its own fault
     */
    private record Fetch(SortedSet<JobId> jobs, String progress, int failures) {
        Fetch {
            jobs = Collections.unmodifiableSortedSet(new TreeSet<>(jobs));
        }

        static Fetch of(JobId job) {
            return new Fetch(new TreeSet<>(Set.of(job)), "", 0);
        }

        Fetch with(JobId job) {
            SortedSet<JobId> more = new TreeSet<>(jobs);
            more.add(job);
            return new Fetch(more, progress, failures);
        }

        Fetch without(JobId job) {
            SortedSet<JobId> fewer = new TreeSet<>(jobs);
            fewer.remove(job);
            return new Fetch(fewer, progress, failures);
        }

        Fetch at(String words) {
            return new Fetch(jobs, words, failures);
        }

        Fetch failed() {
            return new Fetch(jobs, progress, failures + 1);
        }
    }

    /** An image as somebody wants it: a pull for one who wants it fresh is of no use to one who wants none. */
    private record Wanted(String image, PullPolicy pull) {}

    /** How often an engine that fails at a look or a pull is asked; with the pauses in between, three seconds. */
    private static final int MAX_FAILURES = 6;

    private final ConcurrentMap<Wanted, Fetch> fetches = new ConcurrentHashMap<>();
    private final ContainerEngine engine;
    private final EngineRetry retry;
    private final Notices notices;

    Images(ContainerEngine engine, EngineRetry retry, Notices notices) {
        this.engine = engine;
        this.retry = retry;
        this.notices = notices;
    }

    /** Looks for an image, and pulls it where it is not here; whoever waits hears of it. */
    void fetch(JobId job, String image, PullPolicy pull) {
        fetch(job, new Wanted(image, pull));
    }

    private void fetch(JobId job, Wanted wanted) {
        Fetch before = fetches.putIfAbsent(wanted, Fetch.of(job));
        if (before == null) {
            var _ = retry.run(() -> {
                find(wanted);
                return true;
            });
        } else if (fetches.computeIfPresent(wanted, (_, fetch) -> fetch.with(job)) == null) {
            // It came to its end between the two looks.
            fetch(job, wanted);
        }
    }

    /** This job does not wait any more. */
    void abandon(JobId job, String image) {
        for (PullPolicy pull : PullPolicy.values()) {
            fetches.computeIfPresent(new Wanted(image, pull), (_, fetch) -> fetch.without(job));
        }
    }

    /** How the pull of an image goes, for people; empty where none is going on. */
    public Optional<String> progress(String image) {
        return Stream.of(PullPolicy.values())
                .flatMap(pull -> Stream.ofNullable(fetches.get(new Wanted(image, pull))))
                .map(Fetch::progress)
                .filter(words -> !words.isEmpty())
                .findFirst();
    }

    private void find(Wanted wanted) {
        String image = wanted.image();
        try {
            Optional<String> here = engine.findImage(image);
            boolean pulls =
                    wanted.pull() == PullPolicy.ALWAYS || (here.isEmpty() && wanted.pull() == PullPolicy.MISSING);
            if (pulls && !isPulled(wanted)) {
                return;
            }
            Optional<String> found = pulls ? engine.findImage(image) : here;
            String missing = pulls
                    ? "image " + image + " was pulled and is not here"
                    : "image " + image
                            + " is not on this machine, and the job said --pull never; pull or build it first";
            tell(wanted, found.<JobEvent>map(ImageArrived::new).orElseGet(() -> new ImageRefused(missing)));
        } catch (EngineException e) {
            // What is no name of an image is refused by the look for it, too, and always; else only a pull refuses one.
            if (e.kind() != Kind.REFUSED || !isEnough(wanted)) {
                throw failing(wanted, e);
            }
            refuse(wanted, e);
        }
    }

    /** Whether the image may be here now; where it is not, whoever waits has heard why. */
    private boolean isPulled(Wanted wanted) {
        try {
            engine.pull(wanted.image(), progress -> keepPulling(wanted, progress));
            return true;
        } catch (EngineException e) {
            switch (e.kind()) {
                case UNREACHABLE, UNABLE, BEGUN -> throw e;
                case FAILING -> {
                    if (engine.outage().isPresent() || !isEnough(wanted)) {
                        throw e;
                    }
                    refuse(wanted, e);
                }
                case REFUSED, NOT_FOUND -> refuse(wanted, e);
                case INTERRUPTED -> startAnew(wanted);
            }
            return false;
        }
    }

    private void refuse(Wanted wanted, EngineException failure) {
        tell(
                wanted,
                new ImageRefused(
                        refusal(wanted) + failure.sentence() + "; check the name, or pull or build it here first"));
    }

    /** Whether so many tries have failed that their failure is the answer. */
    private boolean isEnough(Wanted wanted) {
        Fetch fetch = fetches.computeIfPresent(wanted, (_, before) -> before.failed());
        return fetch == null || fetch.failures() >= MAX_FAILURES;
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
    }

    /** The pull was given up because nobody waited; somebody may have come in between. */
    private void startAnew(Wanted wanted) {
        Fetch given = fetches.remove(wanted);
        if (given != null) {
            given.jobs().forEach(job -> fetch(job, wanted));
        }
    }
}
