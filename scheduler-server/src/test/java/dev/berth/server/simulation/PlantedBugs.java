package dev.berth.server.simulation;

import java.util.List;
import java.util.stream.Stream;

/** The bugs, each of which would lose a job, start one twice, share a GPU or tell an untruth. */
final class PlantedBugs {
    private static final String DEFERRED = "dev.berth.core.machine.DeferredJobs";
    private static final String DEPENDENCY_KIND = "dev.berth.core.job.DependencyKind";
    private static final String UNMET = "dev.berth.core.job.Unmet";
    private static final String CORE = "dev.berth.core.machine.Machine";
    private static final String MACHINE = "dev.berth.core.machine.JobMachine";
    private static final String MOVES = "dev.berth.core.machine.JobMoves";
    private static final String SCHEDULER = "dev.berth.core.machine.Scheduler";
    private static final String GPU_STEPS = "dev.berth.core.machine.GpuSteps";
    private static final String JOB_STEPS = "dev.berth.core.machine.JobSteps";
    private static final String ARRAY_STEPS = "dev.berth.core.machine.ArraySteps";
    private static final String ALLOTMENT = "dev.berth.core.machine.Allotment";
    private static final String RECOVERY = "dev.berth.core.machine.Recovery";
    private static final String INVARIANTS = "dev.berth.core.machine.Invariants";
    private static final String LOOP = "dev.berth.server.loop.SchedulingLoop";
    private static final String STEPS = "dev.berth.server.loop.Steps";
    private static final String JOB_EVENTS = "dev.berth.server.loop.JobEvents";
    private static final String JOB_SUBMITS = "dev.berth.server.loop.JobSubmits";
    private static final String CONTAINERS = "dev.berth.server.runner.docker.ContainerStart";
    private static final String HOST_RUNNER = "dev.berth.server.runner.host.HostRunner";
    private static final String LEASE_ENDS = "dev.berth.server.runner.host.LeaseEnds";
    private static final String CONFIRMATION = "dev.berth.server.runner.GpuConfirmation";
    private static final String LAUNCH = "dev.berth.server.runner.docker.LaunchFailures";
    private static final String LOGS = "dev.berth.server.runner.docker.ContainerLogs";
    private static final String FORECAST = "dev.berth.core.machine.Forecast";
    private static final String START_FORECASTS = "dev.berth.server.runner.StartForecasts";
    private static final String SCHEDULING = "dev.berth.server.loop.Scheduling";
    private static final String ACCESS = "dev.berth.server.http.access.Access";
    private static final String DATABASE = "dev.berth.server.store.database.Database";
    private static final String STORE = "dev.berth.server.store.JobStore";
    private static final String WRITES = "dev.berth.server.store.JobWrites";
    private static final String LOG = "dev.berth.server.log.JobLog";
    private static final String REPLAY = "dev.berth.server.log.Replay";
    private static final String SELECTS = "dev.berth.server.store.Selects";
    private static final String DEPENDENCY_ROWS = "dev.berth.server.store.DependencyRows";
    private static final String JOB = "dev.berth.core.job.Job";
    private static final String RETRY = "dev.berth.core.job.Retry";
    private static final String RETRY_CAUSES = "dev.berth.core.job.RetryCauses";
    private static final String JOB_ROWS = "dev.berth.server.store.JobRows";
    private static final String PACK_MOVES = "dev.berth.core.machine.PackMoves";
    private static final String PACK_WATCH = "dev.berth.server.runner.docker.PackWatch";
    private static final String DOCKER_RUNNER = "dev.berth.server.runner.docker.DockerRunner";
    private static final String ARRAY_MOVES = "dev.berth.core.machine.ArrayMoves";

