package dev.berth.server.runner.kubernetes;

import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;

/** Asks Kubernetes what the server may do there. */
record Rights(ClusterCalls calls) {

    /**
     * Whether it may.
     *
     * @param group of the API; empty for its core
     * @param part a subresource; empty for the whole
     */
    boolean may(String verb, String group, String resource, String part) {
        SelfSubjectAccessReview question = new SelfSubjectAccessReviewBuilder()
                .withNewSpec()
                .withNewResourceAttributes()
                .withNamespace(calls.namespace())
                .withVerb(verb)
                .withGroup(group)
                .withResource(resource)
                .withSubresource(part.isEmpty() ? null : part)
                .endResourceAttributes()
                .endSpec()
                .build();
        SelfSubjectAccessReview answer = calls.failures()
                .call(
                        "ask for its rights",
                        () -> calls.client()
                                .authorization()
                                .v1()
                                .selfSubjectAccessReview()
                                .create(question));
        return answer.getStatus() != null
                && Boolean.TRUE.equals(answer.getStatus().getAllowed());
    }
}
