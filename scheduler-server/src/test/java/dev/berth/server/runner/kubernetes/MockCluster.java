package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.SERVER;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.server.mock.KubernetesMixedDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.ServerRequest;
import io.fabric8.mockwebserver.ServerResponse;
import io.fabric8.mockwebserver.http.Buffer;
import io.fabric8.mockwebserver.http.Dispatcher;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A cluster that keeps what it is given, as strict as a real API server in what it takes. It has no controllers and no nodes: the
 * tests play those.
 */
final class MockCluster implements AutoCloseable {
    /** It tells of each request; kept here, as else the level is forgotten. */
    private static final Logger TALK = Logger.getLogger("io.fabric8.mockwebserver");

    private static final KubernetesSerialization JSON = new KubernetesSerialization();

    private final KubernetesMockServer server;
    private final KubernetesClient client;
    private final Map<String, String> logs = new ConcurrentHashMap<>();
    private final Set<String> forbidden = ConcurrentHashMap.newKeySet();
    private final Queue<Function<RecordedRequest, @Nullable MockResponse>> failures = new ConcurrentLinkedQueue<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();

    MockCluster() {
        TALK.setLevel(Level.WARNING);
        Map<ServerRequest, Queue<ServerResponse>> responses = new HashMap<>();
        Dispatcher mixed = new KubernetesMixedDispatcher(responses);
        server = new KubernetesMockServer(
                new Context(),
                new MockWebServer(),
                responses,
                new Dispatcher() {
                    @Override
                    public MockResponse dispatch(RecordedRequest request) {
                        return answer(request, mixed);
                    }

                    @Override
                    public void shutdown() {
                        mixed.shutdown();
                    }
                },
                false);
        server.init();
        try (KubernetesClient usual = server.createClient()) {
            // As the engine's own has it: nothing is tried twice.
            client = new KubernetesClientBuilder()
                    .withConfig(new ConfigBuilder(usual.getConfiguration())
                            .withRequestRetryBackoffLimit(0)
                            .build())
                    .build();
        }
    }

    KubernetesClient client() {
        return client;
    }

    /** An engine for it. */
    KubernetesEngine engine(KubernetesSettings settings, InstantSource clock) {
        return new KubernetesEngine(SERVER, settings, client, handed -> "/fetch?of=" + handed.name(), clock);
    }

    /** All requests until now: method and path. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    /** Lets the next request whose method and path begin so fail. */
    void failNext(String begin, int code, String reason, String message) {
        failures.add(request -> (request.getMethod() + " " + request.getPath()).startsWith(begin)
                ? failure(code, reason, message)
                : null);
    }

    /** Lets the next list of these be one of the cache before anything was in it. */
    void staleNext(String begin, String kind, String version) {
        failures.add(request -> (request.getMethod() + " " + request.getPath()).startsWith(begin)
                ? new MockResponse()
                        .setResponseCode(200)
                        .setHeader("Content-Type", "application/json")
                        .setBody("{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{},\"items\":[]}"
                                .formatted(kind, version))
                : null);
    }

    /** Takes a right from the server, as it is told when it asks: {@code create jobs}, {@code get pods/log}. */
    void forbid(String right) {
        forbidden.add(right);
    }

    private MockResponse answer(RecordedRequest request, Dispatcher mixed) {
        requests.add(request.getMethod() + " " + request.getPath());
        for (Function<RecordedRequest, @Nullable MockResponse> failure : failures) {
            MockResponse response = failure.apply(request);
            if (response != null) {
                failures.remove(failure);
                return response;
            }
        }
        String path = request.getPath();
        if (path.contains("/log?")) {
            return log(path);
        }
        if (request.getMethod().equals("POST")) {
            if (path.endsWith("/selfsubjectaccessreviews")) {
                return rights(request);
            }
            // A body can be read once.
            byte[] body = request.getBody().getBytes();
            List<String> problems = problems(new String(body, UTF_8));
            return problems.isEmpty()
                    ? mixed.dispatch(new RecordedRequest(
                            request.getHttpVersion(), request.method(), path, request.getHeaders(), new Buffer(body)))
                    : failure(422, "Invalid", "is invalid: " + String.join(", ", problems));
        }
        return mixed.dispatch(path.contains("/events?") ? withoutFields(request) : request);
    }

    /** The mock server finds nothing by the fields of an event. */
    private static RecordedRequest withoutFields(RecordedRequest request) {
        String path = request.getPath().replaceAll("fieldSelector=[^&]*&?", "");
        return new RecordedRequest(
                request.getHttpVersion(), request.method(), path, request.getHeaders(), new Buffer());
    }

    private static List<String> problems(String body) {
        HasMetadata resource = JSON.unmarshal(body);
        return switch (resource) {
            case Job job -> StrictServer.problems(job);
            case Secret secret -> StrictServer.problems(secret);
            default -> List.of();
        };
    }

    private MockResponse rights(RecordedRequest request) {
        SelfSubjectAccessReview asked = JSON.unmarshal(request.getUtf8Body(), SelfSubjectAccessReview.class);
        var attributes = asked.getSpec().getResourceAttributes();
        String part = attributes.getSubresource() == null ? "" : "/" + attributes.getSubresource();
        boolean isAllowed = !forbidden.contains(attributes.getVerb() + " " + attributes.getResource() + part);
        return new MockResponse()
                .setResponseCode(201)
                .setHeader("Content-Type", "application/json")
                .setBody(JSON.asJson(new SelfSubjectAccessReviewBuilder(asked)
                        .withNewStatus()
                        .withAllowed(isAllowed)
                        .endStatus()
                        .build()));
    }

