package dev.berth.server.notify;

import dev.berth.core.job.Notification;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.log.Signal;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobStore;
import dev.berth.server.store.JobWarning;
import dev.berth.server.store.Notice;
import dev.berth.server.store.NoticeEnd;
import dev.berth.server.time.Clocks;
import dev.berth.server.time.TimedWait;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Tasks;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The notices of a server, from what happens to jobs until they have arrived. Safe for any thread. */
public final class Notifications {
    private static final Logger LOG = LoggerFactory.getLogger(Notifications.class);

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** What happens within this time is read together: under load events are looked for ten times a second, and not at each. */
    private static final Duration TOGETHER = Duration.ofMillis(100);

    private static final int KEY_BYTES = 16;

    /** So much mail goes out for a user in an hour; what is more waits. */
    private static final int MAILS_AN_HOUR = 100;

    private static final int TESTS_A_MINUTE = 10;

    private final Parts parts;
    private final Senders senders;
    private final UserRate mailRate;
    private final UserRate testRate;
    private final AttemptLimits tests;
    private final AttemptLimits commandTests;
    private final SecureRandom random = new SecureRandom();
    private final DatabaseUse database = new DatabaseUse();

    /**
     * The parts that this is made of.
     *
     * @param rules of the administrator
     * @param ofServer who is told of everybody's jobs
     * @param server what the server is called
     */
    public record Parts(
            Scheduling scheduling,
            JobQueries queries,
            NotifyRules rules,
            List<Notification> ofServer,
            String server,
            BackgroundWork background,
            Clocks clock) {}

    public NotifyRules rules() {
        return parts.rules();
    }

    /** Makes notices that are sent once they are {@linkplain #start started}. */
    public Notifications(Parts parts) {
        this(parts, parts.rules().senders(parts.background()));
    }

    Notifications(Parts parts, Senders senders) {
        this.parts = parts;
        this.senders = senders;
        this.mailRate =
                new UserRate(MAILS_AN_HOUR, Duration.ofHours(1), parts.clock().steady());
        this.testRate = new UserRate(
                TESTS_A_MINUTE, Duration.ofMinutes(1), parts.clock().steady());
        Tasks tasks = parts.background().tasks("tests of receivers");
        this.tests = new AttemptLimits(tasks, 16, 2);
        this.commandTests = new AttemptLimits(tasks, 2, 2);
    }

    /**
     * Begins, where the last server ended; to be called when the loop runs. Where nobody is to be told of anything, what waits and
     * what happens meanwhile stays as it is.
     */
    public void start() {
        if (!parts.rules().isOn()) {
            return;
        }
        NoticeQueues queues = new NoticeQueues(new NoticeQueues.Parts(
                parts.queries(),
                new Writer(),
                database,
                senders,
                mailRate,
                parts.background().tasks("sending of notices"),
                parts.clock()));
        Thread _ = Thread.ofVirtual()
                .name("notices")
                .start(() -> parts.background().untilDone("making of notices", () -> make(queues)));
    }

    private void make(NoticeQueues queues) throws InterruptedException {
        try {
            read(queues);
        } catch (DatabaseUse.ClosedException e) {
            LOG.debug("no more notices: {}", e.getMessage());
        }
    }

    private void read(NoticeQueues queues) throws InterruptedException {
        Signal changes = parts.scheduling().changes();
        NoticeReader reader = database.of(() -> {
            queues.resume();
            return new NoticeReader(
                    parts.queries(),
                    (notices, warnings, upTo) -> keep(queues, notices, warnings, upTo),
                    parts.ofServer(),
                    parts.server(),
                    this::key);
        });
        while (true) {
            long seen = changes.count();
            if (!database.of(reader::read)) {
                changes.awaitBeyond(seen, PATIENCE);
                TimedWait.of(TOGETHER);
            }
        }
    }

    private void keep(NoticeQueues queues, List<Notice> notices, List<JobWarning> warnings, long upTo)
            throws InterruptedException {
        write(store -> store.keepNotices(notices, warnings, upTo));
        notices.forEach(notice -> queues.tell(notice.uid(), notice.receiver()));
    }

    private String key() {
        byte[] key = new byte[KEY_BYTES];
        random.nextBytes(key);
        return HexFormat.of().formatHex(key);
    }

    /** A user has tried out too many receivers. */
    public static final class TooManyTestsException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final Duration again;

        TooManyTestsException(String message, Duration again) {
            super(message);
            this.again = again;
        }

        /** How long it is until they may try another one. */
        public Duration again() {
            return again;
        }
    }

    /**
     * Sends a receiver something at once, by no queue, and says what became of it.
     *
     * @throws TooManyTestsException where the user has tried out as much as they may for now
     */
    public Sent test(Submitter who, Notification wish) throws InterruptedException {
        Content content = Content.test(who.name(), parts.clock().instant(), parts.server());
        Receiver receiver = Receiver.parse(wish.receiver());
        require(testRate, who, TESTS_A_MINUTE + " tests of receivers a minute");
        if (receiver instanceof Receiver.Mail) {
            require(mailRate, who, MAILS_AN_HOUR + " mails an hour, notices among them");
        }
        AttemptLimits limits = receiver instanceof Receiver.Command ? commandTests : tests;
        FutureTask<Sent> sent = new FutureTask<>(() -> senders.send(receiver, who.uid(), key(), content, false));
        limits.run(who.uid(), false, sent);
        try {
            return sent.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a receiver could not be tested", e);
        }
    }

    private static void require(UserRate rate, Submitter who, String most) {
        rate.take(who.uid()).ifPresent(again -> {
            long seconds = again.plusMillis(999).toSeconds();
            throw new TooManyTestsException(
                    "you may have " + most + "; try again in " + seconds + (seconds == 1 ? " second" : " seconds"),
                    again);
        });
    }

    /** Keeps no more, while the loop still runs. What is being sent ends with the process, and is sent again. */
    public void close() throws InterruptedException {
        database.close();
        senders.close();
    }

    private void write(Consumer<JobStore> work) throws InterruptedException {
        try {
            Reply _ = parts.scheduling().write(work).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("notices were not kept", e);
        }
    }

    private final class Writer implements NoticeQueues.Outbox {
        @Override
        public void begin(List<Notice> notices) throws InterruptedException {
            write(store -> store.beginNotices(notices));
        }

        @Override
        public void end(List<NoticeEnd> ends) throws InterruptedException {
            write(store -> store.endNotices(ends));
        }
    }
}
