package dev.berth.server.container;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ImageRefused;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

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
     */
    private record Fetch(SortedSet<JobId> jobs, String progress) {
        Fetch {
            jobs = Collections.unmodifiableSortedSet(new TreeSet<>(jobs));
        }

        static Fetch of(JobId job) {
            return new Fetch(new TreeSet<>(Set.of(job)), "");
        }

        Fetch with(JobId job) {
            SortedSet<JobId> more = new TreeSet<>(jobs);
            more.add(job);
            return new Fetch(more, progress);
        }

        Fetch without(JobId job) {
            SortedSet<JobId> fewer = new TreeSet<>(jobs);
            fewer.remove(job);
            return new Fetch(fewer, progress);
        }
    }

    private final ConcurrentMap<String, Fetch> fetches = new ConcurrentHashMap<>();
    private final ContainerEngine engine;
    private final EngineRetry retry;
    private final Notices notices;

    Images(ContainerEngine engine, EngineRetry retry, Notices notices) {
        this.engine = engine;
        this.retry = retry;
        this.notices = notices;
    }

    /** Looks for an image, and pulls it where it is not here; whoever waits hears of it. */
    void fetch(JobId job, String image) {
        Fetch before = fetches.putIfAbsent(image, Fetch.of(job));
        if (before == null) {
            var _ = retry.run(() -> {
                find(image);
                return true;
            });
        } else if (fetches.computeIfPresent(image, (_, fetch) -> fetch.with(job)) == null) {
            // It came to its end between the two looks.
            fetch(job, image);
        }
    }

    /** This job does not wait any more. */
    void abandon(JobId job, String image) {
        fetches.computeIfPresent(image, (_, fetch) -> fetch.without(job));
    }

    /** How the pull of an image goes, for people; empty where none is going on. */
    public Optional<String> progress(String image) {
        return Optional.ofNullable(fetches.get(image)).map(Fetch::progress).filter(words -> !words.isEmpty());
    }

    private void find(String image) {
        try {
            Optional<String> here = engine.findImage(image);
            if (here.isEmpty()) {
                engine.pull(image, progress -> keepPulling(image, progress));
            }
            Optional<String> found = here.isPresent() ? here : engine.findImage(image);
            tell(
                    image,
                    found.<JobEvent>map(ImageArrived::new)
                            .orElseGet(() -> new ImageRefused("image " + image + " was pulled and is not here")));
        } catch (EngineException e) {
            switch (e.kind()) {
                case UNREACHABLE -> throw e;
                case REFUSED, NOT_FOUND ->
                    tell(
                            image,
                            new ImageRefused("image " + image + " is not on this machine and cannot be pulled: "
                                    + e.sentence() + "; check the name, or pull or build it here first"));
                case INTERRUPTED -> startAnew(image);
            }
        }
    }

    private boolean keepPulling(String image, String progress) {
        Fetch fetch = fetches.computeIfPresent(image, (_, before) -> new Fetch(before.jobs(), progress));
        return fetch != null && !fetch.jobs().isEmpty();
    }

    private void tell(String image, JobEvent event) {
        Fetch done = fetches.remove(image);
        if (done != null) {
            done.jobs().forEach(job -> notices.post(job, event));
        }
    }

    /** The pull was given up because nobody waited; somebody may have come in between. */
    private void startAnew(String image) {
        Fetch given = fetches.remove(image);
        if (given != null) {
            given.jobs().forEach(job -> fetch(job, image));
        }
    }
}