    static MockResponse failure(int code, String reason, String message) {
        Status status = new StatusBuilder()
                .withStatus("Failure")
                .withCode(code)
                .withReason(reason)
                .withMessage(message)
                .build();
        return new MockResponse()
                .setResponseCode(code)
                .setHeader("Content-Type", "application/json")
                .setBody(JSON.asJson(status));
    }

    /** Sets all that a pod has written, with time stamps. */
    void log(String pod, String lines) {
        logs.put(pod, lines);
    }

    /** As a node does it: the API server hands whole seconds on, and lines before that time are left out. */
    private MockResponse log(String path) {
        String pod = path.replaceAll(".*/pods/([^/]+)/log.*", "$1");
        String all = logs.get(pod);
        if (all == null) {
            return failure(400, "BadRequest", "container \"job\" in pod \"" + pod + "\" is waiting to start");
        }
        String since = path.contains("sinceTime=")
                ? path.replaceAll(".*sinceTime=([^&]+).*", "$1").replace("%3A", ":")
                : "";
        StringBuilder lines = new StringBuilder();
        for (String line : all.split("(?<=\n)")) {
            if (line.compareTo(since.replace("Z", "")) >= 0) {
                lines.append(line);
            }
        }
        return new MockResponse().setResponseCode(200).setBody(lines.toString());
    }

    // ---- what controllers and nodes do ----------------------------------------------------------------------------

    Job job(String name) {
        return client.batch().v1().jobs().inNamespace("lab").withName(name).get();
    }

    /** The controller of Jobs makes the pod of one. */
    Pod makePod(String job) {
        Job made = job(job);
        Map<String, String> labels =
                new HashMap<>(made.getSpec().getTemplate().getMetadata().getLabels());
        labels.put("job-name", job);
        labels.put("batch.kubernetes.io/job-name", job);
        return client.pods()
                .inNamespace("lab")
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(job + "-x7k2p")
                        .withNamespace("lab")
                        .withLabels(labels)
                        .endMetadata()
                        .withSpec(made.getSpec().getTemplate().getSpec())
                        .withNewStatus()
                        .withPhase("Pending")
                        .endStatus()
                        .build())
                .create();
    }

    Pod pod(String job) {
        return client.pods().inNamespace("lab").withName(job + "-x7k2p").get();
    }

    void editPod(String job, UnaryOperator<PodBuilder> edit) {
        client.pods()
                .inNamespace("lab")
                .withName(job + "-x7k2p")
                .edit(pod -> edit.apply(new PodBuilder(pod)).build());
    }

    void editJob(String name, UnaryOperator<JobBuilder> edit) {
        client.batch()
                .v1()
                .jobs()
                .inNamespace("lab")
                .withName(name)
                .edit(job -> edit.apply(new JobBuilder(job)).build());
    }

    void status(String job, String phase, UnaryOperator<ContainerStatusBuilder> container) {
        editPod(
                job,
                pod -> pod.editSpec()
                        .withNodeName("gpu-01")
                        .endSpec()
                        .editOrNewStatus()
                        .withPhase(phase)
                        .withContainerStatuses(container
                                .apply(new ContainerStatusBuilder().withName("job"))
                                .build())
                        .endStatus());
    }

    void running(String job) {
        status(
                job,
                "Running",
                container -> container
                        .withNewState()
                        .withNewRunning("2026-11-28T12:01:00Z")
                        .endState());
    }

    void waiting(String job, String reason, @Nullable String message) {
        status(
                job,
                "Pending",
                container ->
                        container.withNewState().withNewWaiting(message, reason).endState());
    }

    void ended(String job, int exitCode, String reason) {
        status(
                job,
                exitCode == 0 ? "Succeeded" : "Failed",
                container -> container
                        .withNewState()
                        .withNewTerminated()
                        .withExitCode(exitCode)
                        .withReason(reason)
                        .withStartedAt("2026-11-28T12:01:00Z")
                        .withFinishedAt("2026-11-28T12:05:00Z")
                        .endTerminated()
                        .endState());
    }

    /** The controller of Jobs says that one is over. */
    void over(String job, String type, String reason) {
        editJob(
                job,
                made -> made.editOrNewStatus()
                        .addNewCondition()
                        .withType(type)
                        .withStatus("True")
                        .withReason(reason)
                        .withLastTransitionTime("2026-11-28T12:05:01Z")
                        .endCondition()
                        .endStatus());
    }

    /** The cluster removes what belongs to Jobs that are gone. */
    void collectGarbage() {
        Set<String> jobs = new HashSet<>();
        client.batch()
                .v1()
                .jobs()
                .inNamespace("lab")
                .list()
                .getItems()
                .forEach(job -> jobs.add(job.getMetadata().getName()));
        client.pods().inNamespace("lab").list().getItems().stream()
                .filter(pod -> !jobs.contains(AttemptLabels.jobOf(pod)))
                .forEach(pod -> client.resource(pod).delete());
        client.secrets().inNamespace("lab").list().getItems().stream()
                .filter(secret -> secret.getMetadata().getOwnerReferences().stream()
                        .anyMatch(owner -> !jobs.contains(owner.getName())))
                .forEach(secret -> client.resource(secret).delete());
    }

    @Override
    public void close() {
        client.close();
        server.destroy();
    }
}
