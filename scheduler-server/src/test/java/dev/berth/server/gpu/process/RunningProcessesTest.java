package dev.berth.server.gpu.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What /proc says, written by hostile hands and by this machine's kernel. */
class RunningProcessesTest {
    private static final String CONTAINER = "c0ffee00".repeat(8);
    private static final String INNER = "0123abcd".repeat(8);

    @TempDir
    private Path proc;

    private RunningProcesses table;

    @BeforeEach
    void open() {
        table = new RunningProcesses(proc, uid -> "user" + uid);
    }

    private void write(long pid, String name, String state, long parent, String groups, String... words)
            throws IOException {
        Path folder = Files.createDirectories(proc.resolve(Long.toString(pid)));
        Files.writeString(
                folder.resolve("stat"),
                pid + " (" + name + ") " + state + " " + parent + " 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 98765 0 0\n");
        Files.writeString(folder.resolve("status"), "Name:\tx\nUid:\t1000\t0\t0\t0\nGid:\t1\t1\t1\t1\n");
        Files.writeString(folder.resolve("cgroup"), groups);
        Files.writeString(folder.resolve("cmdline"), words.length == 0 ? "" : String.join("\0", words) + "\0");
    }

    private String command(String... words) throws IOException {
        write(7, "comm", "S", 1, "", words);
        return table.command(table.find(7).orElseThrow());
    }

    @Test
    void aNameMayLookLikeTheRestOfTheLine() throws IOException {
        write(7, ") Z 1 (", "S", 3, "0::/user.slice\n");
        assertThat(table.find(7)).contains(new RunningProcess(7, 98_765, 3, 1000, ") Z 1 (", List.of()));
    }

    /** Anyone who has a part of the tree, as systemd gives one to each user, can name a cgroup after a container. */
    @Test
    void aContainersNameCountsWhereNoUserCanHaveGivenIt() throws IOException {
        Path tree = Files.createDirectories(proc.resolve("cgroup"));
        Files.writeString(
                Files.createDirectories(proc.resolve("self")).resolve("mountinfo"),
                "41 31 0:38 / " + tree + " rw - cgroup2 cgroup2 rw\n");
        Files.createDirectories(tree.resolve("system.slice/docker-" + CONTAINER + ".scope"));
        Path manager = Files.createDirectories(tree.resolve("user.slice/user@1000.service"));
        Path forged = Files.createDirectories(manager.resolve(CONTAINER));
        Files.createDirectory(forged.resolve("deeper"));
        boolean isRoot = (int) Files.getAttribute(tree, "unix:uid") == 0;
        if (isRoot) {
            Files.setAttribute(forged, "unix:uid", 1000);
        }
        table = new RunningProcesses(proc, uid -> "user" + uid);
        write(7, "x", "S", 3, "0::/system.slice/docker-" + CONTAINER + ".scope/init\n");
        assertThat(table.find(7).orElseThrow().containers()).containsExactly(CONTAINER);
        write(7, "x", "S", 3, "0::/user.slice/user@1000.service/" + CONTAINER + "/deeper\n");
        assertThat(table.find(7).orElseThrow().containers()).isEqualTo(isRoot ? List.of() : List.of(CONTAINER));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Z", "X"})
    void whatHasEndedIsNotThere(String state) throws IOException {
        write(7, "python", state, 1, "");
        assertThat(table.find(7)).isEmpty();
        assertThat(table.find(8)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0::/docker/%s",
        "0::/system.slice/docker-%s.scope",
        "0::/system.slice/docker-%s.scope/init",
        "0::/machine.slice/libpod-%s.scope/container"
    })
    void aContainerIsKnownByItsControlGroup(String group) throws IOException {
        write(7, "python", "S", 1, "1:name=systemd:/\n" + group.formatted(CONTAINER) + "\n");
        assertThat(table.find(7).orElseThrow().containers()).containsExactly(CONTAINER);
    }

    @Test
    void aContainerInAnotherIsTheInnerOne() throws IOException {
        write(7, "python", "S", 1, "0::/docker/" + CONTAINER + "/docker/" + INNER + "\n");
        assertThat(table.find(7).orElseThrow().containers()).containsExactly(CONTAINER, INNER);
        write(8, "python", "S", 1, "0::/user.slice/" + CONTAINER + "0\n");
        assertThat(table.find(8).orElseThrow().containers()).isEmpty();
    }

    @Test
    void theProgramAndItsScriptAreNamedAndNothingElse() throws IOException {
        assertThat(command("/usr/bin/python3.11", "-u", "/home/alice/train.py", "--token=secret"))
                .isEqualTo("python3.11 train.py");
        assertThat(command("python", "-m", "torch.distributed.run", "secret"))
                .isEqualTo("python -m torch.distributed.run");
        assertThat(command("python3", "-c", "password = 'secret'")).isEqualTo("python3 -c");
        assertThat(command("python3", "-I", "-", "secret")).isEqualTo("python3 -");
        assertThat(command("/opt/solver", "secret")).isEqualTo("solver");
        assertThat(command()).isEqualTo("comm");
    }

    @Test
    void namesAreMadeHarmless() throws IOException {
        assertThat(command("/x/\u001b[2Jevil\nname\u202egnp.exe")).isEqualTo("?[2Jevil?name?gnp.exe");
        assertThat(command("/x/" + "a".repeat(9_000))).isEqualTo("a".repeat(77) + "...");
    }

    @Test
    void aProcessIsItsParentsChild() throws IOException {
        write(1, "init", "S", 0, "");
        write(5, "bash", "S", 1, "");
        write(7, "python", "S", 5, "");
        assertThat(table.ancestry(table.find(7).orElseThrow()).map(RunningProcess::pid))
                .containsExactly(7L, 5L, 1L);
        write(5, "bash", "S", 7, "");
        assertThat(table.ancestry(table.find(7).orElseThrow()).limit(5_000)).hasSizeLessThan(5_000);
    }

    @Test
    void whoseItIsIsSaidByName() throws IOException {
        write(7, "python", "S", 1, "");
        assertThat(table.user(table.find(7).orElseThrow())).isEqualTo("user1000");
    }

    @Test
    void thisProcessIsInThisMachinesTable() {
        RunningProcesses machine = RunningProcesses.ofThisMachine();
        long pid = ProcessHandle.current().pid();
        RunningProcess self = machine.find(pid).orElseThrow();
        assertThat(machine.user(self)).isEqualTo(System.getProperty("user.name"));
        assertThat(machine.command(self)).isEqualTo("java");
        assertThat(machine.all()).extracting(RunningProcess::pid).contains(pid);
        RunningProcess another =
                new RunningProcess(pid, self.startTicks(), self.parent(), 4_123_456_789L, "java", List.of());
        assertThat(machine.user(another)).as("nobody has this number").isEqualTo("uid 4123456789");
    }
}
