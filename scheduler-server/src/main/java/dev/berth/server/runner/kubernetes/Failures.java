package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineException.Scope;
import dev.berth.server.runner.EngineText;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/**
 * The sentences for what Kubernetes refuses or fails at. The kind follows from the status alone: what is about the server's own
 * rights or the cluster's state may be mended by the operator and fails no job; what is about the job itself is refused for good.
 *
 * @param server the address of the API server
 */
record Failures(String server, Kubectl kubectl) {
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int TOO_LARGE = 413;
    private static final int INVALID = 422;
    private static final int BAD_REQUEST = 400;
    private static final int TOO_MANY = 429;
    private static final int SERVERS = 500;

    /** The cause that Kubernetes names (k8s.io/api/core/v1, NamespaceTerminatingCause). */
    private static final String NAMESPACE_LEAVES = "NamespaceTerminating";

    /** Makes a call whose failure is one of these. */
    <T> T call(String doing, Supplier<T> call) {
        try {
            return call.get();
        } catch (KubernetesClientException e) {
            throw of(doing, e);
        }
    }

    /** Makes a call without a result. */
    void run(String doing, Runnable call) {
        try {
            call.run();
        } catch (KubernetesClientException e) {
            throw of(doing, e);
        }
    }

    /**
     * The failure of a call.
     *
     * @param doing what it was to do, going on from "may not": {@code create Jobs}
     */
    EngineException of(String doing, KubernetesClientException failure) {
        if (failure.getCode() < BAD_REQUEST) {
            return unreachable(failure);
        }
        String words = words(failure);
        return switch (failure.getCode()) {
            case UNAUTHORIZED ->
                new EngineException(
                        Kind.FAILING,
                        Scope.ALL,
                        "Kubernetes at " + server
                                + " does not know who this server is (401): its token or certificate has"
                                + " expired or is wrong; see " + kubectl.command("auth whoami")
                                + " and renew what the kubeconfig has",
                        failure);
            case FORBIDDEN ->
                new EngineException(
                        Kind.FAILING,
                        Scope.ALL,
                        "Kubernetes does not let this server " + doing + " in namespace " + kubectl.namespace() + ": "
                                + words + "; docs/kubernetes.md has the Role that it needs",
                        failure);
            case NOT_FOUND ->
                new EngineException(
                        Kind.FAILING,
                        Scope.ALL,
                        "Kubernetes did not find what it takes to " + doing + ": " + words
                                + "; where the namespace is missing: "
                                + kubectl.ofAdministrator().command("create namespace " + kubectl.namespace()),
                        failure);
            case CONFLICT ->
                new EngineException(
                        Kind.FAILING, "Kubernetes was changing the same thing meanwhile: " + words, failure);
            case TOO_MANY ->
                new EngineException(
                        Kind.FAILING,
                        Scope.ALL,
                        "Kubernetes has too many requests at present and asks to come again: " + words,
                        failure);
            default ->
                new EngineException(
                        Kind.FAILING,
                        "Kubernetes failed to " + doing + " (" + failure.getCode() + "): " + words,
                        failure);
        };
    }

    /**
     * The failure of a call that was to make something.
     *
     * @param things what it is one of, for people
     * @param resource what Kubernetes calls them
     * @param name the one that was to be made
     */
    EngineException ofCreate(String things, String resource, String name, KubernetesClientException failure) {
        String namespace = kubectl.namespace();
        if (isLeaving(failure)) {
            return new EngineException(
                    Kind.FAILING,
                    Scope.ALL,
                    "namespace " + namespace + " is being deleted, and takes nothing new: once it is gone, "
                            + kubectl.ofAdministrator().command("create namespace " + namespace),
                    failure);
        }
        if (isQuota(resource, name, failure)) {
            return new EngineException(
                    Kind.FAILING,
                    Scope.ALL,
                    "the quota of namespace " + namespace + " is used up: " + words(failure) + "; see "
                            + kubectl.ofAdministrator().inNamespace("describe quota"),
                    failure);
        }
        return switch (failure.getCode()) {
            case BAD_REQUEST, INVALID, TOO_LARGE ->
                new EngineException(Kind.REFUSED, "Kubernetes does not take the job: " + words(failure), failure);
            default -> of("create " + things, failure);
        };
    }

