package dev.berth.server.runner.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What this server has of one kind: as a list told of it, and a watch of what changed since (kubernetes.io, "Efficient detection of
 * changes"). It may be some moments old. Whatever ends a watch lets the next look list anew, and so does time: a connection that was
 * lost without a word tells of nothing, and must not be believed for long. Any thread.
 */
final class Watched<T extends HasMetadata> {
    /** For how long a list and the watch after it are good. */
    static final Duration GOOD_FOR = Duration.ofMinutes(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final FilterWatchListDeletable<T, ? extends KubernetesResourceList<T>, ?> own;
    private final Failures failures;
    private final String doing;
    private final Duration goodFor;
    private final InstantSource clock;
    private @Nullable State<T> state;

    /**
     * Nothing is asked yet.
     *
     * @param doing what a list is for, as {@link Failures#of} has it
     * @param goodFor how long a list is good; zero where there are to be no watches
     */
    Watched(
            FilterWatchListDeletable<T, ? extends KubernetesResourceList<T>, ?> own,
            Failures failures,
            String doing,
            Duration goodFor,
            InstantSource clock) {
        this.own = own;
        this.failures = failures;
        this.doing = doing;
        this.goodFor = goodFor;
        this.clock = clock;
    }

    /** All that there is; one that was made just now may not be among them. */
    List<T> all() {
        lock.lock();
        try {
            State<T> known = state;
            if (known == null || !isGood(known)) {
                renew();
                known = listed();
                state = known;
            }
            return List.copyOf(known.all.values());
        } finally {
            lock.unlock();
        }
    }

    /** Whether the next call of {@link #all} asks nobody. */
    boolean isGood() {
        lock.lock();
        try {
            return state != null && isGood(state);
        } finally {
            lock.unlock();
        }
    }

    private boolean isGood(State<T> known) {
        Instant now = clock.instant();
        return !known.isOver && !now.isBefore(known.since) && now.isBefore(known.since.plus(goodFor));
    }

    /** Whether this is what is known of it; null where there is none of this name. */
    boolean has(String name, @Nullable T now) {
        lock.lock();
        try {
            T known = state == null ? null : state.all.get(name);
            return version(known).equals(version(now));
        } finally {
            lock.unlock();
        }
    }

    private static String version(@Nullable HasMetadata one) {
        return one == null
                ? ""
                : one.getMetadata().getUid() + " " + one.getMetadata().getResourceVersion();
    }

    /** Ends the watch, and lets the next call of {@link #all} ask the cluster. */
    void renew() {
        lock.lock();
        try {
            if (state != null) {
                state.close();
                state = null;
            }
        } finally {
            lock.unlock();
        }
    }

    private State<T> listed() {
        Instant since = clock.instant();
        KubernetesResourceList<T> list = failures.call(doing, () -> own.list(cached().build()));
        State<T> listed = new State<>(since);
        list.getItems().forEach(one -> listed.all.put(one.getMetadata().getName(), one));
        String version = list.getMetadata() == null ? null : list.getMetadata().getResourceVersion();
        if (goodFor.isPositive() && version != null && !version.isEmpty()) {
            listed.watch = watch(version, listed);
        }
        listed.isOver |= listed.watch == null;
        return listed;
    }

    /** Null where the cluster lets this server watch nothing: it lists, then. */
    private @Nullable Watch watch(String version, Watcher<T> watcher) {
        // One that nobody closes ends by itself.
        ListOptions since = new ListOptionsBuilder()
                .withResourceVersion(version)
                .withTimeoutSeconds(goodFor.multipliedBy(2).toSeconds())
                .build();
        try {
            return own.watch(since, watcher);
        } catch (KubernetesClientException e) {
            return null;
        }
    }

    /** From the API server's cache. */
    static ListOptionsBuilder cached() {
        return new ListOptionsBuilder().withResourceVersion("0");
    }

    /** What is known since a list. */
    private static final class State<T extends HasMetadata> implements Watcher<T> {
        private final Map<String, T> all = new ConcurrentHashMap<>();
        private final Instant since;
        private volatile boolean isOver;
        private @Nullable Watch watch;

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
            if (watch != null) {
                watch.close();
            }
        }
    }
}
