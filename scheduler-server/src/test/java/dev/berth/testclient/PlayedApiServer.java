package dev.berth.testclient;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
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
import io.fabric8.mockwebserver.http.WebSocket;
import io.fabric8.mockwebserver.http.WebSocketListener;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A Kubernetes API server that keeps what it is given, as strict as a real one in what it takes. Who asks may do all, but for the
 * rights that a test takes away. It has no controllers and no nodes: the tests play those.
 */
public final class PlayedApiServer implements AutoCloseable {
    /** It tells of each request; kept here, as else the level is forgotten. */
    private static final Logger TALK = Logger.getLogger("io.fabric8.mockwebserver");

    /** Of the kubeconfig. */
    private static final String TOKEN = "Bearer any";

    /** How a WebSocket ends where nothing is the matter (RFC 6455, section 7.4.1). */
    private static final int NORMAL = 1000;

    private static final KubernetesSerialization JSON = new KubernetesSerialization();

    private final KubernetesMockServer server;
    private final KubernetesClient client;
    private final BiFunction<String, String, Optional<String>> logs;
    private final Map<String, Duration> graces = new ConcurrentHashMap<>();
    private final Set<String> forbidden = ConcurrentHashMap.newKeySet();
    private final Queue<Function<RecordedRequest, @Nullable MockResponse>> failures = new ConcurrentLinkedQueue<>();
    private final Set<String> hanging = ConcurrentHashMap.newKeySet();
    private final Set<WebSocket> watches = ConcurrentHashMap.newKeySet();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private volatile String minor = "34";
    private volatile boolean isAway;
    private volatile boolean isSilent;
    private volatile @Nullable String last;

