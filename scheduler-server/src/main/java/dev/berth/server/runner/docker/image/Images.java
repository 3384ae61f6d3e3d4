package dev.berth.server.runner.docker.image;

import dev.berth.core.job.JobId;
import dev.berth.core.job.Program;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.machine.Effect.AbandonImage;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.Effect.OfImage;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.ImageArrived;
import dev.berth.core.machine.JobEvent.ImageRefused;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineRetry;
import dev.berth.server.runner.Notices;
import dev.berth.server.runner.docker.ContainerEngine;
import dev.berth.server.runner.docker.ContainerEngine.PullListener;
import dev.berth.server.runner.docker.CudaCheck;
import dev.berth.server.runner.docker.StartCheck;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Gets the images that queued jobs need, each once a user however many of their jobs wait for it, in the order in
 * which these stand in the queue ({@link PullShares}); a pull that nobody waits for any more is given up. What is not
 * to be had, and what the driver cannot run, fails its jobs before they wait for GPUs. Safe for any thread.
 */
public final class Images {
    /**
     * An image being looked for.
     *
     * @param jobs who waits for it, told in the order of their ids: a run with the same inputs is the same run
     * @param onGpus those of them that run on GPUs, which the image has to suit
     * @param progress how the pull goes, empty before there is one
     * @param failures how often the engine failed at it by its own fault
     * @param spent how long pulls of it took that failed
     */
    private record Fetch(SortedSet<JobId> jobs, Set<JobId> onGpus, String progress, int failures, Duration spent) {
        static final Fetch NOBODYS = new Fetch(new TreeSet<>(), Set.of(), "", 0, Duration.ZERO);

        Fetch {
            jobs = Collections.unmodifiableSortedSet(new TreeSet<>(jobs));
            onGpus = Set.copyOf(onGpus);
        }

        Fetch with(JobId job, boolean isOnGpus) {
            SortedSet<JobId> more = new TreeSet<>(jobs);
            more.add(job);
            Set<JobId> suited = new HashSet<>(onGpus);
            if (isOnGpus) {
                suited.add(job);
            }
            return new Fetch(more, suited, progress, failures, spent);
        }

        Fetch without(JobId job) {
            SortedSet<JobId> fewer = new TreeSet<>(jobs);
            fewer.remove(job);
            Set<JobId> suited = new HashSet<>(onGpus);
            suited.remove(job);
            return new Fetch(fewer, suited, progress, failures, spent);
        }

        Fetch at(String words) {
            return new Fetch(jobs, onGpus, words, failures, spent);
        }

        Fetch failed(Duration after) {
            return new Fetch(jobs, onGpus, progress, failures + 1, spent.plus(after));
        }
    }

    /** An image as a job wants it: a pull for one who wants it fresh is of no use to one who wants none. */
    private record Wanted(long owner, String image, PullPolicy pull) {}

    /**
     * The number of times that an engine that fails at a look or a pull is asked; with the pauses in between, three
     * seconds where it fails at once.
     */
    private static final int MAX_FAILURES = 6;

    private static final String WAITS =
            "waits for its turn: two images are pulled at a time, in the order of the queue, each user's first before"
                    + " anybody's second";

    private final ConcurrentMap<Wanted, Fetch> fetches = new ConcurrentHashMap<>();
    private final PullShares<Wanted> shares;
    private final ContainerEngine engine;
    private final StartCheck starts;
    private final EngineRetry retry;
    private final Notices notices;
    private final InstantSource clock;
    private final CudaCheck cuda;
    private final Function<JobId, Optional<Program>> programs;
    private final AtomicBoolean looksAgain = new AtomicBoolean();

    /**
     * The parts that {@link Images} is built on.
     *
     * @param cuda holds images of jobs with GPUs against the driver
     * @param programs of those jobs, whose variables may override the images'; empty for one that is deleted meanwhile
     */
    public record Parts(
            StartCheck starts, CudaCheck cuda, Function<JobId, Optional<Program>> programs, InstantSource clock) {}

    public Images(ContainerEngine engine, Parts parts, Tasks tasks, Notices notices) {
        this.cuda = parts.cuda();
        this.programs = parts.programs();
        this.engine = engine;
        this.starts = parts.starts();
        this.retry = new EngineRetry(tasks);
        this.notices = notices;
        this.clock = parts.clock();
        this.shares = new PullShares<>(this::place, clock);
    }

    /** Takes on one effect; on the loop's thread, and at once. */
    public void accept(OfImage effect) {
        switch (effect) {
            case FetchImage fetch -> fetch(fetch);
            case AbandonImage(JobId job, String image) -> abandon(job, image);
        }
    }

    /** Looks for an image, and pulls it where it is not here; the jobs that wait hear of it. */
    void fetch(FetchImage effect) {
        fetch(effect.job(), new Wanted(effect.owner(), effect.image(), effect.pull()), effect.onGpus());
    }

    private void fetch(JobId job, Wanted wanted, boolean onGpus) {
        Fetch before = fetches.putIfAbsent(wanted, Fetch.NOBODYS.with(job, onGpus));
        if (before == null) {
            shares.looks(wanted);
            begin(wanted);
        } else if (fetches.computeIfPresent(wanted, (_, fetch) -> fetch.with(job, onGpus)) == null) {
            // It came to its end between the two looks.
            fetch(job, wanted, onGpus);
        }
    }