    private static final List<PlantedBug> OF_THE_GPUS = List.of(
            PlantedBug.of(
                            "does not look at the GPUs of a job whose container is gone",
                            GPU_STEPS,
                            "&& !(event instanceof GpusTaken);",
                            "&& !(event instanceof GpusTaken)\n"
                                    + "                    && !(event instanceof JobEvent.RunGone);")
                    .foundOn(70),
            PlantedBug.of(
                    "frees a GPU before it is drained",
                    SCHEDULER,
                    "case GpusCleaned cleaned -> gpus.clean(cleaned);",
                    "case GpusCleaned cleaned -> {\n"
                            + "                step.updateGpus(state -> state.withoutCleaning(cleaned.attempt()));\n"
                            + "                startHeads(cleaned.at());\n"
                            + "                yield gpus.clean(cleaned);\n            }"),
            PlantedBug.of(
                            "calls a start refused whose program ran",
                            CONTAINERS,
                            "exited && exited.startedAt() == null);",
                            "exited);")
                    .foundOn(67),
            PlantedBug.of(
                            "frees the GPU at TERM",
                            MOVES,
                            "new Stopping(live.attempt(), live.allocation(), live.startedAt(), cause)",
                            "new Stopping(live.attempt(), dev.berth.core.job.Allocation.NONE, live.startedAt(), cause)")
                    .and(INVARIANTS, "machine.live().values().forEach(Invariants::holdsWhatItAskedFor);", ""),
            PlantedBug.of(
                            "allocates a GPU twice",
                            ALLOTMENT,
                            "machine.heldMilli(id) == 0 && !machine.hasOrphan(id) && test.test(id)",
                            "test.test(id)")
                    .and(INVARIANTS, "        oneHolderPerGpu(machine);", ""),
            PlantedBug.of(
                    "lets others overtake the head",
                    SCHEDULER,
                    "Optional<Job> next = step.machine().next(lane);",
                    "Optional<Job> next = step.machine().window(lane).jobs().stream()"
                            + ".filter(job -> job.spec().gpus().count() <= step.machine().freeGpus().size()).findFirst();"),
            PlantedBug.of(
                    "allocates GPUs while an earlier job's are in question",
                    SCHEDULER,
                    "boolean isUndecided = step.machine().undecided(lane).isPresent();",
                    "boolean isUndecided = false;"),
            PlantedBug.of(
                            "overlaps launches where jobs start one by one",
                            CORE,
                            "boolean oneByOne = lane != Lane.TARGET && capacity.order().startsOneByOne();",
                            "boolean oneByOne = false;")
                    .foundOn(1),
            PlantedBug.of(
                    "makes a container on GPUs that a stranger has",
                    CONFIRMATION,
                    "case GpuGate.Answer.Taken _, GpuGate.Answer.Locked _ -> false;",
                    "case GpuGate.Answer.Taken _, GpuGate.Answer.Locked _ -> true;"),
            PlantedBug.of(
                            "asks again for a start of which nobody knows why it failed",
                            CONTAINERS,
                            "if (!isFirst && (hasFailed || !engine",
                            "if (!isFirst && (!engine")
                    .foundOn(41),
            PlantedBug.of(
                            "commits the boot id before what follows from it",
                            LOOP,
                            "        Machine restored = restored(remains.highestId());",
                            "        if (remains.boot() != null) {\n"
                                    + "            store.keepBoot(remains.boot().id());\n"
                                    + "            store.commit();\n        }\n"
                                    + "        Machine restored = restored(remains.highestId());")
                    .foundOn(401),
            PlantedBug.of(
                            "takes the look of an earlier turn for one of this turn",
                            WRITES,
                            "gpus_decided = 0, ",
                            "gpus_decided = gpus_decided, ")
                    .foundOn(119),
            PlantedBug.of(
                            "looks again at GPUs behind which others were given theirs",
                            CONFIRMATION,
                            "new AtomicBoolean(creation.launch().state() instanceof JobState.Creating known &&"
                                    + " known.isDecided());",
                            "new AtomicBoolean();")
                    .foundOn(212));

