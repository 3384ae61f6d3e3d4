package dev.berth.server.runner.docker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.core.job.EngineRun;
import dev.berth.server.runner.EngineException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** This process listens at the socket, as the system's manager does; the processes are files. */
class EngineProcessTest {
    private static final int LISTENER = (int) ProcessHandle.current().pid();

    @TempDir
    private Path directory;

    private Path proc = Path.of("");
    private EngineProcess engine = new EngineProcess(Path.of(""), Path.of(""), () -> true);

    @AutoClose
    private ServerSocketChannel listening;

    @BeforeEach
    void listen() throws IOException {
        Path socket = directory.resolve("docker.sock");
        listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
        proc = Files.createDirectories(directory.resolve("proc"));
        Files.createDirectories(proc.resolve("sys/kernel/random"));
        Files.writeString(proc.resolve("sys/kernel/random/boot_id"), "b1\n");
        engine = new EngineProcess(socket, proc, () -> true);
        process(LISTENER, "java", 'S', 5);
    }

    private void process(int pid, String name, char state, long startTicks) throws IOException {
        process(pid, name, state, startTicks, 1, owner() + "\t" + owner() + "\t" + owner() + "\t" + owner(), "" + pid);
    }

    private void process(int pid, String name, char state, long startTicks, int parent, String uids, String pids)
            throws IOException {
        process(pid, name, state, startTicks, parent, uids, pids, 0x402100);
    }

    private void process(
            int pid, String name, char state, long startTicks, int parent, String uids, String pids, int flags)
            throws IOException {
        Path folder = Files.createDirectories(proc.resolve(Integer.toString(pid)));
        Files.writeString(
                folder.resolve("stat"),
                "%d (%s) %c %d 0 0 0 0 %d%s 1 0 %d 0\n"
                        .formatted(pid, name, state, parent, flags, " 0".repeat(10), startTicks));
        Files.writeString(folder.resolve("status"), "Name:\t%s\nUid:\t%s\nNSpid:\t%s\n".formatted(name, uids, pids));
    }

    private static String owner() {
        return Long.toString(new UnixSystem().getUid());
    }

    private EngineRun allOf(String processes) {
        return new EngineRun("b1:" + processes);
    }

    @Test
    void itIsThatWhichListens() throws IOException {
        process(100, "dockerd", 'S', 7);
        process(LISTENER, "dockerd", 'S', 5);
        assertThat(engine.run()).isEqualTo(allOf(LISTENER + "@5"));
    }

    /** It may be killed alone, and the engine answers then for a start of which it knows nothing. */
    @Test
    void itsContainerdIsAPartOfIt() throws IOException {
        process(LISTENER, "dockerd", 'S', 5);
        process(90, "containerd", 'S', 3);
        assertThat(engine.run()).as("the system's").isEqualTo(allOf(LISTENER + "@5,90@3"));

        String uids = owner() + "\t" + owner() + "\t" + owner() + "\t" + owner();
        process(91, "containerd", 'S', 9, LISTENER, uids, "91");
        process(92, "containerd-shim", 'S', 9, 91, uids, "92");
        assertThat(engine.run()).as("its own").isEqualTo(allOf(LISTENER + "@5,91@9"));

        assertThat(engine.daemon()).as("without it").isEqualTo(allOf(LISTENER + "@5"));

        process(91, "containerd", 'Z', 9, LISTENER, uids, "91");
        assertThat(engine.run().isSameAs(allOf(LISTENER + "@5,91@9"))).isFalse();
    }

    /** Its connections are closed while the kernel shows it yet: what it was asked may have failed for that. */
    @Test
    void whatIsEndingIsNoPartOfItAnyMore() throws IOException {
        String uids = owner() + "\t" + owner() + "\t" + owner() + "\t" + owner();
        int exiting = 0x402104;
        process(LISTENER, "dockerd", 'S', 5);
        process(91, "containerd", 'R', 9, LISTENER, uids, "91", exiting);
        assertThat(engine.run()).isEqualTo(allOf(LISTENER + "@5"));
        process(LISTENER, "dockerd", 'D', 5, 1, uids, "" + LISTENER, exiting);
        assertThatThrownBy(engine::run)
                .isInstanceOfSatisfying(
                        EngineException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(EngineException.Kind.UNREACHABLE));
    }