    /** Whether something was not made for what is no matter of its own, and passes: a quota, a namespace that is being deleted. */
    static boolean isPassing(String resource, String name, KubernetesClientException failure) {
        return isLeaving(failure) || isQuota(resource, name, failure);
    }

    private static boolean isLeaving(KubernetesClientException failure) {
        return Optional.ofNullable(failure.getStatus())
                .map(Status::getDetails)
                .map(StatusDetails::getCauses)
                .orElse(List.of())
                .stream()
                .anyMatch(cause -> NAMESPACE_LEAVES.equals(cause.getReason()));
    }

    /** In words of Kubernetes' own that begin with names which no submitter chooses. */
    private static boolean isQuota(String resource, String name, KubernetesClientException failure) {
        return isForbidden(failure)
                && words(failure).startsWith(resource + " \"" + name + "\" is forbidden: exceeded quota: ");
    }

    private EngineException unreachable(KubernetesClientException failure) {
        // The last one is the cause of those before it.
        Throwable cause = Stream.iterate((Throwable) failure, Objects::nonNull, Throwable::getCause)
                .filter(Failures::isTelling)
                .reduce((_, last) -> last)
                .orElse(failure);
        String why = switch (cause) {
            case CertificateException _ ->
                "its certificate is not trusted (" + cause.getMessage()
                        + "); the kubeconfig's certificate-authority must be that of the cluster";
            case SSLException _ ->
                "no connection by TLS (" + cause.getMessage() + "); see clusters.server in the kubeconfig, and try "
                        + kubectl.command("get --raw /readyz");
            case UnknownHostException _, UnresolvedAddressException _ ->
                "nobody knows that name; see clusters.server in the kubeconfig";
            case HttpTimeoutException _, TimeoutException _ ->
                "no answer in time; try " + kubectl.command("get --raw /readyz");
            case ConnectException _ -> "nothing takes connections there; try " + kubectl.command("get --raw /readyz");
            default ->
                EngineText.of(String.valueOf(cause.getMessage())).sentence() + "; try "
                        + kubectl.command("get --raw /readyz");
        };
        return new EngineException(Kind.UNREACHABLE, "Kubernetes at " + server + " does not answer: " + why, failure);
    }

    private static boolean isTelling(Throwable cause) {
        return cause instanceof CertificateException
                || cause instanceof SSLException
                || cause instanceof UnknownHostException
                || cause instanceof UnresolvedAddressException
                || cause instanceof HttpTimeoutException
                || cause instanceof TimeoutException
                || cause instanceof ConnectException;
    }

    /** Kubernetes' own words, for people. */
    static String words(KubernetesClientException failure) {
        String message =
                failure.getStatus() == null ? null : failure.getStatus().getMessage();
        return EngineText.of(message == null ? String.valueOf(failure.getMessage()) : message)
                .sentence();
    }

    static boolean isConflict(KubernetesClientException failure) {
        return failure.getCode() == CONFLICT;
    }

    static boolean isForbidden(KubernetesClientException failure) {
        return failure.getCode() == FORBIDDEN;
    }

    static boolean isNotFound(KubernetesClientException failure) {
        return failure.getCode() == NOT_FOUND;
    }

    /** Whether the API server, or the node behind it, failed at something. */
    static boolean isServers(KubernetesClientException failure) {
        return failure.getCode() >= SERVERS;
    }

    /** Whether a log is asked for that there is none of yet, or no more. */
    static boolean isNoLog(KubernetesClientException failure) {
        return failure.getCode() == NOT_FOUND || failure.getCode() == BAD_REQUEST;
    }
}
