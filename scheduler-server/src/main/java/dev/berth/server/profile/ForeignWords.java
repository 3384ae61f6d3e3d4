package dev.berth.server.profile;

import dev.berth.server.config.YamlNode.Entry;
import dev.berth.server.config.YamlNode.Scalar;
import java.util.Map;
import java.util.Set;

/** Words of KubeSpawner's and Kubernetes' that are known, and mean nothing here or are refused. */
final class ForeignWords {
    private static final String RIGHTS =
            "is not for a profile to say: a job runs as its submitter and with their rights;" + " leave it out";
    private static final String BESIDE =
            "is not for a profile to say: a job is one program in one container; leave it out";

    /** Options of KubeSpawner's that are about its notebook server, its cluster and its volumes. */
    static final Set<String> OF_SPAWNER = Set.of(
            "args",
            "automount_service_account_token",
            "cmd",
            "common_labels",
            "consecutive_failure_limit",
            "debug",
            "default_url",
            "delete_grace_period",
            "delete_pvc",
            "delete_stopped_pods",
            "events_enabled",
            "extra_annotations",
            "extra_labels",
            "http_timeout",
            "image_pull_secrets",
            "ip",
            "namespace",
            "node_affinity_preferred",
            "node_affinity_required",
            "notebook_dir",
            "pod_affinity_preferred",
            "pod_affinity_required",
            "pod_anti_affinity_preferred",
            "pod_anti_affinity_required",
            "pod_name_template",
            "poll_interval",
            "port",
            "priority_class_name",
            "pvc_name_template",
            "scheduler_name",
            "service_account",
            "start_timeout",
            "storage_access_modes",
            "storage_capacity",
            "storage_class",
            "storage_extra_labels",
            "storage_pvc_ensure",
            "storage_selector",
            "working_dir");

    static final Set<String> OF_PODS = Set.of(
            "affinity",
            "automountServiceAccountToken",
            "dnsPolicy",
            "enableServiceLinks",
            "imagePullSecrets",
            "nodeSelector",
            "priorityClassName",
            "runtimeClassName",
            "schedulerName",
            "serviceAccountName",
            "terminationGracePeriodSeconds",
            "tolerations",
            "topologySpreadConstraints");

    static final Set<String> OF_CONTAINERS = Set.of(
            "livenessProbe", "readinessProbe", "startupProbe", "terminationMessagePath", "terminationMessagePolicy");

    /** What a profile cannot have, and why. */
    static final Map<String, String> REFUSED = Map.ofEntries(
            Map.entry("privileged", RIGHTS),
            Map.entry("allow_privilege_escalation", RIGHTS),
            Map.entry("container_security_context", RIGHTS),
            Map.entry("pod_security_context", RIGHTS),
            Map.entry("uid", RIGHTS),
            Map.entry("gid", RIGHTS),
            Map.entry("fs_gid", RIGHTS),
            Map.entry("supplemental_gids", RIGHTS),
            Map.entry("init_containers", BESIDE),
            Map.entry("extra_containers", BESIDE),
            Map.entry("lifecycle_hooks", BESIDE));

    private static final Set<String> MAY_BE_OFF = Set.of("privileged", "allow_privilege_escalation");

    private ForeignWords() {}

    /** Whether it says that a right is not there, which it never is. */
    static boolean isOff(Entry entry) {
        return MAY_BE_OFF.contains(entry.name())
                && entry.value() instanceof Scalar scalar
                && scalar.text().equalsIgnoreCase("false");
    }
}