    @Test
    void whereTheSystemsManagerListensAllOfTheNameCount() throws IOException {
        process(100, "dockerd", 'S', 7);
        process(101, "docker", 'S', 8);
        assertThat(engine.run()).isEqualTo(allOf("100@7"));
        process(300, "dockerd", 'S', 12);
        assertThat(engine.run()).as("nobody can tell which of them it is").isEqualTo(allOf("100@7,300@12"));
        process(100, "dockerd", 'Z', 7);
        assertThat(engine.run()).isEqualTo(allOf("300@12"));
    }

    @Test
    void theLastThatBeganIsWhenTheRunBegan() throws IOException {
        Instant now = Instant.parse("2026-01-01T09:00:00Z");
        assertThat(engine.beginnings(now)).as("not seen").isEmpty();
        Files.writeString(proc.resolve("uptime"), "1000.50 1800.00\n");
        assertThat(engine.beginnings(now)).as("no engine").isEmpty();
        process(100, "dockerd", 'S', 99_050);
        process(300, "dockerd", 'S', 40_000);
        Instant asItWas = Instant.parse("2026-01-01T06:59:50Z");
        Files.setLastModifiedTime(directory.resolve("docker.sock"), FileTime.from(asItWas));
        assertThat(engine.beginnings(now))
                .as("the date was set by two hours since")
                .containsExactly(now.minusSeconds(10), asItWas);
    }

    @Test
    void anotherProcessIsAnotherRunAlsoUnderTheSameNumber() throws IOException {
        process(100, "dockerd", 'S', 7);
        EngineRun first = engine.run();
        process(100, "dockerd", 'S', 9);
        assertThat(engine.run().isSameAs(first)).isFalse();
    }

    /** Anyone who likes may call a process so; with the set-user-ID bit it is the owner's in part. */
    @Test
    void usersTakeNoPartInIt() throws IOException {
        process(100, "dockerd", 'S', 7);
        process(200, "dockerd", 'S', 8, 1, "1234\t1234\t1234\t1234", "200");
        process(201, "dockerd", 'S', 8, 1, "1234\t" + owner() + "\t" + owner() + "\t" + owner(), "201");
        assertThat(engine.run()).isEqualTo(allOf("100@7"));
    }

    @Test
    void norDoEnginesInContainersAndWhatItHasForked() throws IOException {
        process(100, "dockerd", 'S', 7);
        String own = owner() + "\t" + owner() + "\t" + owner() + "\t" + owner();
        process(200, "dockerd", 'S', 8, 1, own, "200\t14");
        process(201, "dockerd", 'S', 9, 100, own, "201");
        assertThat(engine.run()).isEqualTo(allOf("100@7"));
    }

    @Test
    void whileNobodyListensItCannotBeAsked() throws IOException {
        process(100, "dockerd", 'S', 7);
        listening.close();
        assertThatThrownBy(engine::run)
                .isInstanceOfSatisfying(
                        EngineException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(EngineException.Kind.UNREACHABLE));
    }

    /** One that is busy is no other one: a start that it was asked for before may be asked for again. */
    @Test
    void whileItTakesNobodyItCannotBeAskedEither() throws IOException {
        process(100, "dockerd", 'S', 7);
        listening.close();
        Path socket = directory.resolve("docker.sock");
        Files.delete(socket);
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(socket);
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocketChannel busy =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address, 1)) {
            for (int i = 0; i < 2; i++) {
                waiting.add(SocketChannel.open(address));
            }
            assertThatThrownBy(engine::run)
                    .isInstanceOfSatisfying(
                            EngineException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(EngineException.Kind.UNREACHABLE));
            assertThat(busy.isOpen()).isTrue();
        } finally {
            for (SocketChannel one : waiting) {
                one.close();
            }
        }
    }

    @Test
    void whereNoneIsSeenOrItRunsElsewhereNobodyCanTell() throws IOException {
        assertThat(engine.run()).isEqualTo(EngineRun.UNKNOWN);
        process(100, "dockerd", 'S', 7);
        EngineProcess elsewhere = new EngineProcess(directory.resolve("docker.sock"), proc, () -> false);
        assertThat(elsewhere.run()).isEqualTo(EngineRun.UNKNOWN);
        assertThat(EngineRun.UNKNOWN.isSameAs(elsewhere.run())).isFalse();
    }
}
