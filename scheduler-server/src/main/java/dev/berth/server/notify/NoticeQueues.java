package dev.berth.server.notify;

import dev.berth.server.loop.BusyException;
import dev.berth.server.notify.Receiver.Command;
import dev.berth.server.notify.Receiver.Mail;
import dev.berth.server.notify.Sent.Arrived;
import dev.berth.server.notify.Sent.Failed;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobWarning;
import dev.berth.server.store.Notice;
import dev.berth.server.store.NoticeEnd;
import dev.berth.server.store.NoticeEnd.Kind;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue for each receiver, which gets its notices one after the other, in order; the queues go side by side. Before a notice
 * is sent it is kept that it may be, and afterwards what became of it: a server that ends in between sends it again, with a
 * mark. Safe for any thread.
 */
final class NoticeQueues {
    private static final Logger LOG = LoggerFactory.getLogger(NoticeQueues.class);

    /** So many are sent between two commits. */
    private static final int BATCH = 16;

    /** A receiver that is away is tried again for a day. */
    static final Duration MAX_AGE = Duration.ofHours(24);

    static final int MAX_FAILURES = 120;

    /** The failures after which the job's user is warned. */
    private static final int WARN_AT = 3;

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(15);
    private static final Duration BUSY_PAUSE = Duration.ofSeconds(1);
    private static final int MAX_DOUBLINGS = 10;

    private final Parts parts;
    private final AttemptLimits requests;
    /** Mail all goes to one server, which may hang. */
    private final AttemptLimits mails;

    private final AttemptLimits commands;

    private final ConcurrentMap<Key, Queue> queues = new ConcurrentHashMap<>();

    /**
     * The parts that this is made of.
     *
     * @param writer keeps what is to outlast the server
     * @param database ends with the server
     * @param mailRate how much mail goes out for a user; what is more waits
     * @param tasks where it is done
     */
    record Parts(
            JobQueries queries,
            Outbox writer,
            DatabaseUse database,
            Senders senders,
            UserRate mailRate,
            Tasks tasks,
            Clocks clock) {}

    /** Keeps what is to outlast the server; both return once it does. */
    interface Outbox {
        void begin(List<Notice> notices) throws InterruptedException;

        void end(List<NoticeEnd> ends) throws InterruptedException;
    }

    NoticeQueues(Parts parts) {
        this.parts = parts;
        this.requests = new AttemptLimits(parts.tasks, 128, 16);
        this.mails = new AttemptLimits(parts.tasks, 4, 2);
        this.commands = new AttemptLimits(parts.tasks, 8, 2);
    }

    /** The receiver is a secret. */
    private record Key(long uid, String receiver) {
        @Override
        public String toString() {
            return "a receiver of user " + uid;
        }
    }

    /** Goes on with what an earlier server left. */
    void resume() {
        parts.queries.eachReceiver(this::tell);
    }

    /** Says that notices wait for a receiver. */
    void tell(long uid, String receiver) {
        queues.compute(new Key(uid, receiver), (key, known) -> {
            Queue queue = known == null ? new Queue(key) : known;
            queue.wake();
            return queue;
        });
    }

    /** One receiver's. All but {@link #wake} belongs to the task that works on it, of which there is one at a time. */
    private final class Queue {
        private final Key key;
        private final AtomicInteger told = new AtomicInteger();
        private int failures;
        /** Whether it failed in the last batch, so that it is left alone for a while. */
        private boolean isFailing;

        /** How long it is until its user may have another mail sent; zero where they may. */
        private Duration untilMail = Duration.ZERO;

        /** What became of a batch, until it is kept. */
        private List<NoticeEnd> unwritten = List.of();

        private String lastSentence = "";
        private Duration asked = Duration.ZERO;

        Queue(Key key) {
            this.key = key;
        }

        void wake() {
            if (told.getAndIncrement() == 0) {
                goOn();
            }
        }

        /** Takes its turn, behind others that wait: also after each batch, so that nobody is kept waiting by who has much. */
        private void goOn() {
            limits().run(key.uid, failures > 0, this::work);
        }