    private static final List<PlantedBug> OF_THE_BOOKS = List.of(
            PlantedBug.of(
                            "reads the queue on behind its first job",
                            LOOP,
                            "long last = jobs.isEmpty() ? 0 : jobs.getLast().turn().value();",
                            "long last = jobs.isEmpty() ? 0 : jobs.getFirst().turn().value();")
                    .foundOn(123),
            PlantedBug.of(
                            "leaves aside what an earlier server could not run",
                            LOOP,
                            "List<Job> held = store.heldByServer(0, QueueWindow.MAX_JOBS);",
                            "List<Job> held = List.of();")
                    .foundOn(7),
            PlantedBug.of(
                            "shows what is not committed",
                            LOOP,
                            "makeDurable();\n        scheduling.publish(machine.state());\n        act(owed);",
                            "scheduling.publish(machine.state());\n        makeDurable();\n        act(owed);")
                    .foundOn(6),
            PlantedBug.of(
                            "acts in recovery before it commits",
                            LOOP,
                            "store.commit();\n"
                                    + "        List<Effect> left = new ArrayList<>(plan.effects());\n"
                                    + "        store.packsToRead().forEach(pack -> left.add(new Effect.ReadPack(pack)));\n"
                                    + "        left.forEach(this::noteRead);\n"
                                    + "        left.addAll(stopsInPacks());\n"
                                    + "        left.addAll(cleaning);\n"
                                    + "        effects.accept(left);\n"
                                    + "        act(owed);",
                            "effects.accept(plan.effects());\n        effects.accept(cleaning);\n"
                                    + "        act(owed);\n        store.commit();")
                    .foundOn(346),
            PlantedBug.of(
                            "assigns ids again after an older store was brought back",
                            STORE,
                            "Math.max(number(Selects.LAST_ID), highestId.value())",
                            "number(Selects.LAST_ID)")
                    .foundOn(11),
            PlantedBug.of(
                            "counts time limits by the date",
                            SCHEDULER,
                            "Instant steady = step.machine().clock().steady(at);",
                            "Instant steady = at;")
                    .and(LOOP, "Instant passed = now.minus(machine.state().clock().ahead());", "Instant passed = now;")
                    .and(JOB_STEPS, "case Live live -> live.countedFrom(began);", "case Live live -> live;")
                    .foundOn(22),
            PlantedBug.of(
                    "commits after it has acted",
                    LOOP,
                    "makeDurable();\n        scheduling.publish(machine.state());\n        act(owed);",
                    "act(owed);\n        makeDurable();\n        scheduling.publish(machine.state());"),
            PlantedBug.of(
                    "acknowledges before the commit",
                    LOOP,
                    "owed.add(new Owed(message.answer(), message.work().on(this, now))));",
                    "{\n            Step early = message.work().on(this, now);\n"
                            + "            if (message.answer() != null) {\n"
                            + "                message.answer().complete(early.reply());\n            }\n"
                            + "            owed.add(new Owed(null, early));\n        });"),
            PlantedBug.of(
                    "makes a second job of a submit that is sent again",
                    JOB_SUBMITS,
                    "orElseGet(() -> accept(submit));",
                    "orElseGet(() -> steps.apply(new SubmitJob(\n                    submit.at(), submit.spec(),"
                            + " submit.program(), submit.submitter(), null)));"),
            PlantedBug.of(
                    "assigns an id twice",
                    SCHEDULER,
                    "new JobId(step.machine().lastId() + 1),",
                    "new JobId(Math.max(1, step.machine().lastId())),"));

