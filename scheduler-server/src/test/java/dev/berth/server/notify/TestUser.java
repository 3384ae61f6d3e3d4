package dev.berth.server.notify;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** An ordinary user of this machine with a home and one more group, made for a test and removed by it. */
record TestUser(String name, long uid, Path home) implements AutoCloseable {
    private static final String GROUP = "-lab";

    static TestUser create(String name, String shell) throws IOException {
        remove(name);
        Path home = Files.createTempDirectory("home");
        run("groupadd", name + GROUP);
        run(
                "useradd",
                "--user-group",
                "--no-create-home",
                "--home-dir",
                home.toString(),
                "--groups",
                name + GROUP,
                "--shell",
                shell,
                name);
        run("chown", name + ":" + name, home.toString());
        return new TestUser(name, Long.parseLong(run("id", "-u", name).strip()), home);
    }

    private static void remove(String name) throws IOException {
        run("userdel", name);
        run("groupdel", name + GROUP);
    }

    /** What a program writes to its standard output. */
    static String run(String... words) throws IOException {
        Process process = new ProcessBuilder(List.of(words))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Process _ = process.onExit().join();
        return said;
    }

    @Override
    public void close() throws IOException {
        remove(name);
        run("rm", "-r", home.toString());
    }
}
