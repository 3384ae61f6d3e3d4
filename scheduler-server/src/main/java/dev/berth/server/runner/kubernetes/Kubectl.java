package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.kubernetes.KubernetesSettings.Access;

/**
 * The commands that sentences tell people to run, which reach the same cluster as the server does, with its rights.
 *
 * @param options those that come first, with a space before them
 */
record Kubectl(String options, String namespace) {
    static Kubectl of(KubernetesSettings settings) {
        Access access = settings.access();
        String file = access.kubeconfig() == null ? "" : " --kubeconfig " + access.kubeconfig();
        String context = access.context() == null ? "" : " --context " + access.context();
        return new Kubectl(file + context, settings.namespace());
    }

    /** Commands that need more rights than the server has: administrators have a kubeconfig of their own. */
    Kubectl ofAdministrator() {
        return new Kubectl("", namespace);
    }

    /** A command about the whole cluster. */
    String command(String verb) {
        return "kubectl" + options + " " + verb;
    }

    /** A command about the namespace. */
    String inNamespace(String verb) {
        return "kubectl" + options + " -n " + namespace + " " + verb;
    }
}
