package dev.berth.server.simulation;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Prerequisites;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What users have their jobs wait for; on some days nothing. */
final class Orders {
    private static final List<DependencyKind> KINDS = List.of(DependencyKind.values());
    private static final int DAYS = 3;
    private static final int LONGEST_SECONDS = 40;

    private final SplittableRandom random;
    private final Tally tally;
    private final InstantSource dates;
    private final boolean isWanted;

    /** Those of a day. One on which jobs wait for nothing is the same as if this were not here. */
    Orders(long seed, Tally tally, InstantSource dates) {
        this.random = new SplittableRandom(-seed);
        this.tally = tally;
        this.dates = dates;
        this.isWanted = Math.floorMod(seed, DAYS) == 1;
    }

    boolean areWanted() {
        return isWanted;
    }

    /** On days on which jobs wait for others: true one time in two. */
    boolean isOneInTwo() {
        return isWanted && random.nextBoolean();
    }

    /** What a job waits for, of the user's own ones. */
    Prerequisites any(List<JobId> own) {
        if (!isWanted || random.nextInt(2) == 0) {
            return Prerequisites.NONE;
        }
        List<Dependency> dependencies = new ArrayList<>();
        for (int count = own.isEmpty() ? 0 : random.nextInt(3); count > 0; count--) {
            DependencyKind kind = KINDS.get(random.nextInt(KINDS.size()));
            // The newest have most often not ended.
            int back = Math.min(own.size(), 1 + random.nextInt(8));
            dependencies.add(new Dependency(kind, own.get(own.size() - back)));
        }
        if (!dependencies.isEmpty()) {
            tally.count("job that waits for others");
        }
        boolean keepWaiting = !dependencies.isEmpty() && random.nextInt(8) == 0;
        return new Prerequisites(random.nextInt(4) == 0 ? date().begin() : null, dependencies, keepWaiting);
    }

    /** A date that comes soon. */
    Prerequisites date() {
        tally.count("job that waits for a date");
        Instant begin = dates.instant().plusMillis(random.nextInt(LONGEST_SECONDS * 1_000));
        return new Prerequisites(begin, List.of(), false);
    }
}