    private static final List<PlantedBug> OF_CLIENTS = List.of(
            PlantedBug.of(
                    "takes the submit key of another user for one's own",
                    STORE,
                    "question(Selects.BY_SUBMIT_KEY)",
                    "question(Selects.BY_SUBMIT_KEY.replace(\"uid = ?\", \"? >= 0\"))"),
            PlantedBug.of(
                    "lets any user cancel a job",
                    ACCESS,
                    "return (caller.uid() == owner && !caller.isAnybody()) || caller.isAdministrator();",
                    "return true;"),
            PlantedBug.of(
                            "never answers who asks once the loop has ended",
                            SCHEDULING,
                            "if (ending || closed) {",
                            "if (ending) {")
                    .and(SCHEDULING, "if (closed && messages.remove(message)) {", "if (false) {"),
            PlantedBug.of(
                    "does not tell who waits that the loop has ended",
                    SCHEDULING,
                    "answer.completeExceptionally(reason);",
                    "boolean _ = answer.isDone();"),
            PlantedBug.of(
                            "changes the schema without a transaction",
                            DATABASE,
                            "\"BEGIN IMMEDIATE;\\n\" + schema(next)",
                            "schema(next)")
                    .and(DATABASE, "+ \";\\nCOMMIT;\");", "+ \";\");")
                    .foundOn(44));

    private static final List<PlantedBug> OF_ATTEMPTS = List.of(
            PlantedBug.of(
                            "ignores the attempt fence",
                            MACHINE,
                            "news.attempt() != job.state().attempt()",
                            "news.attempt() < 0")
                    .foundOn(149),
            PlantedBug.of(
                            "requeues without counting the attempt",
                            MOVES,
                            "new Queued(end.attempt() + 1, new ImageState.Pending()),",
                            "new Queued(end.attempt(), new ImageState.Pending()),")
                    .foundOn(7),
            PlantedBug.of(
                            "makes a missing container again after it may have run",
                            MACHINE,
                            "created(job, c.imageId(), c.allocation(), e);",
                            "Moved.to(c, new Effect.StartRun(job, e.engine()));")
                    .foundOn(27),
            PlantedBug.of(
                            "repeats a start after the engine ended",
                            CONTAINERS,
                            "if (!isFirst && !now.isSameAs(launch.engine())) {",
                            "if (isFirst && false) {")
                    .and(
                            CONTAINERS,
                            "if (!isFirst && (hasFailed || !engine.run().isSameAs(launch.engine()))) {",
                            "if (!isFirst && hasFailed) {")
                    .foundOn(3),
            PlantedBug.of(
                            "asks the engine's next run for a start that the last one may have done",
                            CONTAINERS,
                            "if (isFirst && !now.equals(launch.engine())) {",
                            "if (!now.equals(launch.engine())) {")
                    .and(
                            CONTAINERS,
                            "if (!isFirst && (hasFailed || !engine.run().isSameAs(launch.engine()))) {",
                            "if (!isFirst && hasFailed) {")
                    .foundOn(41),
            PlantedBug.of("ignores a reboot", LOOP, ": boot.at();", ": null;").foundOn(136),
            PlantedBug.of(
                            "calls a job lost whose exit is known",
                            RECOVERY,
                            ": exited.of(attempt));",
                            ": new RunGone(attempt));")
                    .foundOn(7),
            PlantedBug.of(
                            "takes an engine that is away for one that refuses",
                            LAUNCH,
                            "case UNREACHABLE, UNABLE, INTERRUPTED, BEGUN -> Verdict.AGAIN;",
                            "case UNREACHABLE, UNABLE, INTERRUPTED, BEGUN -> Verdict.REFUSED;")
                    .foundOn(125));

