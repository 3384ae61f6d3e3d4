package dev.berth.cli.command.submit;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.command.Session;
import dev.berth.cli.command.submit.JobFiles.Said;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.snapshot.SnapshotPlan;
import dev.berth.core.api.JobView;
import dev.berth.core.api.SubmitPlan;
import dev.berth.core.option.JobOption;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A submit of several jobs of a file: the server accepts all of them, or none. */
record PipelineSubmit(List<JobRequest> jobs, Session session, BerthClient client) {
    /** Hands them in, and tells of each. */
    int run() throws IOException {
        List<Map<String, Object>> requests = new ArrayList<>();
        Map<Path, String> snapshots = new HashMap<>();
        for (JobRequest job : jobs) {
            SnapshotPlan plan = job.plan();
            if (plan == null) {
                requests.add(job.request());
                continue;
            }
            String snapshot = snapshots.get(plan.root());
            if (snapshot == null) {
                snapshot = new Upload(client, session).of(plan);
                snapshots.put(plan.root(), snapshot);
            }
            requests.add(job.with(snapshot));
        }
        for (JobView job : accepted(requests)) {
            Submit.tell(job, session);
        }
        return ExitCode.OK;
    }

    private List<JobView> accepted(List<Map<String, Object>> requests) throws IOException {
        try {
            return session.retried()
                    .once(key -> client.submitAll(requests, key))
                    .jobs();
        } catch (Failure refused) {
            throw retold(refused);
        }
    }

    /** The refusal with the line of the file that it is about. */
    private Failure retold(Failure refused) {
        String number = refused.error().details().get("job");
        int at = number == null ? 0 : Integer.parseInt(number);
        if (at < 1 || at > jobs.size()) {
            return refused;
        }
        Said said = jobs.get(at - 1).said();
        String sentence = String.valueOf(refused.getMessage());
        String prefix = "job " + at + " of the request: ";
        return OptionRefusal.retold(
                sentence.startsWith(prefix) ? refused.inWords(sentence.substring(prefix.length())) : refused, said);
    }

    /** Shows each as the server would run it; what it waits for of the file is told, as the server does not know of that. */
    int planned() throws IOException {
        for (JobRequest job : jobs) {
            Said said = job.said();
            List<String> inFile = dependencies(job).stream()
                    .filter(JobRequest.Earlier::isNamedIn)
                    .toList();
            session.output()
                    .notice("berth: " + said.place() + ": job " + said.name()
                            + (inFile.isEmpty() ? "" : ", which waits for others of the file: " + named(inFile)));
            SubmitPlan plan = OptionRefusal.retold(said, () -> client.plan(alone(job)));
            job.show(plan, session.output());
        }
        return ExitCode.OK;
    }

    private static List<String> dependencies(JobRequest job) {
        return job.request().get(JobOption.DEPENDENCY.field()) instanceof List<?> all
                ? all.stream().map(String::valueOf).toList()
                : List.of();
    }

    private String named(List<String> dependencies) {
        return dependencies.stream()
                .map(dependency -> {
                    int number = dependency.indexOf('#');
                    int at = Integer.parseInt(dependency.substring(number + 1));
                    return dependency.substring(0, number)
                            + jobs.get(at - 1).said().name();
                })
                .collect(Collectors.joining(", "));
    }

    /** The request without the other jobs of the file. */
    private static Map<String, Object> alone(JobRequest job) {
        Map<String, Object> request = new LinkedHashMap<>(job.request());
        List<String> others = dependencies(job).stream()
                .filter(dependency -> !JobRequest.Earlier.isNamedIn(dependency))
                .toList();
        if (others.isEmpty()) {
            request.remove(JobOption.DEPENDENCY.field());
            request.remove(JobOption.KEEP_WAITING.field());
        } else {
            request.put(JobOption.DEPENDENCY.field(), others);
        }
        return request;
    }
}
