package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Packing;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.ImageVanished;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.Recovery.Happening;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Containers that run one program, or the tasks of a pack as their script does, and files that tell of those. It knows what was
 * begun and fails where something is begun twice.
 */
final class PackEngine {
    private static final int KILLED = 137;
    private static final int TERMED = 143;

    private enum Phase {
        CREATED,
        ALIVE,
        EXITED,
        GONE
    }

    /** One container, and the files of its tasks. */
    private static final class Container {
        final Job job;
        final List<GpuId> gpus;
        final List<JobId> tasks;
        final Set<JobId> begun = new TreeSet<>();
        final Set<JobId> stops = new TreeSet<>();

        /** The exit codes of those that have ended; -1 for one that was not begun. */
        final SortedMap<JobId, Integer> ended = new TreeMap<>();

        final Set<JobId> told = new TreeSet<>();
        Phase phase = Phase.CREATED;
        Condition condition = new Condition.Created();
        boolean isStopped;

        Container(Job job, List<GpuId> gpus, List<JobId> tasks) {
            this.job = job;
            this.gpus = gpus;
            this.tasks = tasks;
        }

        Set<JobId> running() {
            Set<JobId> running = new TreeSet<>(phase == Phase.ALIVE ? begun : Set.of());
            running.removeAll(ended.keySet());
            return running;
        }

        int parallel() {
            Packing packing = job.isPack()
                    ? Objects.requireNonNull(
                            Objects.requireNonNull(job.spec().tasks()).packing())
                    : new Packing(1, 1);
            return packing.parallel();
        }
    }

    private final SplittableRandom random;
    private final SortedMap<Attempt, Container> containers = new TreeMap<>();
    private final Set<Attempt> begun = new TreeSet<>();
    private final List<Happening> news = new ArrayList<>();

    PackEngine(SplittableRandom random) {
        this.random = random;
    }

    boolean isIdle() {
        return news.isEmpty() && containers.values().stream().noneMatch(box -> box.phase == Phase.ALIVE);
    }

    /** The programs that run now, by their jobs. */
    List<JobId> running() {
        return containers.values().stream()
                .flatMap(box -> box.running().stream())
                .toList();
    }

    int starts() {
        return begun.size();
    }

    void create(Job job, List<GpuId> gpus, List<JobId> tasks, boolean faults) {
        Attempt attempt = Attempt.of(job);
        int fault = faults ? random.nextInt(20) : -1;
        if (fault == 0) {
            news.add(new Happening(job.id(), new ImageVanished(attempt.number())));
        } else if (fault == 1) {
            news.add(new Happening(job.id(), new LaunchRefused(attempt.number(), "no such device")));
        } else {
            containers.put(attempt, new Container(job, gpus, tasks));
            news.add(new Happening(job.id(), new RunCreated(attempt.number(), TestJobs.ENGINE)));
        }
    }

    void start(Attempt attempt, Instant now) {
        Container box = containers.get(attempt);
        if (box == null) {
            news.add(new Happening(attempt.job(), new RunGone(attempt.number())));
            return;
        }
        if (box.phase == Phase.CREATED) {
            box.phase = Phase.ALIVE;
            box.condition = new Condition.Alive(now);
            if (!box.job.isPack()) {
                begin(box, attempt.job());
            }
        }
        news.add(new Happening(attempt.job(), new RunStarted(attempt.number(), now)));
    }

    void stop(Attempt attempt) {
        Container box = containers.get(attempt);
        if (box != null && box.phase == Phase.ALIVE) {
            box.isStopped = true;
        } else if (box == null || box.phase == Phase.CREATED) {
            containers.remove(attempt);
            news.add(new Happening(attempt.job(), new RunGone(attempt.number())));
        }
    }

    void stop(Attempt pack, JobId task) {
        Container box = containers.get(pack);
        if (box != null && box.tasks.contains(task)) {
            box.stops.add(task);
        }
    }

    /** The rest of what the files tell. */
    List<Happening> read(Attempt pack, Instant now) {
        Container box = containers.get(pack);
        assertThat(box == null || box.phase != Phase.ALIVE)
                .as("the reading of %s", pack)
                .isTrue();
        return box == null ? List.of() : told(box, now);
    }

    /** Nothing is left of the attempt then. */
    void release(Attempt attempt) {
        Container box = containers.remove(attempt);
        assertThat(box == null || box.phase != Phase.ALIVE)
                .as("the release of %s", attempt)
                .isTrue();
    }