        private void work() {
            int seen = told.get();
            try {
                boolean isMore = send();
                if (isFailing) {
                    parts.tasks.runAfter(pause(), this::goOn);
                } else if (!untilMail.isZero()) {
                    parts.tasks.runAfter(untilMail, this::goOn);
                } else if (isMore || !isDone(seen)) {
                    goOn();
                }
            } catch (BusyException e) {
                if (!e.isStopping()) {
                    parts.tasks.runAfter(BUSY_PAUSE, this::goOn);
                }
            } catch (DatabaseUse.ClosedException e) {
                LOG.debug("{}: {}", key, e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Ends the queue where nobody has told of more meanwhile. */
        private boolean isDone(int seen) {
            return queues.computeIfPresent(key, (_, queue) -> told.compareAndSet(seen, 0) ? null : queue) == null;
        }

        /** Sends a batch of what waits; false where nothing does. What has arrived is not sent again for want of a commit. */
        private boolean send() throws InterruptedException {
            if (unwritten.isEmpty()) {
                unwritten = ends(parts.database.of(this::begun));
            }
            if (unwritten.isEmpty()) {
                return false;
            }
            List<NoticeEnd> ends = unwritten;
            unwritten = parts.database.of(() -> {
                parts.writer.end(ends);
                return List.of();
            });
            return true;
        }

        private List<Notice> begun() throws InterruptedException {
            List<Notice> batch = parts.queries.notices(key.uid, key.receiver, BATCH);
            if (!batch.isEmpty()) {
                parts.writer.begin(batch);
            }
            return batch;
        }

        private AttemptLimits limits() {
            if (key.receiver.startsWith(Command.WORD)) {
                return commands;
            }
            return key.receiver.startsWith(Mail.WORD) ? mails : requests;
        }

        private List<NoticeEnd> ends(List<Notice> batch) {
            List<NoticeEnd> ends = new ArrayList<>();
            isFailing = false;
            untilMail = Duration.ZERO;
            for (Notice notice : batch) {
                ends.add(isFailing || isToWait() ? end(notice, Kind.NOT_BEGUN, null, null) : sent(notice));
            }
            return ends;
        }

        /** Whether the user has had as much mail as they may for now. The administrator's own is not counted. */
        private boolean isToWait() {
            if (untilMail.isZero() && key.receiver.startsWith(Mail.WORD) && key.uid != Notice.SERVER) {
                untilMail = parts.mailRate.take(key.uid).orElse(Duration.ZERO);
            }
            return !untilMail.isZero();
        }

        private NoticeEnd sent(Notice notice) {
            Instant now = parts.clock.cautious();
            // Where the server was away for so long, the receiver is still to be tried once.
            boolean isTooOld = Duration.between(notice.madeAt(), now).compareTo(MAX_AGE) > 0;
            if (isTooOld && failures > 0) {
                return givenUp(notice, lastSentence);
            }
            Receiver receiver;
            try {
                receiver = Receiver.parse(key.receiver);
            } catch (IllegalArgumentException e) {
                return givenUp(notice, "this version of Berth does not know what it is");
            }
            boolean isRepeated = notice.sendings() > 0;
            return switch (parts.senders.send(
                    receiver, key.uid, notice.key(), Content.parse(notice.content()), isRepeated)) {
                case Arrived _ -> {
                    failures = 0;
                    yield end(notice, Kind.ARRIVED, null, notice.failures() < WARN_AT ? null : over(notice));
                }
                case Failed failed -> failed(notice, failed);
            };
        }

        private NoticeEnd failed(Notice notice, Failed failed) {
            lastSentence = failed.sentence();
            if (failed.isFinal()) {
                return givenUp(notice, failed.sentence());
            }
            isFailing = true;
            failures++;
            asked = failed.pause();
            int times = notice.failures() + 1;
            if (times >= MAX_FAILURES) {
                return givenUp(notice, failed.sentence());
            }
            String sentence = JobWarning.NAMES_RECEIVER + notice.moment() + " has not arrived at " + shown() + " yet: "
                    + failed.sentence() + "; it is tried again for a day";
            return end(
                    notice, Kind.FAILED, failed.sentence(), times == WARN_AT ? warning(notice, sentence, null) : null);
        }

        private NoticeEnd givenUp(Notice notice, String why) {
            String sentence =
                    JobWarning.NAMES_RECEIVER + notice.moment() + " did not arrive at " + shown() + ": " + why;
            return end(notice, Kind.GIVEN_UP, why, warning(notice, sentence, null));
        }

        private JobWarning over(Notice notice) {
            String sentence = JobWarning.NAMES_RECEIVER + notice.moment() + " has arrived at " + shown();
            return warning(notice, sentence, parts.clock.instant());
        }

        private JobWarning warning(Notice notice, String sentence, @Nullable Instant endedAt) {
            return new JobWarning(
                    notice.job(),
                    notice.attempt(),
                    JobWarning.NOTICE_FAILED,
                    notice.moment() + " " + notice.id(),
                    sentence,
                    parts.clock.instant(),
                    endedAt);
        }

        /** Where the administrator has notices sent is no matter of a job's user. */
        private String shown() {
            return key.uid == Notice.SERVER ? "a receiver of the server's" : Receiver.shown(key.receiver);
        }

        private NoticeEnd end(Notice notice, Kind kind, @Nullable String sentence, @Nullable JobWarning warning) {
            return new NoticeEnd(notice, kind, parts.clock.instant(), sentence, warning);
        }

        private Duration pause() {
            Duration own = FIRST_PAUSE.multipliedBy(1L << Math.min(failures - 1, MAX_DOUBLINGS));
            Duration bounded = own.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : own;
            return asked.compareTo(bounded) > 0 ? asked : bounded;
        }
    }
}
