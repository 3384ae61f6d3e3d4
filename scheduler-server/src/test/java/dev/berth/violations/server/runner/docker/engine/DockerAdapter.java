package dev.berth.violations.server.runner.docker.engine;

import com.github.dockerjava.api.DockerClient;

/** What may know docker-java. */
public final class DockerAdapter {
    private DockerAdapter() {}

    public static String text() {
        return "text";
    }

    static String docker(DockerClient docker) {
        return docker.toString();
    }
}