    private static final List<PlantedBug> OF_DUTIES = List.of(
            PlantedBug.of(
                            "forgets an owed stop at the restart",
                            RECOVERY,
                            "effects.add(new AdoptRun(job));\n                    if (job.state() instanceof Stopping) {",
                            "effects.add(new AdoptRun(job));\n                    if (false) {")
                    .foundOn(68),
            PlantedBug.of(
                    "forgets to remove the container of an ended job",
                    MOVES,
                    "job.isPack() ? List.of() : released(job)",
                    "List.of()"),
            PlantedBug.of(
                            "does not look for exits after an outage",
                            RECOVERY,
                            "machine.live().values().forEach(job -> plan.look(job, running.contains(Attempt.of(job))));",
                            "")
                    .foundOn(119),
            PlantedBug.of(
                            "makes a container on GPUs that only an earlier server allocated",
                            RECOVERY,
                            "} else if (!gpus.stream().allMatch(gpu -> capacity.gpu(gpu).isPresent())) {",
                            "} else if (false) {")
                    .foundOn(21),
            PlantedBug.of(
                            "forgets the files of a container whose release was broken off",
                            RECOVERY,
                            "if (isOver || isOfWaiting || isOfOwed || sighting.isOfFinished()) {",
                            "if (false) {")
                    .foundOn(15),
            PlantedBug.of(
                    "writes a log twice at its replay",
                    LOG,
                    "replays.put(stream, new Replay(kept(stream, writer.written()), copy));",
                    "kept(stream, writer.written()).close(); replays.remove(stream);"),
            PlantedBug.of(
                            "skips a byte too much at a log's replay",
                            REPLAY,
                            "piece.position(piece.position() + sure);",
                            "piece.position(Math.min(piece.limit(), piece.position() + sure + (places.isAtEnd() ? 1 : 0)));")
                    .foundOn(429),
            PlantedBug.of(
                            "removes a container before its log is read",
                            LOGS,
                            "for (int reading = 0; reading < MAX_READINGS && !isWhole; reading++) {",
                            "for (int reading = 0; reading < 0; reading++) {")
                    .foundOn(31));

    private static final List<PlantedBug> OF_THE_HOST = List.of(
            PlantedBug.of(
                    "keeps the GPUs of a lease whose shell has ended",
                    LEASE_ENDS,
                    "boolean isClean = started.isShell() ||",
                    "if (started.isShell()) {\n                return;\n            }\n"
                            + "            boolean isClean = started.isShell() ||"),
            PlantedBug.of(
                            "keeps the process of a program and that its job has begun in two commits",
                            SCHEDULING,
                            "Step _ = loop.write(work);\n            return loop.happen(job, event, now);",
                            "Step written = loop.write(work);\n            tell(job, event);\n            return written;")
                    .foundOn(484),
            PlantedBug.of(
                    "does not know which programs run on the machine, after the server was killed",
                    HOST_RUNNER,
                    "for (HostProcess row : parts.processes().get()) {",
                    "for (HostProcess row : List.<HostProcess>of()) {"),
            PlantedBug.of(
                            "forgets a program that has left something behind",
                            HOST_RUNNER,
                            "return isKnown || (command != null && ends.hasLeft(lease, started));",
                            "return isKnown;")
                    .foundOn(1_147),
            PlantedBug.of(
                            "gives up a command that has come back",
                            HOST_RUNNER,
                            "if (lease.isVisited() || !lease.isLast(visit)) {",
                            "if (false) {")
                    .foundOn(44));

    private static final List<PlantedBug> OF_ORDERS = List.of(
            PlantedBug.of(
                            "lets a job go on whose dependency has failed",
                            DEPENDENCY_KIND,
                            "case AFTER_OK -> end == StateName.COMPLETED;",
                            "case AFTER_OK -> true;")
                    .foundOn(7),
            PlantedBug.of(
                            "starts others before those who waited for a job know of its end",
                            SCHEDULER,
                            "if (!step.machine().isStarting() || step.machine().deferred().areUnread()) {",
                            "if (!step.machine().isStarting()) {")
                    .foundOn(181),
            PlantedBug.of(
                            "does not know after a restart that jobs wait for others",
                            LOOP,
                            "store.hasDependents(), store.endedAndAwaited(),",
                            "false, store.endedAndAwaited(),")
                    .foundOn(10),
            PlantedBug.of(
                            "forgets a date at a restart",
                            LOOP,
                            "store.endedAndAwaited(), store.earliestDeferred())",
                            "store.endedAndAwaited(), new DeferredJobs.Earliest(null, null, null))")
                    .foundOn(43),
            PlantedBug.of(
                            "waits for no date",
                            UNMET,
                            "return new Unmet(begin == null || !begin.isAfter(at) ? null : begin, pending, new TreeSet<>());",
                            "return new Unmet(null, pending, new TreeSet<>());")
                    .foundOn(4),
            PlantedBug.of(
                            "does not tell a held job that another has ended",
                            MACHINE,
                            "case On(Held h, DependencyEnded e) -> dependencyEnded(job, h, e, at);",
                            "case On(Held _, DependencyEnded _) -> new Ignored(\"it is held\");")
                    .foundOn(304));

