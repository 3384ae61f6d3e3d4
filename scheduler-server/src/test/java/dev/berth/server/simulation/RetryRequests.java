package dev.berth.server.simulation;

import dev.berth.core.job.Retry;
import dev.berth.core.job.RetryCauses;
import dev.berth.core.job.RetryCauses.Kind;
import dev.berth.core.job.RetryDelay;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** The retries that users ask for, and the ends of programs that call for them; on most days none. */
final class RetryRequests {
    /** Those of so many days have retries that leave one of these. */
    private static final int DAYS = 13;

    private static final Set<Integer> WITH_RETRIES = Set.of(7, 10);

    private static final int MOST = 3;

    /** The highest exit code of a program that ends by itself. */
    private static final int MAX_CODE = 2;

    private static final int LONGEST_FIRST_DELAY_SECONDS = 3;

    private final SplittableRandom random;
    private final Tally tally;
    private final boolean areWanted;

    /** Those of a day. One without them is the same as if this were not here. */
    RetryRequests(long seed, Tally tally) {
        this.random = new SplittableRandom(seed ^ DAYS);
        this.tally = tally;
        this.areWanted = WITH_RETRIES.contains(Math.floorMod(seed, DAYS));
    }

    /** What a job asks for, which may be none. */
    Retry any() {
        if (!areWanted || random.nextInt(4) == 0) {
            return Retry.NONE;
        }
        boolean atEnd = random.nextBoolean();
        tally.count(atEnd ? "job submitted with retries at the end" : "job submitted with retries");
        return new Retry(1 + random.nextInt(MOST), causes(), delay(), atEnd);
    }

    /** On days with retries: true one time in so many. */
    boolean isOneIn(int times) {
        return areWanted && random.nextInt(times) == 0;
    }

    /** With what a program ends that nothing stands in the way of. */
    int exitCode() {
        return areWanted ? random.nextInt(MAX_CODE + 1) : 0;
    }

    private RetryCauses causes() {
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        for (Kind kind : Kind.values()) {
            if (random.nextBoolean()) {
                kinds.add(kind);
            }
        }
        SortedSet<Integer> codes = new TreeSet<>();
        if (kinds.isEmpty() || random.nextInt(3) == 0) {
            codes.add(1 + random.nextInt(MAX_CODE));
        }
        return new RetryCauses(kinds, codes);
    }

    private RetryDelay delay() {
        if (random.nextBoolean()) {
            return RetryDelay.NONE;
        }
        Duration first = Duration.ofSeconds(1 + random.nextInt(LONGEST_FIRST_DELAY_SECONDS));
        return new RetryDelay(first, first.multipliedBy(1 + random.nextInt(4)));
    }
}
