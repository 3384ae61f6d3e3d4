package dev.berth.server.runner.slurm;

import dev.berth.testclient.FreePort;
import dev.berth.testclient.SlurmCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A login node: this machine's own sshd at a port of its own, which one user comes to by the name {@code berth-login}. As root. */
record LoginNode(Path directory, long pid, String knownTo) implements AutoCloseable {
    static final String NAME = "berth-login";

    static LoginNode start(SlurmUser user) throws IOException {
        Path directory = Files.createTempDirectory("login");
        sh("chmod 755 $0; mkdir -p /run/sshd; ssh-keygen -q -t ed25519 -N '' -f $0/host", directory.toString());
        int port = FreePort.find();
        Files.writeString(directory.resolve("config"), """
            Port %d
            ListenAddress 127.0.0.1
            HostKey %s/host
            PidFile %s/pid
            AuthorizedKeysFile %s/keys
            StrictModes no
            UsePAM no
            PasswordAuthentication no
            """.formatted(port, directory, directory, directory));
        String name = user.submitter().name();
        Path home = Path.of("/home", name, ".ssh");
        sh(
                "mkdir -m 700 $0; ssh-keygen -q -t ed25519 -N '' -f $0/key; cp $0/key.pub $1/keys;"
                        + " echo \"[127.0.0.1]:$2 $(cat $1/host.pub)\" > $0/known_hosts; usermod -p '*' $3",
                home.toString(),
                directory.toString(),
                Integer.toString(port),
                name);
        Files.writeString(home.resolve("config"), """
            Host %s
              HostName 127.0.0.1
              Port %d
              IdentityFile %s/key
            """.formatted(NAME, port, home));
        sh(
                "chown -R $0: $1; /usr/sbin/sshd -f $2/config -E $2/log; until [ -s $2/pid ]; do sleep 0.05; done",
                name,
                home.toString(),
                directory.toString());
        return new LoginNode(
                directory,
                Long.parseLong(Files.readString(directory.resolve("pid")).strip()),
                name);
    }

    /** Another user comes to know it by that name, too, and has no key there. */
    void tell(SlurmUser user) {
        String name = user.submitter().name();
        sh(
                "mkdir -m 700 $1; sed '/IdentityFile/d' $0/config > $1/config; cp $0/known_hosts $1; chown -R $2: $1",
                "/home/" + knownTo + "/.ssh",
                "/home/" + name + "/.ssh",
                name);
    }

    private static void sh(String script, String... arguments) {
        List<String> words = new ArrayList<>(List.of("sh", "-e", "-c", script));
        words.addAll(List.of(arguments));
        SlurmCluster.run(words, Map.of());
    }

    @Override
    public void close() {
        sh("kill $0; rm -rf $1", Long.toString(pid), directory.toString());
    }
}
