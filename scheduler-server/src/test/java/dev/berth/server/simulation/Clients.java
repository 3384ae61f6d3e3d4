package dev.berth.server.simulation;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Label;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Program;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Retry;
import dev.berth.core.job.Signal;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.job.Submitter;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.Step.Reply;
import dev.berth.server.ServerAssembly;
import dev.berth.server.example.Jobs;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.loop.BusyException;
import dev.berth.server.loop.Room;
import dev.berth.server.loop.Scheduling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Those who ask, and what they were told, kept outside the server's reach. */
final class Clients {
    private static final List<Submitter> USERS = List.of(Jobs.ADA, Jobs.BOB);

    /** One cancel in so many is tried by another user. */
    private static final int STRANGERS = 8;

    private static final String[] IMAGES = {"here", "here", "here", "here", "far", "far", "nowhere"};
    private static final PullPolicy[] PULLS = {
        PullPolicy.MISSING,
        PullPolicy.MISSING,
        PullPolicy.MISSING,
        PullPolicy.MISSING,
        PullPolicy.ALWAYS,
        PullPolicy.NEVER
    };

    /** What a user asked for, under a key that the other may have taken as well. */
    private record Submit(Submitter user, SubmitKey key, JobSpec spec) {}

    private record Asked(int submit, CompletableFuture<Reply> answer) {}

    /** What users want of their jobs on some days. */
    record Wishes(Orders orders, ArrayRequests arrays, RetryRequests retries) {}

    private final SplittableRandom random;
    private final Orders orders;
    private final ArrayRequests arrays;
    private final RetryRequests retries;
    private final Tally tally;
    private final Trace trace;
    private final String snapshot;
    private final Predicate<JobId> used;

    /** All that were ever accepted, also by a store that an older one took the place of. */
    private final Set<JobId> accepted = new HashSet<>();

    private final List<Submit> submits = new ArrayList<>();
    private final List<Asked> waiting = new ArrayList<>();
    private final Map<Integer, Long> jobs = new LinkedHashMap<>();
    private final Map<Long, JobSpec> acknowledged = new LinkedHashMap<>();

    /** The number of tasks of each array of those; no two arrays share a number. */
    private final NavigableMap<Long, Integer> arraySizes = new TreeMap<>();

    private final Map<JobId, Submitter> owners = new HashMap<>();
    private final Set<Long> unwanted = new HashSet<>();
    private boolean allUnwanted;

    /**
     * Nobody has asked for anything.
     *
     * @param used whether something is there of a job that the books have forgotten
     */
    Clients(String snapshot, SplittableRandom random, Wishes wishes, Tally tally, Trace trace, Predicate<JobId> used) {
        this.orders = wishes.orders();
        this.arrays = wishes.arrays();
        this.retries = wishes.retries();
        this.used = used;
        this.snapshot = snapshot;
        this.random = random;
        this.tally = tally;
        this.trace = trace;
    }

    Submitter anybody() {
        return USERS.get(random.nextInt(USERS.size()));
    }

    /** A job waits that an older Berth acknowledged. */
    void own(long job, JobSpec spec) {
        accepted.add(new JobId(job));
        acknowledge(job, spec);
        owners.put(new JobId(job), Jobs.ADA);
    }

    /**
     * Those of which one may be held or released; on days on which jobs wait for others, most often such a one, and on days
     * with arrays an array.
     */
    List<JobId> toSetAside(Predicate<JobId> isDeferred) {
        List<JobId> known = known();
        List<JobId> deferred =
                orders.isOneInTwo() ? known.stream().filter(isDeferred).toList() : List.of();
        List<JobId> asked = deferred.isEmpty() ? known : deferred;
        List<JobId> wide = arrays.isOneIn(2)
                ? asked.stream()
                        .filter(job -> size(acknowledged.get(job.value())) > 0)
                        .toList()
                : List.of();
        return wide.isEmpty() ? asked : wide;
    }