    boolean isThere(Attempt attempt) {
        return containers.containsKey(attempt);
    }

    private List<Happening> told(Container box, Instant now) {
        List<Happening> told = new ArrayList<>();
        for (JobId task : box.job.isPack() ? box.tasks : List.<JobId>of()) {
            Integer code = box.ended.get(task);
            if (box.begun.contains(task)) {
                told.add(new Happening(task, new RunStarted(1, now)));
            }
            if (code != null && box.told.add(task)) {
                told.add(new Happening(task, code < 0 ? new RunGone(1) : new RunExited(1, code, false, now, now)));
            }
        }
        return told;
    }

    /** Something happens in a container, or a piece of news comes through. */
    List<Happening> act(Instant now, boolean faults) {
        List<Attempt> alive = containers.entrySet().stream()
                .filter(entry -> entry.getValue().phase == Phase.ALIVE)
                .map(Map.Entry::getKey)
                .toList();
        int choice = random.nextInt(Math.max(1, news.size() + alive.size()));
        if (choice < news.size()) {
            return List.of(faults && random.nextInt(8) == 0 ? news.get(choice) : news.remove(choice));
        }
        if (alive.isEmpty()) {
            return List.of();
        }
        Attempt attempt = alive.get(choice - news.size());
        Container box = Objects.requireNonNull(containers.get(attempt));
        if (random.nextInt(4) == 0) {
            return told(box, now);
        }
        advance(attempt, box, now, faults);
        return List.of();
    }

    private void advance(Attempt attempt, Container box, Instant now, boolean faults) {
        int fault = faults ? random.nextInt(40) : -1;
        List<JobId> running = List.copyOf(box.running());
        List<JobId> next = box.tasks.stream()
                .filter(task -> !box.begun.contains(task) && !box.ended.containsKey(task))
                .toList();
        if (fault == 0) {
            box.phase = Phase.GONE;
            box.condition = new Condition.FilesLeft();
            news.add(new Happening(attempt.job(), new RunGone(attempt.number())));
        } else if (fault < 4 && fault > 0) {
            boolean byEngine = fault == 1;
            exit(attempt, box, new Condition.Exited(KILLED, fault == 2, null, now, byEngine));
        } else if (box.isStopped) {
            exit(attempt, box, new Condition.Exited(TERMED, false, null, now));
        } else if (!next.isEmpty() && box.job.isPack() && box.stops.contains(next.getFirst())) {
            box.ended.put(next.getFirst(), -1);
        } else if (!next.isEmpty() && box.job.isPack() && running.size() < box.parallel()) {
            begin(box, next.getFirst());
        } else if (!running.isEmpty()) {
            JobId one = running.get(random.nextInt(running.size()));
            int code = box.stops.contains(one) ? TERMED : faults ? random.nextInt(3) : 0;
            box.ended.put(one, code);
            if (!box.job.isPack()) {
                exit(attempt, box, new Condition.Exited(code, false, null, now));
            }
        } else {
            exit(attempt, box, new Condition.Exited(0, false, null, now));
        }
    }

    private void begin(Container box, JobId task) {
        box.begun.add(task);
        int number = box.job.isPack() ? 1 : box.job.state().attempt();
        assertThat(begun.add(new Attempt(task, number)))
                .as("attempt %s of job %s begins once", number, task)
                .isTrue();
    }

    private void exit(Attempt attempt, Container box, Condition.Exited end) {
        box.phase = Phase.EXITED;
        box.condition = end;
        news.add(new Happening(attempt.job(), end.of(attempt.number())));
    }

    /** The server is gone, and with it what was on its way to it. */
    void serverDied() {
        news.clear();
        for (Container box : containers.values()) {
            box.told.clear();
            box.isStopped = false;
        }
    }

    void machineDied(Instant now) {
        for (Container box : containers.values()) {
            if (box.phase == Phase.ALIVE) {
                box.phase = Phase.EXITED;
                box.condition = new Condition.Exited(255, false, null, now, true);
            }
        }
    }

    List<Found> found() {
        return containers.entrySet().stream()
                .map(entry -> new Found(
                        RunnerKind.CONTAINER, entry.getKey(), entry.getValue().condition, entry.getValue().gpus))
                .toList();
    }
}