    /**
     * Starts one.
     *
     * @param logs all that a container of the pod of a name has written, each line with its time; empty where there is nothing yet
     */
    public PlayedApiServer(BiFunction<String, String, Optional<String>> logs) {
        this.logs = logs;
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
            // As Berth's own has it: nothing is tried twice.
            client = new KubernetesClientBuilder()
                    .withConfig(new ConfigBuilder(usual.getConfiguration())
                            .withRequestRetryBackoffLimit(0)
                            .withWatchReconnectLimit(0)
                            .build())
                    .build();
        }
    }

    /** A client of one who may do all. */
    public KubernetesClient client() {
        return client;
    }

    /** A kubeconfig that leads to it. */
    public String kubeconfig() {
        return """
                apiVersion: v1
                kind: Config
                current-context: played
                clusters: [{name: played, cluster: {server: "%s"}}]
                contexts: [{name: played, context: {cluster: played, user: berth}}]
                users: [{name: berth, user: {token: any}}]
                """.formatted(client.getMasterUrl());
    }

    /** All requests until now: method and path. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    /** The time from TERM to KILL that somebody gave a pod at its deletion; empty where nobody did. */
    public Optional<Duration> grace(String pod) {
        return Optional.ofNullable(graces.get(pod));
    }

    /** Lets the next request whose method and path begin so fail. */
    public void failNext(String begin, int code, String reason, String message) {
        answerNext(begin, failure(code, reason, message));
    }

    /** The same as a real one has it in a namespace that is being deleted. */
    public void leaveNext(String begin, String message) {
        Status status = new StatusBuilder(status(403, "Forbidden", message))
                .withNewDetails()
                .addNewCause()
                .withReason("NamespaceTerminating")
                .withField("metadata.namespace")
                .endCause()
                .endDetails()
                .build();
        answerNext(begin, json(403, JSON.asJson(status)));
    }

    /** Lets requests whose method and path begin so wait for an answer until {@link #resume}, as for a node that is off. */
    public void hang(String begin) {
        hanging.add(begin);
    }

    /** From now on all requests are answered. */
    public void resume() {
        hanging.clear();
    }

    /** Ends all watches, as a server does that is about to restart. */
    public void endWatches() {
        watches.forEach(watch -> watch.close(NORMAL, ""));
    }

    /** Tells all watches that what came after the version they began with is not known any more. */
    public void expireWatches() {
        String gone = JSON.asJson(status(410, "Expired", "too old resource version: 1 (2)"));
        watches.forEach(watch -> watch.send("{\"type\":\"ERROR\",\"object\":" + gone + "}"));
    }

    /** Lets the next list of these be one of the cache before anything was in it. */
    public void staleNext(String begin, String kind, String version) {
        answerNext(
                begin,
                json(
                        200,
                        "{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{},\"items\":[]}"
                                .formatted(kind, version)));
    }

    private void answerNext(String begin, MockResponse answer) {
        failures.add(request -> isOf(request, begin) ? answer : null);
    }

    /** Lets it not answer those who come by its kubeconfig, as Berth does and the tests' own controllers do not. */
    public void away(boolean whether) {
        isAway = whether;
    }

    /** Lets it go away after the next of their requests whose method and path begin so, before they hear what came of it. */
    public void awayAfter(String begin) {
        last = begin;
    }

    /** Lets it tell nothing by watches from now on, as where a connection is lost without a word. */
    public void silent() {
        isSilent = true;
    }

    /** Lets it be of another version, as one says it: {@code 28}, {@code 29+}. */
    public void minor(String version) {
        minor = version;
    }

    /** Takes a right from whoever asks, as it is told when it asks: {@code create jobs}, {@code get pods/log}. */
    public void forbid(String right) {
        forbidden.add(right);
    }

    private MockResponse answer(RecordedRequest request, Dispatcher mixed) {
        boolean isOfKubeconfig = TOKEN.equals(request.getHeader("Authorization"));
        if (isAway && isOfKubeconfig) {
            return failure(503, "ServiceUnavailable", "the server is currently unable to handle the request");
        }
        String begin = last;
        boolean isLast = begin != null && isOfKubeconfig && isOf(request, begin);
        if (isLast) {
            isAway = true;
            last = null;
        }
        MockResponse answer = answered(request, mixed);
        return isLast ? failure(504, "Timeout", "request did not complete within the allotted timeout") : answer;
    }

    private static boolean isOf(RecordedRequest request, String begin) {
        return (request.getMethod() + " " + request.getPath()).startsWith(begin);
    }

    private MockResponse answered(RecordedRequest request, Dispatcher mixed) {
        requests.add(request.getMethod() + " " + request.getPath());
        for (Function<RecordedRequest, @Nullable MockResponse> failure : failures) {
            MockResponse response = failure.apply(request);
            if (response != null) {
                failures.remove(failure);
                return response;
            }
        }
        if (hanging.stream().anyMatch(begin -> isOf(request, begin))) {
            return new MockResponse().setResponseCode(200).setBody("late").setBodyDelay(Duration.ofMinutes(10));
        }
        String path = request.getPath();
        if (isSilent && path.contains("watch=true")) {
            return new MockResponse().withWebSocketUpgrade(new WebSocketListener() {});
        }
        if (path.contains("/log?")) {
            return log(path);
        }
        if (path.equals("/version")) {
            return json(200, "{\"major\":\"1\",\"minor\":\"%1$s\",\"gitVersion\":\"v1.%1$s.2\"}".formatted(minor));
        }
        return switch (request.getMethod()) {
            case "POST" -> path.endsWith("/selfsubjectaccessreviews") ? rights(request) : made(request, mixed);
            case "DELETE" -> deleted(request, mixed);
            default -> read(path.contains("/events?") ? withoutFields(request) : request, mixed);
        };
    }

    private MockResponse read(RecordedRequest request, Dispatcher mixed) {
        MockResponse answer = mixed.dispatch(request);
        WebSocketListener listener = answer.getWebSocketListener();
        return listener == null ? answer : answer.withWebSocketUpgrade(new WatchListener(listener, watches));
    }

    private static MockResponse made(RecordedRequest request, Dispatcher mixed) {
        // A body can be read once.
        byte[] body = request.getBody().getBytes();
        List<String> problems = problems(new String(body, UTF_8));
        return problems.isEmpty()
                ? mixed.dispatch(with(request, request.getPath(), body))
                : failure(422, "Invalid", "is invalid: " + String.join(", ", problems));
    }

    private MockResponse deleted(RecordedRequest request, Dispatcher mixed) {
        byte[] body = request.getBody().getBytes();
        if (request.getPath().contains("/pods/") && body.length > 0) {
            Long grace =
                    JSON.unmarshal(new String(body, UTF_8), DeleteOptions.class).getGracePeriodSeconds();
            if (grace != null) {
                graces.put(request.getPath().replaceAll(".*/pods/", ""), Duration.ofSeconds(grace));
            }
        }
        return mixed.dispatch(with(request, request.getPath(), body));
    }

    /** The mock server finds nothing by the fields of an event. */
    private static RecordedRequest withoutFields(RecordedRequest request) {
        return with(request, request.getPath().replaceAll("fieldSelector=[^&]*&?", ""), new byte[0]);
    }

    private static RecordedRequest with(RecordedRequest request, String path, byte[] body) {
        return new RecordedRequest(
                request.getHttpVersion(), request.method(), path, request.getHeaders(), new Buffer(body));
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
        return json(
                201,
                JSON.asJson(new SelfSubjectAccessReviewBuilder(asked)
                        .withNewStatus()
                        .withAllowed(isAllowed)
                        .endStatus()
                        .build()));
    }

    private static MockResponse failure(int code, String reason, String message) {
        return json(code, JSON.asJson(status(code, reason, message)));
    }

    private static Status status(int code, String reason, String message) {
        return new StatusBuilder()
                .withStatus("Failure")
                .withCode(code)
                .withReason(reason)
                .withMessage(message)
                .build();
    }

    private static MockResponse json(int code, String body) {
        return new MockResponse()
                .setResponseCode(code)
                .setHeader("Content-Type", "application/json")
                .setBody(body);
    }

    /** As a node does it: the API server hands whole seconds on, and lines before that time are left out. */
    private MockResponse log(String path) {
        String pod = path.replaceAll(".*/pods/([^/]+)/log.*", "$1");
        String container = path.replaceAll(".*[?&]container=([^&]+).*", "$1");
        String all = logs.apply(pod, container).orElse(null);
        if (all == null) {
            return failure(
                    400, "BadRequest", "container \"" + container + "\" in pod \"" + pod + "\" is waiting to start");
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

    @Override
    public void close() {
        client.close();
        server.destroy();
    }
}