    /** The place of the first job that waits for it. */
    private long place(Wanted wanted) {
        Fetch fetch = fetches.get(wanted);
        return fetch == null || fetch.jobs().isEmpty()
                ? Long.MAX_VALUE
                : fetch.jobs().first().value();
    }

    private void begin(Wanted wanted) {
        var _ = retry.run(() -> {
            find(wanted);
            return true;
        });
    }

    /** Notes that this job does not wait any more. */
    void abandon(JobId job, String image) {
        fetches.keySet().stream()
                .filter(wanted -> wanted.image().equals(image))
                .forEach(wanted -> fetches.computeIfPresent(wanted, (_, fetch) -> fetch.without(job)));
    }

    /** The progress of the pull that a job waits for, for people; empty where none is going on. */
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
            if (found.isPresent()) {
                arrived(wanted, found.get());
            } else {
                tell(wanted, new ImageRefused(missing));
            }
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

    /** Tells the jobs that their image is here. Jobs that it does not suit need not wait for GPUs to hear so. */
    private void arrived(Wanted wanted, String imageId) {
        Map<JobId, JobEvent> unfit = new HashMap<>();
        Fetch fetch = fetches.getOrDefault(wanted, Fetch.NOBODYS);
        if (cuda.isNeeded()) {
            fetch.onGpus().forEach(job -> refusal(wanted, imageId, job).ifPresent(why -> unfit.put(job, why)));
        }
        tell(wanted, job -> unfit.getOrDefault(job, new ImageArrived(imageId)));
    }

    private Optional<JobEvent> refusal(Wanted wanted, String imageId, JobId job) {
        return programs.apply(job)
                .flatMap(program -> cuda.refusal(wanted.image(), imageId, program.environment()))
                .map(ImageRefused::new);
    }

    /**
     * The image that is there. What is no name of an image is refused each time; a look may fail each time where a
     * registry made the image so.
     */
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

    /** Whether the image may be here now; where it is not, the jobs that wait have heard why, or its turn comes. */
    private boolean isPulled(Wanted wanted) {
        if (!shares.enters(wanted.owner(), wanted)) {
            waitForTurn(wanted, WAITS);
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
                case INTERRUPTED -> interrupted(wanted, after);
            }
            return false;
        }
    }

    /** Decides on a pull that was interrupted: its time was up, or its place another's, or nobody waited for it. */
    private void interrupted(Wanted wanted, Duration after) {
        if (shares.isTooLong(wanted)) {
            shares.failed(wanted.owner(), after);
            refuse(wanted, "it was not here after " + PullShares.LONGEST.toHours() + " hours");
        } else if (shares.waitsAgain(wanted)) {
            waitForTurn(
                    wanted,
                    "gave its place to another user's image after " + PullShares.TURN.toMinutes() + " minutes, and "
                            + WAITS);
        } else {
            startAnew(wanted);
        }
    }

    private void waitForTurn(Wanted wanted, String words) {
        fetches.computeIfPresent(wanted, (_, fetch) -> fetch.at(words));
        beginNext();
        lookAgainLater();
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

    /** The failure, which is now also told of the jobs that wait. */
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

    /** Looks again later at the pulls: one that stands still makes room for the next. */
    private void lookAgainLater() {
        if (looksAgain.compareAndSet(false, true)) {
            retry.runAfter(PullShares.STILL, () -> {
                looksAgain.set(false);
                beginNext();
                if (shares.isWaitedFor()) {
                    lookAgainLater();
                }
                return true;
            });
        }
    }

    private void beginNext() {
        for (Optional<Wanted> next = shares.next(); next.isPresent(); next = shares.next()) {
            begin(next.get());
        }
    }

    /**
     * Whether a pull is to go on. The same words once more are no progress: some engines repeat them while a registry
     * hangs.
     */
    private boolean keepPulling(Wanted wanted, String progress) {
        if (!fetches.getOrDefault(wanted, Fetch.NOBODYS).progress().equals(progress)) {
            shares.moves(wanted, progress.equals(PullListener.QUEUED));
        }
        Fetch fetch = fetches.computeIfPresent(wanted, (_, before) -> before.at(progress));
        return fetch != null && !fetch.jobs().isEmpty() && !shares.isTooLong(wanted) && !shares.yields(wanted);
    }

    private void tell(Wanted wanted, JobEvent event) {
        tell(wanted, _ -> event);
    }

    private void tell(Wanted wanted, Function<JobId, JobEvent> event) {
        Fetch done = fetches.remove(wanted);
        if (done != null) {
            done.jobs().forEach(job -> notices.post(job, event.apply(job)));
        }
        leave(wanted);
    }

    /** The pull was given up because no job waited; one may have come in between. */
    private void startAnew(Wanted wanted) {
        Fetch given = fetches.remove(wanted);
        leave(wanted);
        if (given != null) {
            given.jobs().forEach(job -> fetch(job, wanted, given.onGpus().contains(job)));
        }
    }

    private void leave(Wanted wanted) {
        shares.leave(wanted);
        beginNext();
    }
}
