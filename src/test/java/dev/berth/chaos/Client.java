package dev.berth.chaos;

import dev.berth.chaos.Wish.Steering;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.Ran;
import dev.berth.testclient.Answer;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Somebody who submits jobs, one after the other, and notes what is acknowledged. */
final class Client implements Runnable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration PAUSE = Duration.ofMillis(300);
    private static final int DEPTH = 10;
    private static final int LONGEST_PAUSE_MILLIS = 1_200;
    private static final int BERTH_FAILED = 125;

    private final Site site;
    private final Ledger ledger;
    private final AtomicInteger numbers;
    private final String snapshot;
    private final SplittableRandom random;
    private volatile boolean closing;

    /**
     * A client.
     *
     * @param numbers the last number that any client used
     * @param snapshot the project, which the server has already
     */
    Client(Site site, Ledger ledger, AtomicInteger numbers, String snapshot, SplittableRandom random) {
        this.site = site;
        this.ledger = ledger;
        this.numbers = numbers;
        this.snapshot = snapshot;
        this.random = random;
    }

    /** No more jobs after the one at hand. */
    void close() {
        closing = true;
    }

    @Override
    public void run() {
        while (!closing) {
            if (isDeep()) {
                Await.pass(PAUSE);
                continue;
            }
            Wish wish = Wish.of(numbers.incrementAndGet(), random);
            Optional<String> dependency = ledger.add(wish).dependency();
            Asked asked = new Asked(wish, dependency, site.records() + ":/records");
            OptionalLong job = wish.typed() ? type(asked) : post(asked);
            job.ifPresent(id -> {
                ledger.change(wish, entry -> entry.acknowledged(id));
                steer(wish, id);
            });
            Await.pass(Duration.ofMillis(random.nextInt(LONGEST_PAUSE_MILLIS)));
        }
    }

    /** Whether enough jobs wait or run; not where nobody can tell. */
    private boolean isDeep() {
        return answered(() -> site.clientApi().get("/jobs?limit=" + DEPTH))
                .map(answer ->
                        answer.status() == 200 && answer.json().path("jobs").size() >= DEPTH)
                .orElse(false);
    }

    private static Optional<Answer> answered(Supplier<Answer> ask) {
        try {
            return Optional.of(ask.get());
        } catch (UncheckedIOException _) {
            return Optional.empty();
        }
    }

    private OptionalLong type(Asked asked) {
        Ran ran = site.command(
                        "submit", "--json", "scheduler", site.project().path().toString())
                .and(asked.words().toArray(String[]::new))
                .run();
        if (ran.exitCode() == 0) {
            return OptionalLong.of(ran.json().path("id").asLong());
        }
        if (ran.exitCode() != BERTH_FAILED) {
            ledger.complain("a submit was refused: " + ran);
        }
        return OptionalLong.empty();
    }

    /** Asks until there is an answer, always under the same key. */
    private OptionalLong post(Asked asked) {
        String body = JsonReading.text(asked.request(snapshot));
        Map<String, String> key =
                Map.of("Idempotency-Key", "key-of-" + asked.wish().name());
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            Optional<Answer> answer = answered(() -> site.clientApi().post("/jobs", body, key));
            int status = answer.map(Answer::status).orElse(0);
            if (status == 201 || status == 200) {
                return OptionalLong.of(answer.orElseThrow().json().path("id").asLong());
            }
            if (status >= 400 && status < 500 && status != 429) {
                ledger.complain("a submit was refused: " + answer.orElseThrow());
                return OptionalLong.empty();
            }
            Await.pass(PAUSE);
        }
        ledger.complain("a submit had no answer for " + PATIENCE.toSeconds() + " s: " + asked.wish());
        return OptionalLong.empty();
    }

    private void steer(Wish wish, long id) {
        String job = Long.toString(id);
        if (wish.followed()) {
            String followed = wish.followed(id);
            ledger.follow(
                    new Followed(followed, site.command("logs", "-f", followed).start()));
        }
        if (wish.steering() == Steering.CANCELLED) {
            Await.pass(Duration.ofMillis(random.nextInt(3 * LONGEST_PAUSE_MILLIS)));
            ledger.change(wish, Ledger.Entry::withCancelTried);
            if (site.command("cancel", job).run().exitCode() == 0) {
                ledger.change(wish, Ledger.Entry::withCancelled);
            }
        } else if (wish.steering() == Steering.HELD) {
            int held = site.command("hold", job).run().exitCode();
            Await.pass(Duration.ofMillis(random.nextInt(3 * LONGEST_PAUSE_MILLIS)));
            int released = site.command("release", job).run().exitCode();
            // One that waits for another may have ended by it meanwhile.
            if (held == 0 && released == 1 && wish.after().isEmpty()) {
                ledger.complain("job " + job + " was held, and could not be released");
            }
        }
    }
}
