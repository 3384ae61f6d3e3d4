package dev.berth.testclient;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a real API server refuses and the mock server accepts, as far as it was seen on a real one or is in Kubernetes' validation
 * (pkg/apis/core/validation, pkg/apis/batch/validation).
 */
public final class StrictServer {
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern SUBDOMAIN = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
    private static final Pattern LABEL_VALUE = Pattern.compile("([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?");
    private static final Pattern LABEL_KEY =
            Pattern.compile("([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?");
    private static final Pattern SECRET_KEY = Pattern.compile("[-._a-zA-Z0-9]{1,253}");
    private static final Pattern VARIABLE = Pattern.compile("[-._a-zA-Z][-._a-zA-Z0-9]*");
    private static final long MAX_ID = 2_147_483_647L;
    private static final int MAX_SECRET = 1024 * 1024;

    private final List<String> problems = new ArrayList<>();

    private StrictServer() {}

    /** What it would refuse of this; nothing where it takes it. */
    public static List<String> problems(Job job) {
        StrictServer strict = new StrictServer();
        strict.metadata(job.getMetadata().getName(), LABEL, job.getMetadata().getLabels());
        strict.metadata(
                job.getMetadata().getName(),
                SUBDOMAIN,
                job.getSpec().getTemplate().getMetadata().getLabels());
        strict.pod(job.getSpec().getTemplate().getSpec());
        return strict.problems;
    }

    /** What it would refuse of this; nothing where it takes it. */
    public static List<String> problems(Secret secret) {
        StrictServer strict = new StrictServer();
        strict.metadata(
                secret.getMetadata().getName(), SUBDOMAIN, secret.getMetadata().getLabels());
        long bytes = 0;
        for (Map.Entry<String, String> entry : secret.getData().entrySet()) {
            strict.expect(
                    SECRET_KEY.matcher(entry.getKey()).matches(), "data[" + entry.getKey() + "]: not a valid key");
            bytes += Base64.getDecoder().decode(entry.getValue()).length;
        }
        strict.expect(bytes <= MAX_SECRET, "data: Too long: must have at most 1048576 bytes");
        return strict.problems;
    }

    private void expect(boolean isSo, String problem) {
        if (!isSo) {
            problems.add(problem);
        }
    }

    private void metadata(String name, Pattern form, Map<String, String> labels) {
        expect(name != null && form.matcher(name).matches(), "metadata.name: Invalid value: \"" + name + "\"");
        labels.forEach((key, value) -> {
            expect(LABEL_KEY.matcher(key).matches(), "metadata.labels: Invalid key: \"" + key + "\"");
            expect(LABEL_VALUE.matcher(value).matches(), "metadata.labels: Invalid value: \"" + value + "\"");
        });
    }

    private void pod(PodSpec pod) {
        expect(
                Set.of("Never", "OnFailure").contains(String.valueOf(pod.getRestartPolicy())),
                "spec.template.spec.restartPolicy: Unsupported value: \"" + pod.getRestartPolicy() + "\"");
        expect(
                pod.getActiveDeadlineSeconds() == null
                        || (pod.getActiveDeadlineSeconds() >= 1 && pod.getActiveDeadlineSeconds() <= MAX_ID),
                "spec.template.spec.activeDeadlineSeconds: must be between 1 and 2147483647");
        id(pod.getSecurityContext().getRunAsUser());
        id(pod.getSecurityContext().getRunAsGroup());
        pod.getSecurityContext().getSupplementalGroups().forEach(this::id);
        pod.getNodeSelector()
                .forEach((key, value) -> expect(
                        LABEL_KEY.matcher(key).matches()
                                && LABEL_VALUE.matcher(value).matches(),
                        "spec.nodeSelector: Invalid value: " + key + "=" + value));
        pod.getTolerations()
                .forEach(one -> expect(
                        !"Exists".equals(one.getOperator()) || one.getValue() == null,
                        "spec.tolerations: value must be empty when `operator` is 'Exists'"));
        expect(!pod.getContainers().isEmpty(), "spec.containers: Required value");
        Set<String> volumes = new HashSet<>();
        for (Volume volume : pod.getVolumes()) {
            expect(LABEL.matcher(volume.getName()).matches(), "spec.volumes.name: Invalid value: " + volume.getName());
            expect(volumes.add(volume.getName()), "spec.volumes: Duplicate value: " + volume.getName());
        }
        Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream())
                .forEach(container -> container(container, volumes));
        pod.getInitContainers()
                .forEach(container -> expect(
                        container.getRestartPolicy() == null
                                || container.getRestartPolicy().equals("Always"),
                        "spec.initContainers.restartPolicy: Unsupported value: " + container.getRestartPolicy()));
        pod.getContainers()
                .forEach(container -> expect(
                        container.getRestartPolicy() == null,
                        "spec.containers.restartPolicy: Forbidden: may not be set for non-init containers"));
    }

    private void id(Long id) {
        expect(id == null || (id >= 0 && id <= MAX_ID), "securityContext: must be between 0 and 2147483647: " + id);
    }

    private void container(Container container, Set<String> volumes) {
        String at = "containers[" + container.getName() + "]";
        expect(LABEL.matcher(container.getName()).matches(), at + ".name: Invalid value");
        String image = container.getImage();
        expect(image != null && !image.isEmpty(), at + ".image: Required value");
        expect(
                image == null || image.equals(image.strip()),
                at + ".image: must not have leading or trailing whitespace");
        Set<String> paths = new HashSet<>();
        for (VolumeMount mount : container.getVolumeMounts()) {
            expect(volumes.contains(mount.getName()), at + ".volumeMounts: Not found: " + mount.getName());
            expect(paths.add(mount.getMountPath()), at + ".volumeMounts: must be unique: " + mount.getMountPath());
        }
        for (EnvVar variable : container.getEnv()) {
            expect(VARIABLE.matcher(variable.getName()).matches(), at + ".env: Invalid value: " + variable.getName());
            expect(
                    variable.getValue() == null || variable.getValueFrom() == null,
                    at + ".env: may not be specified when `value` is not empty");
        }
        if (container.getResources() != null) {
            resources(at, container.getResources());
        }
    }

    private void resources(String at, ResourceRequirements resources) {
        Map<String, Quantity> limits = resources.getLimits();
        limits.forEach((name, amount) -> {
            if (name.contains("/")) {
                expect(
                        amount.getNumericalAmount().stripTrailingZeros().scale() <= 0,
                        at + ".limits[" + name + "]: must be an integer");
            }
        });
        resources.getRequests().forEach((name, amount) -> {
            BigDecimal request = amount.getNumericalAmount();
            Quantity limit = limits.get(name);
            if (name.contains("/")) {
                expect(
                        limit != null && limit.getNumericalAmount().compareTo(request) == 0,
                        at + ".requests[" + name + "]: must be equal to " + name + " limit");
            }
            expect(
                    limit == null || request.compareTo(limit.getNumericalAmount()) <= 0,
                    at + ".requests[" + name + "]: must be less than or equal to " + name + " limit");
        });
    }
}
