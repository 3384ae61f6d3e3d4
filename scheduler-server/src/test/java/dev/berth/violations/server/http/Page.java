package dev.berth.violations.server.http;

import com.github.dockerjava.api.DockerClient;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.sql.SQLException;
import org.eclipse.jetty.server.Server;
import org.sqlite.SQLiteConfig;

/** A resource that knows which libraries the house is built with. */
public final class Page {
    private Page() {}

    public static String text() {
        return "text";
    }

    static String jetty(Server server) {
        return server.getState();
    }

    static String docker(DockerClient docker) {
        return docker.toString();
    }

    static String kubernetes(KubernetesClient kubernetes) {
        return kubernetes.toString();
    }

    static String sqlite() {
        return new SQLiteConfig().toString();
    }

    static String jdbc(SQLException failure) {
        return failure.getSQLState();
    }
}
