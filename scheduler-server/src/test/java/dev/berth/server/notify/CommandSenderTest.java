package dev.berth.server.notify;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.berth.server.cgroup.LimitedCgroups;
import dev.berth.server.example.Jobs;
import dev.berth.server.linux.ProcessDescriptor;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.linux.Users;
import dev.berth.server.notify.Receiver.Command;
import dev.berth.server.notify.Sent.Arrived;
import dev.berth.server.notify.Sent.Failed;
import dev.berth.server.runner.host.LinuxKernel;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real commands of a real user, in real cgroups of this machine; as root, as a server of root's runs them. */
@Timeout(120)
@Isolated
class CommandSenderTest {
    private static final LinuxKernel KERNEL = new LinuxKernel(BackgroundWork.onVirtualThreads(InstantSource.system()));
    private static final String ID = "t" + ProcessHandle.current().pid();
    private static final Content CONTENT = Content.test("ada", Jobs.ENDED, "harbour1");
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String HUGE = "x".repeat(200_000);

    private static TestUser ada;
    private static LimitedCgroups cgroups;

    @BeforeAll
    static void make() throws Exception {
        ada = TestUser.create("berth-cmd-ada", "/bin/sh");
        cgroups = cgroups();
    }

    @AfterAll
    static void remove() throws Exception {
        ada.close();
    }

    private static LimitedCgroups cgroups() {
        return LimitedCgroups.ofThisMachine(
                new LimitedCgroups.Server(ID, 0, Path.of("/proc"), process -> {
                    boolean _ = KERNEL.signal(process, ProcessDescriptor.SIGKILL);
                }),
                new LimitedCgroups.Limits(64 << 20, 32));
    }

    private static CommandRules rules(long serverUid) {
        return new CommandRules(true, cgroups, serverUid, new Users());
    }

    private static Sent send(String line, Duration within) {
        try (CommandSender sender = new CommandSender(rules(0), within)) {
            return sender.send(new Command(line), ada.uid(), "k1", CONTENT, true);
        } finally {
            assertNothingIsLeft();
        }
    }

    private static void assertArrived(String line) {
        assertThat(send(line, LONG)).isInstanceOf(Arrived.class);
    }

    private static Failed failed(String line, Duration within) {
        return (Failed) send(line, within);
    }

