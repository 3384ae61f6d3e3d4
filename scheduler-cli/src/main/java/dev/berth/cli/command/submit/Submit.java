package dev.berth.cli.command.submit;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.command.Session;
import dev.berth.cli.command.Verb;
import dev.berth.cli.command.submit.JobFiles.Said;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Given;
import dev.berth.cli.line.Shape;
import dev.berth.cli.snapshot.IgnoreRules;
import dev.berth.cli.snapshot.SnapshotPlan;
import dev.berth.core.api.JobView;
import dev.berth.core.option.JobOption;
import dev.berth.core.option.SweepTasks;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.sweep.SweepPacks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code berth submit}: sends a directory and queues a command that runs in a copy of it. */
public final class Submit implements Verb {
    private static final String DRY_RUN = "--dry-run";
    private static final String FOLLOW = "--follow";
    private static final String WAIT = "--wait";

    @Override
    public Shape shape() {
        Shape shape = Shape.of(
                "submit",
                "<target> <dir> [<command> [<argument>...]]",
                "Queue a command. It runs in a container with exactly the GPUs it asks for, in a copy of <dir> as"
                        + " it is now.",
                "",
                "<target> is scheduler, the queue of the server's machine, or another that berth targets lists. A"
                        + " <command> that ends in .py is a file in <dir> and is run by the image's Python; any other"
                        + " runs as it stands.",
                "Options may stand anywhere before --; what stands behind -- is the program's.",
                "A berth.yaml in <dir> says what the line does not: its keys are the long options, and command the"
                        + " command; without one, Atlas's job.config.yaml. Before it count the #BERTH and #SBATCH lines"
                        + " at the head of a script, and before them the line.",
                "Not sent: what a .berthignore in <dir> or below it leaves out, in the form of a .gitignore; and "
                        + IgnoreRules.IN_WORDS
                        + ". A .gitignore is not read: data that git should not keep is often what a job needs.",
                "");
        return endings(JobWords.addTo(shape, option -> option.isOf(false))
                        .value(
                                "FILE",
                                "Take the job, or several, from this file in place of <dir>/berth.yaml; the line may then have"
                                        + " options alone.",
                                JobFiles.FILE))
                .examples(
                        SubmitWords.EXAMPLE,
                        "berth submit scheduler . main.py --num-gpus 1 --follow -- --lr 0.1",
                        "berth submit scheduler . main.py --array 0-31",
                        "berth submit scheduler . main.py --sweep lr=0.1,0.01 -- --lr {lr}",
                        "berth submit --file pipeline.yaml",
                        "berth submit scheduler . main.py -v /data:/data:ro --memory 32g --dry-run",
                        "berth submit cluster . main.py --num-gpus 8 --image lab/train:3",
                        "berth submit scheduler ~/project python3 --time 1d12h -- -m train --epochs 3");
    }

    /** The options that say what is read and sent, and how a submit ends. */
    static Shape endings(Shape shape) {
        return shape.flag("Read no berth.yaml, no job.config.yaml and no lines of the script's.", JobFiles.NO_FILE)
                .flag("Send nothing of <dir>: the program starts in an empty directory.", JobFiles.NO_SNAPSHOT)
                .flag(
                        "Show the job as the server would run it, and where each value comes from; queue nothing.",
                        DRY_RUN)
                .flag("Show the job's log and end with its exit code.", "-f", FOLLOW)
                .flag("Wait for the job's end and end with its exit code.", WAIT);
    }

    @Override
    public int ownWords() {
        return 2;
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        List<Said> said = JobFiles.of(arguments, arguments.words(), this);
        boolean isSingle = said.size() == 1;
        checkEnds(arguments, isSingle ? said.getFirst().options() : null);
        BerthClient client = session.client();
        List<JobRequest> jobs = JobRequest.of(said, !arguments.has(JobFiles.NO_SNAPSHOT), session, client);
        if (isSingle) {
            return handedIn(client, jobs.getFirst(), arguments, session);
        }
        PipelineSubmit pipeline = new PipelineSubmit(jobs, session, client);
        return arguments.has(DRY_RUN) ? pipeline.planned() : pipeline.run();
    }

