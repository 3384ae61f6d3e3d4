package dev.berth.server.runner.slurm;

import dev.berth.core.job.Submitter;
import dev.berth.server.linux.Users;
import dev.berth.testclient.SlurmCluster;
import java.util.List;
import java.util.Map;

/** An ordinary user of this machine, made for a test and removed by it. */
record SlurmUser(Submitter submitter) implements AutoCloseable {
    static SlurmUser create(String name) {
        delete(name);
        SlurmCluster.run(
                List.of(
                        "useradd",
                        "--user-group",
                        "--create-home",
                        "--home-dir",
                        "/home/" + name,
                        "--shell",
                        "/bin/sh",
                        name),
                Map.of());
        return new SlurmUser(new Users().find(name).orElseThrow());
    }

    /** One that was broken off may have left it. */
    private static void delete(String name) {
        SlurmCluster.run(List.of("sh", "-c", "userdel --remove " + name + " 2> /dev/null; true"), Map.of());
    }

    @Override
    public void close() {
        delete(submitter.name());
    }
}