    /** The user who submitted an acknowledged job; null for one that nobody was told of. */
    @Nullable
    Submitter ownerOf(JobId job) {
        return owners.get(arrayOfTurn(job).orElse(job));
    }

    /** The array that a number is one of the tasks of; empty where it is that of a job, or of an array. */
    Optional<JobId> arrayOf(JobId task) {
        Map.Entry<Long, Integer> before = arraySizes.lowerEntry(task.value());
        return before == null || task.value() > before.getKey() + before.getValue()
                ? Optional.empty()
                : Optional.of(new JobId(before.getKey()));
    }

    /** The array that a number is one of the tasks or packs of. */
    Optional<JobId> arrayOfTurn(JobId id) {
        return arrayOf(id)
                .or(() -> acknowledged.entrySet().stream()
                        .filter(entry -> {
                            long behind = id.value() - entry.getKey() - size(entry.getValue());
                            return behind > 0 && behind <= packs(entry.getValue());
                        })
                        .map(entry -> new JobId(entry.getKey()))
                        .findFirst());
    }

    /** The pack that a task of an array is in, where its array has any. */
    Optional<JobId> packOf(JobId task) {
        return arrayOf(task).flatMap(array -> {
            Tasks tasks = tasksOf(array);
            long position = task.value() - array.value() - 1;
            return Optional.ofNullable(tasks.packing())
                    .map(packing -> new JobId(array.value() + 1 + tasks.all().size() + position / packing.size()));
        });
    }

    /** The number of packs of an array, 0 of one whose tasks have containers of their own. */
    private static int packs(JobSpec spec) {
        return spec.tasks() == null || spec.tasks().packing() == null
                ? 0
                : Math.ceilDiv(size(spec), spec.tasks().packing().size());
    }

    /** The number of tasks of an array, 0 of another job. */
    private static int size(JobSpec spec) {
        return spec.tasks() == null ? 0 : spec.tasks().all().size();
    }

    /** The number by which people know a job: that of a task tells which of its array it is. */
    private String number(JobId job) {
        return arrayOf(job).map(array -> array + "_" + index(array, job)).orElse(job.toString());
    }

    private int index(JobId array, JobId task) {
        return tasksOf(array).all().at(Math.toIntExact(task.value() - array.value() - 1));
    }

    boolean areArraysKnown() {
        return !arraySizes.isEmpty();
    }

    /** The tasks of all arrays, whether or not they had their turn. */
    List<JobId> knownTasks() {
        return withTasks().keySet().stream()
                .map(JobId::new)
                .filter(job -> arrayOf(job).isPresent())
                .toList();
    }

    /** The job itself, or now and then one of its tasks, or the array that it is a task of. */
    JobId steered(JobId job) {
        int tasks = acknowledged.containsKey(job.value()) ? size(acknowledged.get(job.value())) : 0;
        if (tasks > 0 && arrays.isOneIn(2)) {
            return new JobId(job.value() + 1 + arrays.any(tasks));
        }
        return arrayOf(job).filter(_ -> arrays.isOneIn(4)).orElse(job);
    }

    void submit(Scheduling scheduling, int gpus) {
        boolean requeue = random.nextInt(3) == 0;
        PullPolicy pull = PULLS[random.nextInt(PULLS.length)];
        String image = IMAGES[random.nextInt(IMAGES.length)];
        Duration limit = random.nextInt(4) == 0 ? Duration.ofSeconds(1 + random.nextInt(20)) : null;
        Submitter user = anybody();
        List<JobId> own = known().stream()
                .filter(job -> user.equals(owners.get(job))
                        && Objects.requireNonNull(acknowledged.get(job.value())).tasks() != null)
                .toList();
        int _ = submit(
                scheduling,
                user,
                orders.pairedWith(
                        own,
                        this::tasksOf,
                        new JobSpec(
                                new Label("job", "simulation", List.of()),
                                new InContainer(snapshot, image, pull, null, null, InContainer.BRIDGE, List.of()),
                                Resources.of(GpuRequest.whole(gpus)),
                                limits(limit),
                                orders.any(known().stream()
                                        .filter(job -> user.equals(owners.get(job)))
                                        .map(this::steered)
                                        .toList()),
                                arrays.any(),
                                requeue,
                                retries.any(),
                                List.of(),
                                null)));
    }