    private static final List<PlantedBug> OF_ARRAYS = List.of(
            PlantedBug.of(
                            "ignores the throttle of an array",
                            CORE,
                            "return tasks != null && tasks.atOnce() > 0 && busyTasks(job) + job.width() > tasks.atOnce();",
                            "return false;")
                    .and(INVARIANTS, "machine.live().values().forEach(job -> withinThrottle(machine, job));", "")
                    .foundOn(3),
            PlantedBug.of(
                            "counts no task for a throttle that is still to start",
                            CORE,
                            "other.arrayOfTurn() != null && other.arrayOfTurn().equals(array));",
                            "other.arrayOfTurn() != null && other.arrayOfTurn().equals(array)"
                                    + " && other.state() instanceof Running);")
                    .foundOn(3),
            PlantedBug.of(
                            "lets the tasks of a cancelled array run on",
                            JOB_EVENTS,
                            "Step all = asked.then(happenToTasks(array.id(), event, now));",
                            "Step all = asked.then(event instanceof JobEvent.CancelRequested ? machine.nothing()"
                                    + " : happenToTasks(array.id(), event, now));")
                    .foundOn(3),
            PlantedBug.of(
                            "does not look at once whether an array has ended with a job that its tasks waited for",
                            STEPS,
                            "tellDependents(at, ended.getKey(), ended.getValue())));\n                told++;",
                            "tellDependents(at, ended.getKey(), ended.getValue())));\n                told++;\n"
                                    + "                if (!machine.state().deferred().arrays().isEmpty()) {\n"
                                    + "                    break;\n                }")
                    .foundOn(745),
            PlantedBug.of(
                            "starts the last task of an array first",
                            ARRAY_STEPS,
                            "single(at, array, array.waiting().first())",
                            "single(at, array, array.waiting().last())")
                    .foundOn(2),
            PlantedBug.of(
                            "starts a task before one of its array that is back in the queue",
                            CORE,
                            ": jobs.stream().sorted(Comparator.comparingLong(Job::place));",
                            ": jobs.stream();")
                    .foundOn(3),
            PlantedBug.of(
                            "starts what was submitted behind an array before its tasks",
                            CORE,
                            ": jobs.stream().sorted(Comparator.comparingLong(Job::place));",
                            ": jobs.stream().sorted(Comparator.comparing(Job::isArray));")
                    .foundOn(2),
            PlantedBug.of(
                            "does not end an array with the last of its tasks",
                            JOB_STEPS,
                            "step.updateDeferred(deferred -> deferred.withArray(array));",
                            "")
                    .foundOn(2),
            PlantedBug.of(
                            "ends an array with the last turn of its tasks",
                            ARRAY_STEPS,
                            "&& !read.isOpen()) {",
                            "&& true) {")
                    .foundOn(3),
            PlantedBug.of(
                            "ends a cancelled array before its tasks have ended",
                            JOB_STEPS,
                            "hadTurns && next instanceof Finished rest",
                            "false && next instanceof Finished rest")
                    .foundOn(3),
            PlantedBug.of(
                            "calls an array COMPLETED one of whose tasks is not",
                            ARRAY_MOVES,
                            "if (completed == all) {",
                            "if (completed > 0) {")
                    .foundOn(2),
            PlantedBug.of(
                            "forgets at a restart the tasks that wait of an array that has begun",
                            SELECTS,
                            "return JOB + \" WHERE state = 'QUEUED'\" + which.condition()",
                            "return JOB + \" WHERE state = 'QUEUED' AND NOT EXISTS (SELECT 1 FROM job AS begun"
                                    + " WHERE begun.array = job.id)\" + which.condition()")
                    .foundOn(8),
            PlantedBug.of(
                            "assigns numbers of tasks again after an older store was brought back",
                            STORE,
                            "lastAccepted = accepted.job().lastId();",
                            "lastAccepted = accepted.job().id().value();")
                    .foundOn(162),
            PlantedBug.of(
                            "forgets what a task that leaves its array waits for in vain",
                            DEPENDENCY_ROWS,
                            "for (Dependency dependency : unmet(state).broken()) {",
                            "for (Dependency dependency : new TreeSet<Dependency>()) {")
                    .foundOn(982));