    /**
     * Submits a single job as a sweep.
     *
     * @param parameters those of a sweep file
     * @param packs how its runs share containers, where the line and the files of the job do not say it
     */
    static int run(Arguments arguments, Session session, Said said, Parameters parameters, SweepPacks packs)
            throws IOException {
        if (arguments.has(FOLLOW)) {
            throw Failure.usage(FOLLOW + " shows one log, and a sweep has one for each task; " + WAIT
                    + " waits for its end, berth logs -f ID_INDEX follows a task");
        }
        checkEnds(arguments, said.options());
        BerthClient client = session.client();
        JobRequest job = JobRequest.of(List.of(said), !arguments.has(JobFiles.NO_SNAPSHOT), session, client)
                .getFirst();
        String array = (String) job.request().get(JobOption.ARRAY.field());
        job.request().put(JobRequest.PARAMETERS, SweepTasks.sent(parameters, array));
        share(job.request(), packs, session);
        return handedIn(client, job, arguments, session);
    }

    private static void share(Map<String, Object> request, SweepPacks packs, Session session) {
        if (request.containsKey(JobOption.PACK.field())) {
            return;
        }
        boolean isOfAll = String.valueOf(request.getOrDefault(JobOption.ARRAY.field(), "%"))
                .startsWith("%");
        SweepPacks own = isOfAll ? packs : packs.ofSome();
        if (!own.remark().isEmpty()) {
            session.output().warning(own.remark());
        }
        if (own.size() > 0) {
            request.put(JobOption.PACK.field(), own.size());
            request.putIfAbsent(JobOption.PARALLEL.field(), own.parallel());
        }
    }

    /**
     * Refuses more than one of the ways in which a submit can end.
     *
     * @param options of the job; null for several
     */
    private static void checkEnds(Arguments arguments, @Nullable GivenOptions options) {
        List<String> given = new ArrayList<>();
        for (String option : List.of(DRY_RUN, FOLLOW, WAIT)) {
            if (arguments.has(option)) {
                given.add(option);
            }
        }
        if (given.size() > 1) {
            throw Failure.usage(given.get(0) + " and " + given.get(1) + " exclude each other; give one of them");
        }
        if (options == null && !given.isEmpty() && !arguments.has(DRY_RUN)) {
            throw Failure.usage(
                    given.getFirst()
                            + " is for a single job, and the file has several; berth wait $(berth submit -q ...) waits for all");
        }
        for (JobOption option : List.of(JobOption.ARRAY, JobOption.REPEAT, JobOption.SWEEP, JobOption.ZIP)) {
            Given said = options == null ? null : options.get(option);
            if (arguments.has(FOLLOW) && said != null) {
                throw Failure.usage(FOLLOW + " and " + said.with("")
                        + " exclude each other, as an array has a log for each task; " + WAIT
                        + " waits for its end, berth logs -f ID_INDEX follows a task");
            }
        }
    }

    private static int handedIn(BerthClient client, JobRequest asked, Arguments arguments, Session session)
            throws IOException {
        Said said = asked.said();
        if (arguments.has(DRY_RUN)) {
            asked.show(OptionRefusal.retold(said, () -> client.plan(asked.request())), session.output());
            return ExitCode.OK;
        }
        SnapshotPlan plan = asked.plan();
        Map<String, Object> request = plan == null ? asked.request() : asked.with(new Upload(client, session).of(plan));
        JobView job = OptionRefusal.retold(said, () -> session.retried().once(key -> client.submit(request, key)));
        if (arguments.has(FOLLOW) || arguments.has(WAIT)) {
            boolean showLog = arguments.has(FOLLOW) && !arguments.has(Shape.QUIET);
            return new Follow(session, client).untilEnd(job, showLog);
        }
        tell(job, session);
        return ExitCode.OK;
    }

    /** Tells of a job that the server accepted. */
    static void tell(JobView job, Session session) {
        session.output().submitted(job);
        if (job.state().equals("FAILED")) {
            session.output().notice("berth: job " + job.number() + " ended at once: " + job.sentence());
        }
    }
}
