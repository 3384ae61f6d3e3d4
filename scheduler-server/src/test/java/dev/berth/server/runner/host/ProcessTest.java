package dev.berth.server.runner.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.linux.ProcessKey;
import dev.berth.server.linux.ProcessStat;
import dev.berth.server.linux.ProcessTable;
import dev.berth.server.runner.host.ProcessTree.Root;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.VirtualThreadTasks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Real processes: which came of which, what ends them, and who hears of it. */
class ProcessTest {
    private static final Duration GRACE = Duration.ofMillis(300);
    private static final long PATIENCE = 30;

    private final ProcessTable table = new ProcessTable(Path.of("/proc"));
    private final ProcessTree tree = new ProcessTree(
            table, new LinuxKernel(BackgroundWork.onVirtualThreads(InstantSource.system())), new VirtualThreadTasks());
    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() {
        started.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().onExit().join();
        });
    }

    private Process sh(String mark, String script) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", script);
        builder.environment().put("BERTH_TEST_MARK", mark);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private ProcessKey key(long pid) {
        return table.find(pid).orElseThrow().key();
    }

    private Root root(Process process, String mark) {
        return Root.of(
                key(process.pid()),
                "BERTH_TEST_MARK=" + mark,
                table.owner(process.pid()).orElseThrow(),
                null);
    }

    @Test
    void aNameWithParenthesesAndBlanksIsRead() {
        String fields = "1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0";
        assertThat(ProcessStat.parse(5, "5 (a ) R (b) S " + fields)).hasValueSatisfying(stat -> {
            assertThat(stat.key()).isEqualTo(new ProcessKey(5, 4711));
            assertThat(stat.hasEnded()).isFalse();
        });
        assertThat(ProcessStat.parse(5, "5 (a) Z " + fields))
                .hasValueSatisfying(stat -> assertThat(stat.hasEnded()).isTrue());
        assertThat(ProcessStat.parse(5, "5 (a) S 1 1")).isEmpty();
        assertThat(ProcessStat.parse(5, "")).isEmpty();
    }

    @Test
    void aNumberThatIsAnothersNowIsNotTheProcess() throws IOException {
        Process process = sh("none", "read line");
        ProcessKey key = key(process.pid());
        assertThat(table.isAlive(key)).isTrue();
        assertThat(table.isAlive(new ProcessKey(key.pid(), key.startTicks() + 1)))
                .isFalse();
        assertThat(table.owner(key.pid())).isPresent();
        assertThat(table.owner(1L << 40)).isEqualTo(OptionalLong.empty());
        assertThat(table.ancestry(process.pid()))
                .contains(key, key(ProcessHandle.current().pid()));
    }

    @Test
    void anEndIsHeardOnceAndAWatchThatIsClosedHearsNothing() throws Exception {
        ProcessWatch watch = new ProcessWatch(table, BackgroundWork.onVirtualThreads(InstantSource.system()));
        Process process = sh("none", "read line");
        CompletableFuture<Boolean> heard = new CompletableFuture<>();
        CompletableFuture<Boolean> unheard = new CompletableFuture<>();
        var _ = watch.watch(key(process.pid()), () -> heard.complete(true));
        watch.watch(key(process.pid()), () -> unheard.complete(true)).close();

        process.destroyForcibly();

        assertThat(heard.get(PATIENCE, TimeUnit.SECONDS)).isTrue();
        assertThat(unheard).isNotDone();
        CompletableFuture<Boolean> late = new CompletableFuture<>();
        var _ = watch.watch(new ProcessKey(process.pid(), 1), () -> late.complete(true));
        assertThat(late.get(PATIENCE, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aTreeEndsWithWhatLeftItAndWithWhatDoesNotListen() throws Exception {
        // The first goes away into a session of its own, whose parent is gone; the second does not listen to TERM.
        Process process = sh(
                "tree",
                "(setsid sleep 1000 & echo $! >&3) 3>&1; (trap '' TERM; echo ready; while :; do sleep 0.1; done) &"
                        + " wait");
        long stray = Long.parseLong(process.inputReader().readLine());
        assertThat(process.inputReader().readLine()).isEqualTo("ready");
        Process bystander = sh("another", "read line");
        Root root = root(process, "tree");

        assertThat(tree.end(root, GRACE)).isTrue();

        assertThat(process.waitFor(PATIENCE, TimeUnit.SECONDS)).isTrue();
        assertThat(table.find(stray).filter(stat -> !stat.hasEnded())).isEmpty();
        assertThat(table.tree(root.seen(), Set::of, root.mark(), root.uid())).isEmpty();
        assertThat(bystander.isAlive()).isTrue();
    }

    @Test
    void aMarkOnAnothersProcessDoesNotCount() throws IOException {
        Process process = sh("foreign", "read line");
        Root root = root(process, "foreign");

        assertThat(table.tree(Set.of(), Set::of, root.mark(), root.uid()))
                .extracting(ProcessStat::pid)
                .containsExactly(process.pid());
        assertThat(table.tree(Set.of(), Set::of, root.mark(), root.uid() + 1)).isEmpty();
    }

    /** The number of one that has ended is given to another, no matter whose that is. */
    @Test
    void whatIsInACgroupIsAskedOnceTheProcessesAreKnown() {
        int before = started.size();
        assertThat(table.tree(Set.of(), () -> Set.of(later().pid()), "MARK=none", 0))
                .isEmpty();
        assertThat(started).hasSize(before + 1);
    }

    private Process later() {
        try {
            return sh("later", "read line");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