    private static final List<PlantedBug> OF_PACKS = List.of(
            PlantedBug.of(
                            "removes what tells of the tasks of a pack before that is committed",
                            MOVES,
                            "job.isPack() ? List.of() : released(job)",
                            "released(job)")
                    .foundOn(2),
            PlantedBug.of(
                            "tells of the end of a pack before what its tasks told",
                            DOCKER_RUNNER,
                            "attempts.tell(attempt, new TasksTold(attempt.number(), packs.close(attempt)));",
                            "attempts.tell(attempt, new TasksTold(attempt.number(), true));\n        packs.close(attempt);")
                    .foundOn(2),
            PlantedBug.of(
                            "does not read after a restart what packs that have ended told of their tasks",
                            LOOP,
                            "        store.packsToRead().forEach(pack -> left.add(new Effect.ReadPack(pack)));\n",
                            "")
                    .foundOn(233),
            PlantedBug.of(
                            "calls the tasks failed that a pack did not come to",
                            PACK_MOVES,
                            "boolean isLeftOver = event.hasBegun() && event.isKnown() && isNoMatterOfIts(end.outcome());",
                            "boolean isLeftOver = false;")
                    .foundOn(90),
            PlantedBug.of(
                            "takes for not begun what began in a pack and did not tell its end",
                            PACK_MOVES,
                            "if (packed.startedAt() != null) {",
                            "if (false) {")
                    .foundOn(376),
            PlantedBug.of(
                            "counts a pack as one task for the throttle of its array",
                            CORE,
                            "return busy(job).mapToLong(Job::width).sum();",
                            "return busy(job).count();")
                    .foundOn(1202),
            PlantedBug.of(
                            "lets the packs of a cancelled array run on",
                            JOB_EVENTS,
                            "List<Job> tasks = new ArrayList<>(store.openPacks(array));",
                            "List<Job> tasks = new ArrayList<>();")
                    .foundOn(35),
            PlantedBug.of(
                            "does not write down for a pack which of its tasks is to end",
                            DOCKER_RUNNER,
                            "packs.stop(attempt, stop.task());",
                            "")
                    .foundOn(443),
            PlantedBug.of(
                            "reads what a task of a pack wrote from its beginning each time",
                            PACK_WATCH,
                            "long kept = open.log().ofAttempt(stream);",
                            "long kept = 0;")
                    .foundOn(13),
            PlantedBug.of(
                            "reads nothing more of the tasks of a pack that has ended",
                            PACK_WATCH,
                            "        look();\n        closed = true;",
                            "        closed = true;")
                    .foundOn(2));