    private Tasks tasksOf(JobId array) {
        return Objects.requireNonNull(
                Objects.requireNonNull(acknowledged.get(array.value())).tasks());
    }

    /** A job whose image is here and that may run for so long. */
    void submitShort(Scheduling scheduling, int gpus, Duration limit) {
        submitShort(scheduling, gpus, limit, Prerequisites.NONE);
    }

    /** On days on which jobs wait for others, one that waits for a date. */
    void submitLater(Scheduling scheduling, int gpus, Duration limit) {
        if (orders.areWanted()) {
            submitShort(scheduling, gpus, limit, orders.date());
        }
    }

    private void submitShort(Scheduling scheduling, int gpus, Duration limit, Prerequisites prerequisites) {
        int _ = submit(
                scheduling,
                anybody(),
                new JobSpec(
                        new Label("job", "simulation", List.of()),
                        new InContainer(
                                snapshot, IMAGES[0], PullPolicy.MISSING, null, null, InContainer.BRIDGE, List.of()),
                        Resources.of(GpuRequest.whole(gpus)),
                        limits(limit),
                        prerequisites,
                        arrays.any(),
                        false,
                        retries.any(),
                        List.of(),
                        null));
    }

    /** A command asks for GPUs for a program that it starts itself; answers by which number it is known. */
    int submitHost(Scheduling scheduling, Submitter user, int gpus, boolean isShell) {
        Duration limit = random.nextInt(4) == 0 ? Duration.ofSeconds(1 + random.nextInt(20)) : null;
        return submit(
                scheduling,
                user,
                new JobSpec(
                        new Label("job", "simulation", List.of()),
                        new OnHost("/", isShell, false),
                        Resources.of(GpuRequest.whole(gpus)),
                        isShell ? new Limits(limit, null) : limits(limit),
                        false,
                        null));
    }

    /**
     * Every other limit has a signal in its last part, and one in three a grace; nothing is drawn for that. Some have
     * much time between the two, for servers to come and go.
     */
    private static Limits limits(@Nullable Duration limit) {
        if (limit == null || limit.toSeconds() < 2) {
            return new Limits(limit, null);
        }
        Duration before = Duration.ofSeconds(Math.max(1, limit.toSeconds() / 3));
        Duration more = limit.toSeconds() % 4 == 0 ? Duration.ofMinutes(10) : Duration.ZERO;
        return new Limits(
                limit.plus(more),
                null,
                limit.toSeconds() % 2 == 0 ? new LimitSignal(Signal.USR1, before.plus(more)) : null,
                limit.toSeconds() % 3 == 0 ? Duration.ofMinutes(1) : null);
    }

    /** Each user counts their own keys. */
    private int submit(Scheduling scheduling, Submitter user, JobSpec spec) {
        long own =
                submits.stream().filter(earlier -> earlier.user().equals(user)).count();
        submits.add(new Submit(user, new SubmitKey("key-" + own, "digest-" + own), spec));
        send(scheduling, submits.size() - 1);
        return submits.size() - 1;
    }

    /** The job of a submit, as far as somebody was told. */
    Optional<JobId> job(int submit) {
        return Optional.ofNullable(jobs.get(submit)).map(JobId::new);
    }

    /** Whether an answer is still to come. */
    boolean isWaiting(int submit) {
        return waiting.stream().anyMatch(asked -> asked.submit() == submit);
    }

    /** More than the front of the queue holds, as a sweep over parameters does. */
    void submitMany(Scheduling scheduling, int gpus) {
        tally.count("hundreds of jobs submitted at once");
        for (int number = 300 + random.nextInt(300); number > 0; number--) {
            submit(scheduling, random.nextInt(gpus + 1));
        }
    }

