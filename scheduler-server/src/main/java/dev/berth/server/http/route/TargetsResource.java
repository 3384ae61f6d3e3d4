package dev.berth.server.http.route;

import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.DoctorView;
import dev.berth.core.api.ServerView.StateCount;
import dev.berth.core.api.TargetList;
import dev.berth.core.api.TargetView;
import dev.berth.core.command.ClosestWord;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Capacity;
import dev.berth.core.machine.Machine;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.exchange.TextTable;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.image.ImageName;
import dev.berth.server.runner.target.TargetDirectory;
import dev.berth.server.runner.target.TargetDirectory.Answer;
import dev.berth.server.runner.target.TargetDirectory.Trial;
import dev.berth.server.runner.target.TargetEngine.Abilities;
import dev.berth.server.runner.target.TargetEngine.Ability;
import dev.berth.server.runner.target.TargetEngine.Finding;
import dev.berth.server.runner.target.TargetEngine.Health;
import dev.berth.server.runner.target.Targets.Target;
import dev.berth.server.store.JobQueries;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code /targets}: where jobs can go. */
final class TargetsResource {
    private static final String ORDER = "strict first in, first out";

    /** Whatever the engine's own order is. */
    private static final String ONE_BY_ONE = "first in, first out: it is given one job at a time";

    private final TargetDirectory targets;
    private final Supplier<Machine> machine;
    private final JobQueries queries;
    private final Access access;
    private final InstantSource clock;

    TargetsResource(
            TargetDirectory targets,
            Supplier<Machine> machine,
            JobQueries queries,
            Access access,
            InstantSource clock) {
        this.targets = targets;
        this.machine = machine;
        this.queries = queries;
        this.access = access;
        this.clock = clock;
    }

    void addTo(Router router) {
        router.add("GET", "/api/v1/targets", (exchange, caller, _) -> list(exchange, caller));
        router.add("POST", "/api/v1/targets/{name}/doctor", this::doctor);
    }

