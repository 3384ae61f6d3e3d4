package dev.berth.server.http.route;

import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.OptionValues;
import dev.berth.core.api.PipelineRequest;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.machine.Step.Reply;
import dev.berth.core.option.Forms;
import dev.berth.core.option.JobOption;
import dev.berth.server.bounds.MemoryBudget;
import dev.berth.server.bounds.MemoryBudget.Share;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.submit.ProfileChoice;
import dev.berth.server.http.submit.Profiled;
import dev.berth.server.http.submit.Submission;
import dev.berth.server.http.submit.Submission.Wanted;
import dev.berth.server.http.submit.SubmitParts;
import dev.berth.server.http.view.JobViews;
import dev.berth.server.linux.Users;
import dev.berth.server.loop.Pipeline;
import dev.berth.server.loop.Pipeline.Earlier;
import dev.berth.server.loop.Pipeline.Stage;
import dev.berth.server.loop.Scheduling;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code /pipelines}: several jobs in one submit, which are accepted all or none. */
final class PipelinesResource {
    private static final char NUMBER = '#';
    private static final int MAX_DIGITS = 4;

    /** How a job may wait for one of the same list: of arrays that are not there yet nobody knows the tasks. */
    private static final List<String> KINDS = Forms.DEPENDENCIES.stream()
            .filter(kind -> !kind.equals(DependencyKind.AFTER_CORR.word()))
            .toList();

    private final Scheduling scheduling;
    private final JobViews views;
    private final Submission submission;
    private final SubmitParts parts;
    private final ProfileChoice profiles;
    private final Access access;
    private final MemoryBudget memory;

    PipelinesResource(
            Scheduling scheduling,
            JobViews views,
            Submission submission,
            SubmitParts parts,
            Users users,
            Access access,
            MemoryBudget memory) {
        this.scheduling = scheduling;
        this.views = views;
        this.submission = submission;
        this.parts = parts;
        this.profiles = new ProfileChoice(parts.profiles(), users);
        this.access = access;
        this.memory = memory;
    }

    void addTo(Router router) {
        router.add("POST", "/api/v1/pipelines", (exchange, caller, _) -> submit(exchange, caller));
    }

    private void submit(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        access.requireSubmitter(caller);
        try (Share share = memory.share(caller.uid())) {
            byte[] body = Json.body(exchange.body(), share);
            List<@Nullable SubmitRequest> jobs =
                    Json.parse(body, PipelineRequest.class).jobs();
            if (jobs == null || jobs.isEmpty() || jobs.size() > Pipeline.MAX_STAGES) {
                throw ApiException.field(
                        "jobs",
                        jobs == null ? "" : String.valueOf(jobs.size()),
                        "must be a list of 1 to " + Pipeline.MAX_STAGES + " jobs");
            }
            SubmitKey key = JobsResource.key(exchange, body);
            answer(exchange, caller, new Pipeline(stages(jobs, caller, key), caller.user(), key));
        }
    }

    private void answer(Exchange exchange, Caller caller, Pipeline pipeline) throws IOException, InterruptedException {
        switch (JobsResource.await(scheduling.submit(pipeline, submission.room()))) {
            case Reply.AcceptedAll(List<Job> jobs) -> Json.answer(exchange, 201, list(jobs));
            case Reply.RepeatedAll(List<Job> jobs) -> Json.answer(exchange, 200, list(jobs));
            case Reply refused -> throw JobsResource.refusal(refused, caller, submission);
        }
    }

    private JobList list(List<Job> jobs) {
        List<JobView> shown = jobs.stream().map(views::of).toList();
        return new JobList(shown, null);
    }

