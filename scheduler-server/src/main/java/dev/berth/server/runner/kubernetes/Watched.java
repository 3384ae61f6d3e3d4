package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What this server has of one kind: as a list told of it, and a watch of what changed since (kubernetes.io, "Efficient detection of
 * changes"). It may be some moments old. Whatever ends a watch lets the next look list anew, and so does time: a connection that was
 * lost without a word tells of nothing, and must not be believed for long. Any thread.
 */
final class Watched<T extends HasMetadata> {
    /** For how long a list and the watch after it are good. */
    static final Duration GOOD_FOR = Duration.ofMinutes(1);

    /** How long no watch is tried after one that the cluster, or what is between, did not let through. */
    static final Duration UNWATCHED = Duration.ofMinutes(5);

    private final ReentrantLock listing = new ReentrantLock();
    private final AtomicReference<@Nullable State<T>> state = new AtomicReference<>();
    private final FilterWatchListDeletable<T, ? extends KubernetesResourceList<T>, ?> own;
    private final ClusterCalls calls;
    private final String doing;
    private final Duration goodFor;
    private final InstantSource clock;
    private volatile Instant unwatchedUntil = Instant.MIN;

    /**
     * Nothing is asked yet.
     *
     * @param doing what a list is for, as {@link Failures#of} has it
     * @param goodFor how long a list is good; zero where there are to be no watches
     */
    Watched(
            FilterWatchListDeletable<T, ? extends KubernetesResourceList<T>, ?> own,
            ClusterCalls calls,
            String doing,
            Duration goodFor,
            InstantSource clock) {
        this.own = own;
        this.calls = calls;
        this.doing = doing;
        this.goodFor = goodFor;
        this.clock = clock;
    }

    /**
     * All that there is; one that was made just now may not be among them.
     *
     * @throws EngineException where the cluster does not tell
     */
    List<T> all() {
        return List.copyOf(good().orElseGet(this::listed).all.values());
    }

    /** Whether the next call of {@link #all} asks nobody. */
    boolean isGood() {
        return good().isPresent();
    }

    private Optional<State<T>> good() {
        Instant now = clock.instant();
        return Optional.ofNullable(state.get())
                .filter(known ->
                        !known.isOver && !now.isBefore(known.since) && now.isBefore(known.since.plus(goodFor)));
    }

    /** Whether what is known of some is how they are now. */
    boolean agrees(Predicate<T> some, Collection<T> now) {
        State<T> known = state.get();
        return known != null
                && versions(known.all.values().stream().filter(some).toList()).equals(versions(now));
    }

    private static Set<String> versions(Collection<? extends HasMetadata> all) {
        return all.stream()
                .map(one -> one.getMetadata().getUid() + " " + one.getMetadata().getResourceVersion())
                .collect(Collectors.toSet());
    }

    /** Ends the watch, and lets the next call of {@link #all} ask the cluster. */
    void renew() {
        State<T> known = state.getAndSet(null);
        if (known != null) {
            known.close();
        }
    }

    /** What one has listed, others who wait for it need not list once more. */
    private State<T> listed() {
        Duration deadline = calls.settings().callDeadline();
        try {
            if (!listing.tryLock(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new EngineException(
                        Kind.LATE,
                        "Kubernetes at " + calls.failures().server() + " was asked to " + doing + " before, and has not"
                                + " answered for " + deadline.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        }
        try {
            return good().orElseGet(() -> {
                renew();
                State<T> listed = list();
                state.set(listed);
                return listed;
            });
        } finally {
            listing.unlock();
        }
    }

    private EngineException interrupted(InterruptedException e) {
        return new EngineException(Kind.INTERRUPTED, "interrupted while it was to " + doing, e);
    }

    private State<T> list() {
        Instant since = clock.instant();
        KubernetesResourceList<T> list = calls.failures().call(doing, () -> own.list(ClusterCalls.cached()));
        State<T> listed = new State<>(since);
        list.getItems().forEach(one -> listed.all.put(one.getMetadata().getName(), one));
        String version = list.getMetadata() == null ? null : list.getMetadata().getResourceVersion();
        if (goodFor.isPositive() && version != null && !version.isEmpty() && !since.isBefore(unwatchedUntil)) {
            listed.watch = watch(version, listed);
        }
        if (listed.watch == null) {
            listed.isOver = true;
        }
        return listed;
    }

    /**
     * Null where that is not to be had: each look lists, then. The library itself would wait for ever for what lets a connection
     * through and no answer (fabric8's client 7.8.0, {@code BaseOperation.watch}).
     */
    private @Nullable Watch watch(String version, Watcher<T> watcher) {
        // One that nobody closes ends by itself.
        ListOptions since = new ListOptionsBuilder()
                .withResourceVersion(version)
                .withTimeoutSeconds(goodFor.multipliedBy(2).toSeconds())
                .build();
        CompletableFuture<Watch> begun =
                CompletableFuture.supplyAsync(() -> own.watch(since, watcher), Thread::startVirtualThread);
        try {
            return begun.get(calls.settings().callDeadline().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            unwatchedUntil = clock.instant().plus(UNWATCHED);
            var _ = begun.thenAccept(Watch::close);
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            var _ = begun.thenAccept(Watch::close);
            throw interrupted(e);
        }
    }

    /** What is known since a list. */
    private static final class State<T extends HasMetadata> implements Watcher<T> {
        private final Map<String, T> all = new ConcurrentHashMap<>();
        private final Instant since;
        private volatile boolean isOver;
        private volatile @Nullable Watch watch;

        State(Instant since) {
            this.since = since;
        }

        @Override
        public void eventReceived(Action action, T one) {
            switch (action) {
                case ADDED, MODIFIED -> all.put(one.getMetadata().getName(), one);
                case DELETED -> all.remove(one.getMetadata().getName());
                case ERROR -> isOver = true;
                case BOOKMARK -> {}
            }
        }

        @Override
        public void onClose() {
            isOver = true;
        }

        @Override
        public void onClose(WatcherException cause) {
            isOver = true;
        }

        void close() {
            Watch open = watch;
            if (open != null) {
                open.close();
            }
        }
    }
}