    private void list(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        List<Answer> answers = targets.healths();
        List<Target> all = targets.all();
        List<TargetView> views = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            views.add(view(all.get(i), answers.get(i), caller));
        }
        views.addFirst(
                scheduler(caller, views.stream().mapToLong(TargetView::jobs).sum()));
        if (!TextTable.isWanted(exchange)) {
            Json.answer(exchange, 200, new TargetList(views));
            return;
        }
        TextTable table = new TextTable("NAME", "KIND", "STATE", "JOBS", "HOLDS", "ORDER");
        for (TargetView view : views) {
            table.row(view.name(), view.kind(), view.shownState(), view.jobs(), view.capacity(), view.order());
        }
        table.answer(exchange);
    }

    /** Of jobs that one may not see no number is told either. */
    private static @Nullable Long owner(Caller caller) {
        return caller.seesAll() ? null : Long.valueOf(caller.uid());
    }

    private TargetView scheduler(Caller caller, long elsewhere) {
        long live = queries.counts(owner(caller)).stream()
                .filter(count -> !StateName.valueOf(count.state()).isFinal())
                .mapToLong(StateCount::jobs)
                .sum();
        return new TargetView(
                TargetView.SCHEDULER,
                "Berth",
                TargetView.OK,
                "this machine's own queue",
                capacity(machine.get().capacity()),
                ORDER,
                caller.maySubmit(),
                null,
                Math.max(0, live - elsewhere));
    }

    private static String capacity(Capacity capacity) {
        int gpus = capacity.gpus().size();
        int jobs = capacity.workers() + capacity.cpuWorkers();
        return (gpus == 1 ? "1 GPU" : gpus + " GPUs") + ", " + (jobs == 1 ? "1 job" : jobs + " jobs") + " at once";
    }

    private TargetView view(Target target, Answer answer, Caller caller) {
        Abilities abilities = target.engine().abilities();
        Health health = answer instanceof Answer.Said said ? said.health() : null;
        boolean isOpen = caller.maySubmit()
                && (caller.isAdministrator() || targets.mayUse(target.settings().name(), caller.user()));
        return new TargetView(
                target.settings().name(),
                abilities.kind(),
                state(answer),
                answer instanceof Answer.None none ? none.sentence() : health == null ? "" : health.sentence(),
                health == null ? "" : health.capacity(),
                order(target, health),
                isOpen,
                target.settings().atOnce(),
                targets.jobs(target.settings().name(), owner(caller)));
    }

    private static String order(Target target, @Nullable Health health) {
        if (target.settings().atOnce() == 1) {
            return ONE_BY_ONE;
        }
        return health == null ? target.engine().abilities().order() : health.order();
    }

    private static String state(Answer answer) {
        return switch (answer) {
            case Answer.Said(Health health) -> health.isWell() ? TargetView.OK : TargetView.UNWELL;
            case Answer.None none -> none.isUnreachable() ? TargetView.UNREACHABLE : TargetView.UNWELL;
        };
    }

    private void doctor(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        access.requireOperator(caller);
        // The job that is tried is the caller's.
        access.requireSubmitter(caller);
        Target target = target(in.getOrDefault("name", ""));
        List<DoctorFinding> findings = findings(target, trial(exchange, caller, target));
        boolean isReady =
                findings.stream().noneMatch(finding -> finding.verdict().equals(DoctorFinding.FAILURE));
        String sentence = isReady
                ? target.settings().name() + " runs jobs"
                : "jobs for " + target.settings().name() + " cannot be relied on until what has failed above is mended";
        Json.answer(exchange, 200, new DoctorView(isReady, sentence, findings));
    }

    /** The job that is tried. */
    private static Trial trial(Exchange exchange, Caller caller, Target target) {
        int gpus = (int) Parameters.number(exchange, "gpus", 0, 0, GpuRequest.MAX_COUNT);
        return new Trial(caller.user(), image(exchange, target), GpuRequest.whole(gpus));
    }

    private static @Nullable String image(Exchange exchange, Target target) {
        String image = exchange.query("image").orElse(null);
        if (image == null) {
            return null;
        }
        if (!ImageName.isGood(image)) {
            throw ApiException.field("image", PrintableText.of(image), ImageName.RULE);
        }
        if (!target.engine().abilities().has(Ability.CONTAINERS)) {
            throw ApiException.field(
                    "image",
                    PrintableText.of(image),
                    "is of containers, and programs run on the nodes of target "
                            + target.settings().name() + " as they are; leave it out");
        }
        return image;
    }

    private List<DoctorFinding> findings(Target target, Trial trial) throws InterruptedException {
        try {
            return targets.examine(target, trial, clock.instant()).stream()
                    .map(TargetsResource::finding)
                    .toList();
        } catch (EngineException e) {
            return List.of(new DoctorFinding("engine", DoctorFinding.FAILURE, e.sentence(), null, null));
        }
    }

    private static DoctorFinding finding(Finding finding) {
        return new DoctorFinding(
                finding.name(),
                switch (finding.verdict()) {
                    case WELL -> DoctorFinding.OK;
                    case WARNING -> DoctorFinding.WARNING;
                    case FAILURE -> DoctorFinding.FAILURE;
                },
                finding.sentence(),
                finding.remedy().orElse(null),
                null);
    }

    private Target target(String name) {
        if (name.equals(TargetView.SCHEDULER)) {
            throw ApiException.of(
                    409,
                    "NOT_BEYOND",
                    "scheduler is this machine's own queue; berth doctor without --target examines it");
        }
        return targets.find(name).orElseThrow(() -> noSuchTarget(name));
    }

    private ApiException noSuchTarget(String name) {
        return ApiException.of(
                404,
                "NO_SUCH_TARGET",
                "there is no target '" + PrintableText.of(name) + "'" + ClosestWord.question(name, targets.names())
                        + " berth targets lists those that there are");
    }
}