    private List<Stage> stages(List<@Nullable SubmitRequest> jobs, Caller caller, @Nullable SubmitKey key) {
        // What was accepted before is told of, whatever is known by now of images and of the jobs that are waited for.
        boolean isRepeated = key != null && access.queries().isSubmitted(caller.uid(), Pipeline.keyOf(key.key(), 0));
        List<Stage> stages = new ArrayList<>();
        long bytes = 0;
        for (@Nullable SubmitRequest job : jobs) {
            try {
                stages.add(stage(job, stages.size(), caller, isRepeated));
            } catch (ApiException refused) {
                throw refused.ofJob(stages.size() + 1);
            }
            bytes += stages.getLast().bytes();
            if (bytes > Pipeline.MAX_BYTES) {
                throw ApiException.field(
                        "jobs",
                        bytes + " bytes",
                        "must have commands, variables, values of sweeps and options of at most " + Pipeline.MAX_BYTES
                                + " in all; put what is large into a file of the submitted directory");
            }
        }
        int dependencies = stages.stream().mapToInt(Stage::dependencies).sum();
        if (dependencies > Pipeline.MAX_DEPENDENCIES) {
            throw ApiException.field(
                    "jobs",
                    dependencies + " dependencies",
                    "must be at most " + Pipeline.MAX_DEPENDENCIES + " of all jobs together");
        }
        return stages;
    }

    private Stage stage(@Nullable SubmitRequest job, int place, Caller caller, boolean isRepeated) {
        if (job == null || job.host()) {
            throw ApiException.field("jobs", job == null ? "null" : "host", "must be jobs in containers");
        }
        OptionValues asked = job.options();
        Set<Earlier> earlier = new LinkedHashSet<>();
        List<@Nullable String> others = new ArrayList<>();
        for (@Nullable String text : asked.texts(JobOption.DEPENDENCY)) {
            if (text != null && text.indexOf(NUMBER) >= 0) {
                earlier.add(earlier(text, place));
            } else {
                others.add(text);
            }
        }
        if (earlier.size() + others.size() > Prerequisites.MAX_DEPENDENCIES) {
            throw ApiException.field(
                    JobOption.DEPENDENCY.field(),
                    (earlier.size() + others.size()) + " dependencies",
                    "must be at most " + Prerequisites.MAX_DEPENDENCIES);
        }
        Profiled profiled =
                submission.fitted(profiles.of(waitingFor(job, others, !earlier.isEmpty()), caller, isRepeated), caller);
        Wanted wanted = profiled.retelling(() -> submission.check(profiled, caller, isRepeated));
        if (!isRepeated) {
            parts.imageRefusal(wanted.spec(), wanted.program()).ifPresent(refusal -> {
                throw ApiException.neverFits(refusal);
            });
        }
        Prerequisites named = wanted.spec().prerequisites();
        JobSpec spec = wanted.spec()
                .waitingFor(new Prerequisites(named.begin(), named.dependencies(), asked.has(JobOption.KEEP_WAITING)));
        return new Stage(spec, wanted.program(), List.copyOf(earlier));
    }

    /** The request of a job that waits for such jobs alone. */
    private static SubmitRequest waitingFor(SubmitRequest job, List<@Nullable String> others, boolean hasEarlier) {
        Map<String, @Nullable Object> options =
                new LinkedHashMap<>(job.options().values());
        options.put(JobOption.DEPENDENCY.field(), others);
        if (hasEarlier) {
            options.remove(JobOption.KEEP_WAITING.field());
        }
        return job.with(new OptionValues(options));
    }

    /** The job of the list that such a text as {@code afterok:#1} names; only those before it are there to wait for. */
    private static Earlier earlier(String text, int place) {
        int colon = text.indexOf(':');
        Optional<DependencyKind> kind = DependencyKind.of(colon < 0 ? text : text.substring(0, colon));
        String digits = text.substring(Math.min(text.length(), colon + 2));
        boolean isNumber = colon >= 0
                && text.indexOf(NUMBER) == colon + 1
                && !digits.isEmpty()
                && digits.length() <= MAX_DIGITS
                && digits.chars().allMatch(letter -> letter >= '0' && letter <= '9');
        int number = isNumber ? Integer.parseInt(digits) : 0;
        if (kind.filter(DependencyKind.AFTER_CORR::equals).isPresent()) {
            throw ApiException.field(
                    JobOption.DEPENDENCY.field(),
                    PrintableText.of(text),
                    "waits task by task for an array of the same list, which Berth does not do; submit that one before, and"
                            + " name its number");
        }
        if (kind.isEmpty() || number < 1 || number > place) {
            throw ApiException.field(
                    JobOption.DEPENDENCY.field(),
                    PrintableText.of(text),
                    "must be one of " + String.join(", ", KINDS)
                            + " with the number of a job that stands before it in the list, such as afterok:#1");
        }
        return new Earlier(kind.get(), number - 1);
    }
}