    /** What has ended is there until its parent has heard of it. */
    private static List<String> processes() {
        ProcessTable table = new ProcessTable(Path.of("/proc"));
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().user().equals(Optional.of(ada.name())))
                .filter(process -> table.find(process.pid())
                        .filter(stat -> !stat.hasEnded())
                        .isPresent())
                .map(process -> process.info().commandLine().orElse(Long.toString(process.pid())))
                .toList();
    }

    private static void assertNothingIsLeft() {
        assertThat(processes()).isEmpty();
        assertThat(cgroupsThere()).isEmpty();
    }

    private static List<Path> cgroupsThere() {
        try (var all = Files.find(
                Path.of("/sys/fs/cgroup"),
                8,
                (path, _) -> String.valueOf(path.getFileName()).startsWith("berth-" + ID))) {
            return all.toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String said(String name) throws IOException {
        return Files.readString(ada.home().resolve(name));
    }

    @Test
    void thisMachineCanBoundCommands() {
        assertThat(cgroups.whyNone()).isEmpty();
    }

    @Test
    void aCommandGetsTheNoticeAtItsStandardInput() throws IOException {
        assertArrived("cat > notice");
        JsonNode notice = new JsonMapper().readTree(said("notice"));
        assertThat(notice.path("id").asText()).isEqualTo("k1");
        assertThat(notice.path("repeated").asBoolean()).isTrue();
        assertThat(notice.path("job").path("state").asText()).isEqualTo("COMPLETED");
    }

    @Test
    void aCommandIsItsUsersAndNothingElse() throws IOException, InterruptedException {
        assertArrived(
                "grep -E '^(Uid|Gid|Groups|CapInh|CapPrm|CapEff|CapAmb):' /proc/self/status > status; umask > umask;"
                        + " pwd > place; ls -l /proc/self/fd > files; ps -o sid= -p $$ | tr -d ' ' > session; echo $$ > self;"
                        + " cat /proc/self/oom_score_adj > oom");
        String groups = TestUser.run("id", "-G", ada.name()).strip();
        List<String> status = said("status")
                .lines()
                .map(line -> line.replaceAll("\\s+", " ").strip())
                .toList();
        String gid = groups.split(" ")[0];
        assertThat(status)
                .contains(
                        "Uid: %1$d %1$d %1$d %1$d".formatted(ada.uid()),
                        "Gid: %1$s %1$s %1$s %1$s".formatted(gid),
                        "CapInh: 0000000000000000",
                        "CapPrm: 0000000000000000",
                        "CapEff: 0000000000000000",
                        "CapAmb: 0000000000000000");
        assertThat(new TreeSet<>(
                        List.of(status.get(2).substring("Groups: ".length()).split(" "))))
                .isEqualTo(new TreeSet<>(List.of(groups.split(" "))));
        assertThat(said("umask").strip()).isEqualTo("0022");
        assertThat(said("place").strip()).isEqualTo(ada.home().toString());
        assertThat(said("session")).as("a session of its own").isEqualTo(said("self"));
        assertThat(said("oom").strip()).isEqualTo("500");
        // Its own three, and the directory that ls reads.
        assertThat(said("files").lines().filter(line -> line.contains(" -> "))).hasSize(4);
    }

    @Test
    void aCommandHasNothingOfTheServersEnvironment() throws IOException {
        assertArrived("env > environment");
        assertThat(said("environment").lines())
                .containsExactlyInAnyOrder(
                        "HOME=" + ada.home(),
                        "PWD=" + ada.home(),
                        "USER=" + ada.name(),
                        "LOGNAME=" + ada.name(),
                        "SHELL=/bin/sh",
                        "PATH=/usr/local/bin:/usr/bin:/bin",
                        "LANG=C.UTF-8",
                        "BERTH_NOTICE_ID=k1",
                        "BERTH_NOTICE_REPEATED=true",
                        "BERTH_MOMENT=test",
                        "BERTH_JOB_ID=0",
                        "BERTH_STATE=COMPLETED",
                        "CUDA_VISIBLE_DEVICES=",
                        "NVIDIA_VISIBLE_DEVICES=void");
    }

    @Test
    void aHomeThatCannotBeEnteredIsNotEntered() throws IOException {
        Path home = ada.home();
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("---------"));
        try {
            assertThat(failed("pwd >&2; exit 3", LONG).sentence()).isEqualTo("it ended with code 3: /");
        } finally {
            Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exit 7                                    | false | it ended with code 7",
                "echo 'no \u001b[31mroom' >&2; echo more >&2; exit 1 | false | it ended with code 1: no  [31mroom",
                "/no/such/program                          | true  | it ended with code 127: /bin/sh: 1: /no/such/program: not found",
                "/etc/passwd                               | true  | it ended with code 126: /bin/sh: 1: /etc/passwd: Permission denied",
                "kill -9 $$                                | false | it ended with code 137 (killed; it may have taken more memory than a command may)",
            })
    void aCommandThatFailsSaysWhy(String line, boolean isFinal, String sentence) {
        Failed failed = failed(line, LONG);
        assertThat(failed.isFinal()).isEqualTo(isFinal);
        assertThat(failed.sentence().replaceFirst("(/bin/)?sh: 1: ", "/bin/sh: 1: "))
                .isEqualTo(sentence);
    }

    @Test
    void whatACommandSaysIsShownInShort() {
        assertThat(failed("head -c 10000000 /dev/zero | tr '\\0' x >&2; exit 1", LONG)
                        .sentence())
                .hasSizeLessThan(250)
                .startsWith("it ended with code 1: xxx")
                .endsWith("...");
        assertArrived("head -c 10000000 /dev/zero");
        assertArrived("exec 0<&- 1>&- 2>&-");
    }

    @Test
    void aNoticeThatNobodyReadsHoldsNobodyUp() {
        Content large = Content.test(HUGE, Jobs.ENDED, "harbour1");
        try (CommandSender sender = new CommandSender(rules(0), LONG)) {
            assertThat(sender.send(new Command("exit 0"), ada.uid(), "k1", large, false))
                    .isInstanceOf(Arrived.class);
        }
        assertNothingIsLeft();
    }

    @Test
    void whatACommandLeavesRunningIsEnded() throws IOException {
        assertArrived(
                "setsid sleep 1000 > /dev/null 2>&1 & (env -i setsid sh -c 'while :; do sleep 0.01; done' &) ; echo"
                        + " told > left");
        assertThat(said("left")).isEqualTo("told\n");
        assertArrived("sleep 1000 &");
    }

    @Test
    void aCommandThatHangsIsEnded() {
        Instant begun = InstantSource.system().instant();
        Failed failed = failed("trap '' TERM; sleep 1000", Duration.ofSeconds(1));
        assertThat(failed.sentence()).isEqualTo("it had not ended after 1 seconds, and was ended");
        assertThat(failed.isFinal()).isFalse();
        assertThat(Duration.between(begun, InstantSource.system().instant())).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void aCommandThatForksWithoutEndIsBoundedAndEnded() throws IOException {
        Path _ = Files.writeString(ada.home().resolve("bomb.py"), """
                import os, time
                while True:
                    try:
                        os.fork()
                    except OSError:
                        time.sleep(0.05)
                """);
        CompletableFuture<Integer> most = CompletableFuture.supplyAsync(CommandSenderTest::most);
        assertThat(failed("python3 bomb.py", Duration.ofSeconds(3)).sentence()).contains("had not ended");
        assertThat(most.join()).isBetween(20, 32);
    }

    private static int most() {
        int most = 0;
        for (int times = 0; times < 60; times++) {
            most = Math.max(most, processes().size());
            LockSupport.parkNanos(50_000_000);
        }
        return most;
    }

    @Test
    void aCommandThatTakesTooMuchMemoryIsEnded() {
        Failed failed = failed("python3 -c 'a = b\"x\" * (200 << 20)'; exit $?", LONG);
        assertThat(failed.sentence()).startsWith("it ended with code 137 (killed;");
        assertArrived("python3 -c 'a = b\"x\" * (20 << 20)'");
    }

    @Test
    void commandsThatRunAreEndedWithTheServer() throws Exception {
        CommandSender sender = new CommandSender(rules(0), LONG);
        CompletableFuture<Sent> sent = CompletableFuture.supplyAsync(
                () -> sender.send(new Command("touch begun; sleep 1000"), ada.uid(), "k1", CONTENT, false));
        awaitFile("begun");
        sender.close();
        assertThat(sent.join()).isInstanceOf(Failed.class);
        assertNothingIsLeft();
        assertThat(sender.send(new Command("touch late"), ada.uid(), "k1", CONTENT, false))
                .isEqualTo(Failed.of("the server ends"));
        assertThat(ada.home().resolve("late")).doesNotExist();
    }

    @Test
    void theNextServerEndsWhatAKilledOneHasLeft() throws Exception {
        CommandSender sender = new CommandSender(rules(0), LONG);
        CompletableFuture<Sent> sent = CompletableFuture.supplyAsync(
                () -> sender.send(new Command("touch running; sleep 1000"), ada.uid(), "k1", CONTENT, false));
        awaitFile("running");
        assertThat(cgroupsThere()).isNotEmpty();
        assertThat(cgroups().whyNone()).isEmpty();
        assertNothingIsLeft();
        assertThat(sent.join()).isInstanceOf(Failed.class);
    }

    private static void awaitFile(String name) {
        Instant end = InstantSource.system().instant().plus(LONG);
        while (!Files.exists(ada.home().resolve(name))) {
            assertThat(InstantSource.system().instant()).isBefore(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void whoMayRunNoneIsToldWhy() throws Exception {
        assertThat(rules(0).objection(ada.uid(), true)).isEmpty();
        assertThat(rules(0).objection(ada.uid(), false))
                .hasValueSatisfying(
                        why -> assertThat(why).contains("a token lets nobody run anything outside of a container"));
        assertThat(rules(0).objection(0, true))
                .hasValueSatisfying(why -> assertThat(why).contains("none is run as root"));
        assertThat(rules(4_711).objection(ada.uid(), true))
                .hasValueSatisfying(why -> assertThat(why).contains("as another user than its own"));
        assertThat(rules(0).objection(4_000_000, true))
                .hasValueSatisfying(
                        why -> assertThat(why).contains("user 4000000 is not in this machine's user database"));
        try (TestUser service = TestUser.create("berth-cmd-service", "/usr/sbin/nologin")) {
            assertThat(rules(0).objection(service.uid(), true))
                    .hasValueSatisfying(why ->
                            assertThat(why).contains("the login shell of berth-cmd-service is /usr/sbin/nologin"));
        }
        assertThat(new CommandRules(false, cgroups, 0, new Users()).objection(ada.uid(), true))
                .hasValueSatisfying(why -> assertThat(why).contains("(notify.commands)"));
        assertThat(CommandRules.none("no room").objection(ada.uid(), true))
                .contains("is a command, and this server can bound none here: no room");
        try (CommandSender sender = new CommandSender(CommandRules.none("no room"), LONG)) {
            Failed failed = (Failed) sender.send(new Command("true"), ada.uid(), "k1", CONTENT, false);
            assertThat(failed.isFinal()).isTrue();
        }
    }
}
