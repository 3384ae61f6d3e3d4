package dev.berth.server.simulation;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Tasks;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;

/** What users have their jobs wait for; on some days nothing. */
final class Orders {
    private static final List<DependencyKind> KINDS =
            List.of(DependencyKind.AFTER_OK, DependencyKind.AFTER_ANY, DependencyKind.AFTER_NOT_OK);
    private static final int DAYS = 3;
    private static final int LONGEST_SECONDS = 40;

    private final SplittableRandom random;
    private final SplittableRandom pairs;
    private final Tally tally;
    private final InstantSource dates;
    private final boolean isWanted;

    /** Those of a day. One on which jobs wait for nothing is the same as if this were not here. */
    Orders(long seed, Tally tally, InstantSource dates) {
        this.random = new SplittableRandom(-seed);
        this.pairs = new SplittableRandom(~seed);
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

    /**
     * An array whose tasks wait for those of one of these, each for that of its index; any job or array as it is else.
     *
     * @param arrays those of the user
     */
    JobSpec pairedWith(List<JobId> arrays, Function<JobId, Tasks> tasksOf, JobSpec spec) {
        if (!isWanted || arrays.isEmpty() || pairs.nextInt(3) > 0) {
            return spec;
        }
        int back = Math.min(arrays.size(), 1 + pairs.nextInt(3));
        JobId other = arrays.get(arrays.size() - back);
        List<Dependency> dependencies = new ArrayList<>();
        dependencies.add(new Dependency(DependencyKind.AFTER_CORR, other));
        dependencies.addAll(spec.prerequisites().dependencies());
        tally.count("array whose tasks wait for another's");
        return new JobSpec(
                spec.label(),
                spec.place(),
                spec.resources(),
                spec.limits(),
                new Prerequisites(spec.prerequisites().begin(), dependencies, false),
                new Tasks(tasksOf.apply(other).all(), pairs.nextInt(3)),
                spec.requeue(),
                spec.retry(),
                spec.notifications(),
                null);
    }

    /** What is to hold of a task of an array, which waits for that of its place where its array waits for another's tasks. */
    static JobSpec ofTask(JobSpec array, long place) {
        Prerequisites asked = array.prerequisites();
        List<Dependency> dependencies = asked.dependencies().stream()
                .map(dependency -> dependency.kind() == DependencyKind.AFTER_CORR
                        ? new Dependency(
                                DependencyKind.AFTER_OK,
                                new JobId(dependency.job().value() + place))
                        : dependency)
                .toList();
        return array.waitingFor(new Prerequisites(asked.begin(), dependencies, asked.keepWaiting()));
    }

    /** A date that comes soon. */
    Prerequisites date() {
        tally.count("job that waits for a date");
        Instant begin = dates.instant().plusMillis(random.nextInt(LONGEST_SECONDS * 1_000));
        return new Prerequisites(begin, List.of(), false);
    }
}
