package dev.berth.server.notify;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Moment;
import dev.berth.core.job.Notification;
import dev.berth.core.job.StateName;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobWarning;
import dev.berth.server.store.Notice;
import dev.berth.server.store.Subscription;
import dev.berth.server.store.ToldEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes notices of what has happened to jobs: reads the events behind the last one read, looks who wants to be told, and keeps
 * the notices in one commit with how far it has read. So each event is told, and none twice, wherever a server breaks off. An
 * array is told of as one: at the first start of a task, and at its end. For one thread.
 */
final class NoticeReader {
    private static final int EVENTS_A_PIECE = 200;

    /** So many notices are kept in one commit, and some more where an event has many: starts wait for no longer one. */
    private static final int NOTICES_A_PIECE = 250;

    /** Events of which nobody is told are read again after a restart rather than kept as read one by one. */
    private static final long EVENTS_READ_AGAIN = 5_000;

    private static final Set<StateName> FAILURES =
            EnumSet.of(StateName.FAILED, StateName.TIMEOUT, StateName.OUT_OF_MEMORY, StateName.LOST);

    private final JobQueries queries;
    private final Outbox outbox;
    private final List<Notification> ofServer;
    private final String server;
    private final Supplier<String> keys;
    private long cursor;
    private long kept;

    /** Keeps what is to be sent. */
    @FunctionalInterface
    interface Outbox {
        void keep(List<Notice> notices, List<JobWarning> warnings, long upTo) throws InterruptedException;
    }

    /**
     * Makes a reader that goes on where the last one ended.
     *
     * @param ofServer who is told of everybody's jobs
     * @param keys a name for each notice, that no other one has
     */
    NoticeReader(JobQueries queries, Outbox outbox, List<Notification> ofServer, String server, Supplier<String> keys) {
        this.queries = queries;
        this.outbox = outbox;
        this.ofServer = List.copyOf(ofServer);
        this.server = server;
        this.keys = keys;
        this.cursor = queries.notifiedUpTo();
        this.kept = cursor;
    }

    /** Somebody who wants to be told. */
    private record Listener(long uid, String receiver) {}

    /** Reads on, a piece of it; false where there was nothing more. */
    boolean read() throws InterruptedException {
        long last = queries.lastEvent();
        List<ToldEvent> events = queries.toldEvents(cursor, EVENTS_A_PIECE);
        boolean isMore = events.size() == EVENTS_A_PIECE;
        long end = cursor;
        Map<Long, List<Subscription>> subscriptions = new HashMap<>();
        List<Notice> notices = new ArrayList<>();
        for (ToldEvent event : events) {
            if (notices.size() >= NOTICES_A_PIECE) {
                isMore = true;
                break;
            }
            notices.addAll(notices(event, subscriptions));
            end = event.sequence();
        }
        long upTo = isMore ? end : Math.max(last, end);
        if (!notices.isEmpty() || upTo - kept > EVENTS_READ_AGAIN) {
            keep(notices, upTo);
        }
        cursor = upTo;
        return isMore;
    }

    private void keep(List<Notice> notices, long upTo) throws InterruptedException {
        Map<Long, Set<String>> receivers = new HashMap<>();
        queries.eachReceiver((uid, receiver) ->
                receivers.computeIfAbsent(uid, _ -> new HashSet<>()).add(receiver));
        OutboxLimits limits = new OutboxLimits(queries.waitingNotices(), receivers);
        List<Notice> fitting = new ArrayList<>();
        List<JobWarning> warnings = new ArrayList<>();
        for (Notice notice : notices) {
            if (limits.takes(notice.uid(), notice.receiver())) {
                fitting.add(notice);
            } else {
                warnings.add(tooMany(notice));
            }
        }
        outbox.keep(fitting, warnings, upTo);
        kept = upTo;
    }

    private static JobWarning tooMany(Notice notice) {
        String whose = notice.uid() == Notice.SERVER ? "the server's receivers" : "its user";
        return new JobWarning(
                notice.job(),
                notice.attempt(),
                JobWarning.NOTICE_FAILED,
                "",
                "not everybody is told of its " + notice.moment() + ": too many notices for " + whose + " wait already",
                notice.madeAt(),
                null);
    }

    private List<Notice> notices(ToldEvent event, Map<Long, List<Subscription>> subscriptions) {
        List<Subscription> ofUser = subscriptions.computeIfAbsent(event.uid(), queries::subscriptions);
        if (!event.hasWishes() && ofUser.isEmpty() && ofServer.isEmpty()) {
            return List.of();
        }
        JobId id = event.array() == null ? event.job() : event.array();
        Job job = queries.find(id).orElse(null);
        if (job == null) {
            return List.of();
        }
        List<Notice> notices = new ArrayList<>();
        for (StateName state : event.isStartUnseen() ? List.of(StateName.RUNNING, event.to()) : List.of(event.to())) {
            if (isToldOf(event, state, job)) {
                Map<Listener, Moment> told = new LinkedHashMap<>();
                job.spec().notifications().forEach(wish -> add(told, state, wish, event.uid()));
                for (Subscription subscription : ofUser) {
                    if (subscription.afterEvent() < event.sequence()) {
                        add(told, state, subscription.wish(), event.uid());
                    }
                }
                ofServer.forEach(wish -> add(told, state, wish, Notice.SERVER));
                told.forEach((listener, moment) -> notices.add(notice(event, state, job, listener, moment)));
            }
        }
        return notices;
    }

    /** A task is told of where it is the first one to run; an array's own state says when the last one did. */
    private boolean isToldOf(ToldEvent event, StateName state, Job job) {
        boolean isStart = state == StateName.RUNNING;
        if (!isStart && !state.isFinal()) {
            return false;
        }
        if (event.array() != null) {
            return isStart && !queries.hasStarted(event.array(), event.sequence());
        }
        return !isStart || !job.isArray();
    }

    private static void add(Map<Listener, Moment> told, StateName state, Notification wish, long uid) {
        Moment moment = moment(state, wish.moments());
        if (moment != null) {
            told.put(new Listener(uid, wish.receiver()), moment);
        }
    }

    private static @Nullable Moment moment(StateName state, Set<Moment> wanted) {
        if (state == StateName.RUNNING) {
            return wanted.contains(Moment.START) ? Moment.START : null;
        }
        if (FAILURES.contains(state) && wanted.contains(Moment.FAIL)) {
            return Moment.FAIL;
        }
        return wanted.contains(Moment.END) ? Moment.END : null;
    }

    private Notice notice(ToldEvent event, StateName state, Job job, Listener listener, Moment moment) {
        Instant at = event.at();
        SortedMap<StateName, Long> tasks =
                job.isArray() && moment != Moment.START ? queries.tasks(job.id()) : Collections.emptySortedMap();
        Content content = Content.of(job, moment, state, at, tasks, server);
        return new Notice(
                0,
                keys.get(),
                listener.uid,
                job.id(),
                event.attempt(),
                moment.word(),
                listener.receiver,
                content.json(),
                at,
                0,
                0);
    }
}
