package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.runner.slurm.SlurmText.AccountLine;
import dev.berth.server.runner.slurm.SlurmText.EndLine;
import dev.berth.server.runner.slurm.SlurmText.ExitStatus;
import dev.berth.server.runner.slurm.SlurmText.NodeLine;
import dev.berth.server.runner.slurm.SlurmText.QueueLine;
import dev.berth.server.runner.slurm.SlurmText.UseLine;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts as Slurm 22.05 writes them. */
class SlurmTextTest {
    private static final Instant START = Instant.parse("2026-11-28T17:15:49Z");

    @Test
    void readsTheQueue() {
        String text = """
            1|1001|FAILED|NonZeroExitCode|2026-11-28T17:15:49|node1|berth-x-1-1
            6|1001|PENDING|PartitionConfig|N/A||berth-x-2-1
            """;
        assertThat(SlurmText.queue(text))
                .containsExactly(
                        new QueueLine("1", 1001, "FAILED", "NonZeroExitCode", START, "node1", "berth-x-1-1"),
                        new QueueLine("6", 1001, "PENDING", "PartitionConfig", null, "", "berth-x-2-1"));
    }

    @Test
    void keepsANameWithTheSignThatSetsFieldsOff() {
        assertThat(SlurmText.queue("7|0|RUNNING|None|2026-11-28T17:15:49|node[1-2]|a|b"))
                .extracting(QueueLine::name)
                .containsExactly("a|b");
    }

    @Test
    void leavesOutWhatIsNoLineOfTheQueue() {
        assertThat(SlurmText.queue("Welcome to the cluster|of|our|lab|today|and|always\n\nslurm: hello\n"))
                .isEmpty();
    }

    @Test
    void readsTheAccounts() {
        String text = """
            1|1001|FAILED|3:0|2026-11-28T17:15:49|2026-11-28T17:15:49|node1|berth-x-1-1
            6|1001|CANCELLED by 1001|0:0|None|2026-11-28T17:15:49|None assigned|berth-x-2-1
            7|1001|RUNNING|0:0|2026-11-28T17:15:49|Unknown|node1|berth-x-3-1
            """;
        assertThat(SlurmText.accounts(text))
                .containsExactly(
                        new AccountLine(
                                "1", 1001, "FAILED", new ExitStatus(3, 0), START, START, "node1", "berth-x-1-1"),
                        new AccountLine(
                                "6",
                                1001,
                                "CANCELLED by 1001",
                                new ExitStatus(0, 0),
                                null,
                                START,
                                "None assigned",
                                "berth-x-2-1"),
                        new AccountLine(
                                "7", 1001, "RUNNING", new ExitStatus(0, 0), START, null, "node1", "berth-x-3-1"));
    }

    @Test
    void readsWhatWasUsed() {
        assertThat(SlurmText.uses("1|00:00.036|\n1.batch|1-02:03:04|1234K\n"))
                .containsExactly(
                        new UseLine("1", Duration.ofMillis(36), 0),
                        new UseLine(
                                "1.batch",
                                Duration.ofDays(1).plusHours(2).plusMinutes(3).plusSeconds(4),
                                1234 * 1024));
    }

    @Test
    void countsANodeOnceHoweverManyPartitionsItIsIn() {
        String text = """
            node1|idle|8|gpu:fake:2
            node1|idle|8|gpu:fake:2
            node2|down*|16|gpu:a100:4(S:0-1),gpu:2
            node3|mixed|8|(null)
            """;
        assertThat(SlurmText.nodes(text))
                .containsExactly(
                        new NodeLine("node1", "idle", 8, 2),
                        new NodeLine("node2", "down*", 16, 6),
                        new NodeLine("node3", "mixed", 8, 0));
        assertThat(SlurmHealth.capacity(SlurmText.nodes(text))).isEqualTo("3 nodes, 32 cores, 8 GPUs");
    }

    @ParameterizedTest
    @CsvSource({"4711,4711", "4711;lab,4711", "'warning: be careful\n12',12", "'',", "error,"})
    void readsTheNumberOfASubmittedJob(String text, String number) {
        assertThat(SlurmText.submitted(text).orElse(null)).isEqualTo(number);
    }

    @ParameterizedTest
    @CsvSource({"3:0,3,0", "0:9,0,9", "0:53,0,53", "768,3,0", "35072,137,0", "9,0,9", "53,0,53", "Unknown,0,0", "'',0,0"
    })
    void readsHowItEnded(String text, int code, int signal) {
        assertThat(SlurmText.exit(text)).isEqualTo(new ExitStatus(code, signal));
    }

    @ParameterizedTest
    @CsvSource({"1234K,1263616", "1.50M,1572864", "12,12", "0,0", "'',0", "many,0", "2Gn,2147483648"})
    void readsMemory(String text, long bytes) {
        assertThat(SlurmText.bytes(text)).isEqualTo(bytes);
    }

    @Test
    void readsWhenItEnded() {
        assertThat(SlurmText.ends("""
            Welcome to the lab
            7_1                                     256                 2026-11-29T22:32:40          \s
            8                                       0                   N/A                          \s
            """))
                .containsExactly(
                        new EndLine("7_1", new ExitStatus(1, 0), Instant.parse("2026-11-29T22:32:40Z")),
                        new EndLine("8", new ExitStatus(0, 0), null));
    }

    @Test
    void saysWhatOrderTheConfigurationPromises() {
        String config = "SchedulerType           = sched/builtin\nPriorityType            = priority/basic\n";
        assertThat(SlurmHealth.order(config)).startsWith("first in, first out in each partition");
        assertThat(SlurmHealth.order(config.replace("priority/basic", "priority/multifactor")))
                .startsWith("by Slurm's priorities");
        assertThat(SlurmHealth.order(config.replace("builtin", "backfill"))).contains("a later one may start first");
        assertThat(SlurmHealth.order("")).doesNotContain("first in, first out");
    }
}