    /** Somebody gives up most of what waits, wherever it stands. */
    void cancelMany(ServerAssembly server, int kept) {
        List<Long> known = new ArrayList<>(acknowledged.keySet());
        while (known.size() > kept) {
            cancel(server, new JobId(known.remove(random.nextInt(known.size()))));
        }
    }

    /** A client that was not told, or believes so, sends the same submit once more. */
    void submitAgain(Scheduling scheduling) {
        if (!submits.isEmpty()) {
            tally.count("submit sent again");
            send(scheduling, random.nextInt(submits.size()));
        }
    }

    /** A submit is sent, also once more. */
    void send(Scheduling scheduling, int number) {
        Submit submit = submits.get(number);
        JobSpec spec = submit.spec();
        trace.say(submit.user().name(), "submits no.", number, "of", spec.gpus().count(), "GPUs");
        try {
            waiting.add(new Asked(
                    number,
                    scheduling.submit(
                            now -> new SubmitJob(now, spec, program(spec), submit.user(), submit.key()),
                            Room.UNBOUNDED)));
        } catch (BusyException e) {
            Law.STANDS.require(e.isStopping(), e::toString);
            tally.count("submit refused as the server ends");
        }
    }

    /** Whoever waits has an answer, or was told that there will be none. */
    void requireAnswers() {
        waiting.forEach(asked -> Law.ANSWERED.require(
                asked.answer().isDone(), () -> "submit " + asked.submit() + " waits for a loop that has ended"));
    }

    /** Its container tells by it whether it may be started again, after what, and beside how many of its array. */
    static Program program(JobSpec spec) {
        Map<String, String> environment = new HashMap<>();
        if (spec.requeue()) {
            environment.put(World.REQUEUE, "yes");
        }
        if (spec.tasks() != null && spec.tasks().atOnce() > 0) {
            environment.put(World.AT_ONCE, Integer.toString(spec.tasks().atOnce()));
        }
        if (spec.retry().most() > 0) {
            environment.put(World.RETRY, RetryTerms.of(spec).text());
        }
        return new Program(List.of("run"), environment);
    }

    /** Somebody cancels a job, with the rights that they have over it. */
    void cancel(ServerAssembly server, JobId job) {
        Submitter owner = ownerOf(job);
        Submitter user = owner == null || random.nextInt(STRANGERS) == 0 ? anybody() : owner;
        boolean isOwn = owner == null || owner.equals(user);
        try {
            Job _ = new Access(server.queries(), 0).steered(Caller.local(user), Map.of("id", number(job)));
        } catch (ApiException e) {
            Law.OWN_JOBS.require(!isOwn || owner == null, () -> user.name() + " may not cancel " + job + ": " + e);
            tally.count("cancel of another's job refused");
            return;
        }
        Law.OWN_JOBS.require(isOwn, () -> user.name() + " may cancel job " + job + " of " + owner);
        trace.say(user.name(), "cancels", job);
        unwanted.add(job.value());
        CompletableFuture<Reply> _ = server.scheduling().request(job, new CancelRequested(user.name()));
    }

    void stopEverything(Scheduling scheduling) {
        trace.say("client", "stops everything");
        allUnwanted = true;
        CompletableFuture<Reply> _ = scheduling.request(now -> new Input.StopEverything(now, "ada"));
    }

    /** Whether somebody cancelled this job itself. */
    boolean wasCancelled(JobId job) {
        return unwanted.contains(job.value());
    }

    boolean wantedTheEndOf(JobId job) {
        return allUnwanted
                || unwanted.contains(job.value())
                || arrayOfTurn(job)
                        .filter(array -> unwanted.contains(array.value()))
                        .isPresent()
                || isPackOfUnwanted(job);
    }