    private static final List<PlantedBug> OF_RETRIES = List.of(
            PlantedBug.of("does not count a retry", JOB, "retried + 1, turn);", "retried, turn);")
                    .foundOn(7),
            PlantedBug.of(
                            "retries once more than asked",
                            RETRY,
                            "return used < most && causes.cover(end);",
                            "return used <= most && most > 0 && causes.cover(end);")
                    .foundOn(7),
            PlantedBug.of(
                            "retries after an exit code that was not asked for",
                            RETRY,
                            "return used < most && causes.cover(end);",
                            "return used < most && (causes.cover(end) || end.reason() == OutcomeReason.EXITED_NONZERO);")
                    .foundOn(7),
            PlantedBug.of(
                            "does not retry what was stopped at its time limit",
                            RETRY_CAUSES,
                            "case TIMEOUT -> kinds.contains(Kind.TIMEOUT);",
                            "case TIMEOUT -> false;")
                    .foundOn(49),
            PlantedBug.of(
                            "leaves out the delay of a retry",
                            MOVES,
                            "isRetry ? job.spec().retry().delay(job.retried()) : Duration.ZERO;",
                            "Duration.ZERO;")
                    .foundOn(7),
            PlantedBug.of(
                            "lets a retry at the end keep its old place",
                            JOB,
                            "JobId turn = spec.retry().atEnd() ? end : movedTo;",
                            "JobId turn = movedTo;")
                    .foundOn(7),
            PlantedBug.of(
                            "puts every retry at the end",
                            JOB,
                            "JobId turn = spec.retry().atEnd() ? end : movedTo;",
                            "JobId turn = end;")
                    .foundOn(7),
            PlantedBug.of(
                            "forgets at a restart which jobs went to the end",
                            JOB_ROWS,
                            "return row.wasNull() ? null : new JobId(turn);",
                            "return null;")
                    .foundOn(7),
            PlantedBug.of(
                            "forgets at a restart how often a job was retried",
                            JOB_ROWS,
                            "row.getInt(\"retried\"),",
                            "0,")
                    .foundOn(7),
            PlantedBug.of(
                            "does not keep an attempt after which another begins",
                            WRITES,
                            "if (attempt != null) {",
                            "if (false) {")
                    .foundOn(7),
            PlantedBug.of(
                            "keeps attempts without their GPUs",
                            WRITES,
                            "held.isNone() ? null : held.uuids(),\n                attempt.startedAt()",
                            "null,\n                attempt.startedAt()")
                    .foundOn(7));

    private static final List<PlantedBug> OF_FORECASTS = List.of(
            PlantedBug.of(
                            "says when a job starts although an earlier one waits for a date",
                            DEFERRED,
                            "&& !earliest.begin().isAfter(date));",
                            "&& false);")
                    .foundOn(40),
            PlantedBug.of(
                            "says when a job starts although the engine is away",
                            START_FORECASTS,
                            "boolean isAway = health.outage().isPresent();",
                            "boolean isAway = false;")
                    .foundOn(359),
            PlantedBug.of(
                            "says when a job starts as if a time limit took no stop",
                            FORECAST,
                            ".map(begin -> later(begin.plus(limit), served).plus(freeing(job)))",
                            ".map(begin -> later(begin.plus(limit), served))")
                    .foundOn(18),
            PlantedBug.of(
                            "says when a job starts as if a stop that a new server begins anew took no more time",
                            START_FORECASTS,
                            "health::servedSince",
                            "_ -> Instant.EPOCH")
                    .foundOn(165));

    private static final List<PlantedBug> OF_SIGNALS = List.of(PlantedBug.of(
                    "counts the time of a signal from the start",
                    CORE,
                    "deadline(job).map(limit -> limit.minus(signal.before()))",
                    "Optional.of(running.countedFrom().plus(signal.before()))")
            .foundOn(22));

    static final List<PlantedBug> ALL = Stream.of(
                    OF_THE_GPUS,
                    OF_THE_BOOKS,
                    OF_CLIENTS,
                    OF_ATTEMPTS,
                    OF_DUTIES,
                    OF_THE_HOST,
                    OF_ORDERS,
                    OF_ARRAYS,
                    OF_PACKS,
                    OF_RETRIES,
                    OF_FORECASTS,
                    OF_SIGNALS)
            .flatMap(List::stream)
            .toList();

    private PlantedBugs() {}
}