    /** Whether it is a pack whose tasks somebody wanted ended one by one. */
    private boolean isPackOfUnwanted(JobId job) {
        boolean isPack = arrayOf(job).isEmpty() && arrayOfTurn(job).isPresent();
        return isPack
                && LongStream.range(arrayOfTurn(job).orElseThrow().value() + 1, job.value())
                        .mapToObj(JobId::new)
                        .filter(task -> packOf(task).equals(Optional.of(job)))
                        .allMatch(task -> unwanted.contains(task.value()));
    }

    /** Answers arrive. */
    void hear() {
        for (Asked one : List.copyOf(waiting)) {
            if (one.answer().isCompletedExceptionally()) {
                waiting.remove(one);
                tally.count("submit told that the server ends");
            } else if (one.answer().isDone()) {
                waiting.remove(one);
                switch (one.answer().join()) {
                    case Reply.Accepted(Job job) -> {
                        LongStream.rangeClosed(job.id().value(), job.lastId())
                                .mapToObj(JobId::new)
                                .forEach(this::assigned);
                        told(one.submit(), job.id().value());
                    }
                    case Reply.Repeated(Job job) -> told(one.submit(), job.id().value());
                    default -> {}
                }
            }
        }
    }

    private void assigned(JobId id) {
        Law.NEW_IDS.require(!used.test(id), () -> "job " + id + " was accepted, whose files an earlier one left");
        Law.NEW_IDS.require(accepted.add(id), () -> id + " was assigned before the store was brought back");
    }

    private void told(int submit, long id) {
        Long before = jobs.putIfAbsent(submit, id);
        Law.DURABLE.require(
                before == null || before == id, () -> "submit " + submit + " made job " + before + " and job " + id);
        JobSpec other = acknowledge(id, submits.get(submit).spec());
        owners.put(new JobId(id), submits.get(submit).user());
        Law.NEW_IDS.require(
                before != null || other == null, () -> "submit " + submit + " was told of job " + id + ", another's");
    }

    private @Nullable JobSpec acknowledge(long id, JobSpec spec) {
        if (size(spec) > 0) {
            arraySizes.put(id, size(spec));
        }
        return acknowledged.put(id, spec);
    }

    /** The server has gone; who still waits will not be told by this one. */
    void lose() {
        hear();
        tally.add("answer lost", waiting.size());
        waiting.clear();
    }

    /** An older copy of the database was brought back: what was acknowledged since is not to be asked for. */
    void forgetAllBut(Set<Long> known) {
        acknowledged.keySet().retainAll(known);
        arraySizes.keySet().retainAll(known);
        owners.keySet().removeIf(job -> !known.contains(job.value()));
        jobs.values().retainAll(known);
    }

    /** The jobs whose acceptance somebody was told of. */
    Map<Long, JobSpec> acknowledged() {
        return acknowledged;
    }

    /** What may have a turn: the jobs whose acceptance somebody was told of, and in place of an array its tasks and packs. */
    SortedMap<Long, JobSpec> withParts() {
        SortedMap<Long, JobSpec> all = withTasks();
        acknowledged.forEach((id, spec) -> {
            long first = id + 1 + size(spec);
            LongStream.range(first, first + packs(spec)).forEach(each -> all.put(each, ofPack(spec)));
        });
        return all;
    }

    /** What its tasks asked for where they fail is no matter of a pack. */
    private static JobSpec ofPack(JobSpec array) {
        return new JobSpec(
                array.label(),
                array.place(),
                array.resources(),
                array.limits(),
                array.prerequisites(),
                array.tasks(),
                false,
                Retry.NONE,
                List.of(),
                null);
    }

    /** The jobs whose acceptance somebody was told of, and in place of an array its tasks. */
    private SortedMap<Long, JobSpec> withTasks() {
        SortedMap<Long, JobSpec> all = new TreeMap<>();
        acknowledged.forEach((id, spec) -> {
            long first = spec.tasks() == null ? id : id + 1;
            LongStream.rangeClosed(first, id + size(spec))
                    .forEach(each -> all.put(each, Orders.ofTask(spec, each - id)));
        });
        return all;
    }

    List<JobId> known() {
        return acknowledged.keySet().stream().map(JobId::new).toList();
    }
}
