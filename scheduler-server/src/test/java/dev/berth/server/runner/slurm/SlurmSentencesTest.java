package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What Slurm 22.05's programs, ssh and setpriv have said on real machines. */
class SlurmSentencesTest {
    private static final String FAILED = "sbatch: error: Batch job submission failed: ";

    static Stream<Arguments> said() {
        return Stream.of(
                // Outages.
                arguments(
                        FAILED + "Unable to contact slurm controller (connect failure)",
                        Kind.UNREACHABLE,
                        "scontrol ping"),
                arguments(
                        "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
                        Kind.UNREACHABLE,
                        "controller does not answer"),
                arguments(
                        "slurm_load_partitions: Unable to contact slurm controller (connect failure)",
                        Kind.UNREACHABLE,
                        "controller does not answer"),
                arguments(
                        FAILED + "Socket timed out on send/recv operation",
                        Kind.UNREACHABLE,
                        "controller does not answer"),
                arguments(
                        FAILED + "Zero Bytes were transmitted or received",
                        Kind.UNREACHABLE,
                        "controller does not answer"),
                arguments(FAILED + "Slurm backup controller in standby mode", Kind.UNREACHABLE, "which one serves"),
                arguments("""
                    sacctmgr: error: If munged is up, restart with --num-threads=10
                    sacctmgr: error: Munge encode failed: Failed to access "/run/munge/munge.socket.2": No such file or directory (Did you start munged?)
                    sacctmgr: error: Sending PersistInit msg: Protocol authentication error
                    """, Kind.UNREACHABLE, "systemctl status munge"),
                arguments(FAILED + "Protocol authentication error", Kind.UNREACHABLE, "has another key"),
                arguments("""
                    sacct: error: slurm_persist_conn_open_without_init: failed to open persistent connection to host:127.0.0.1:31941: Connection refused
                    sacct: error: Problem talking to the database: Connection refused
                    """, Kind.UNREACHABLE, "see slurmdbd"),
                arguments("""
                    squeue: error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host
                    squeue: fatal: Could not establish a configuration source
                    """, Kind.UNREACHABLE, "set SLURM_CONF"),
                arguments("""
                    squeue: error: Parse error in file /etc/passwd line 1: "root:x:0:0:root:/root:/bin/bash"
                    squeue: fatal: Unable to process configuration file
                    """, Kind.UNREACHABLE, "set SLURM_CONF"),
                arguments(
                        "setpriv: failed to execute sbatch: No such file or directory",
                        Kind.UNREACHABLE,
                        "install slurm-client"),
                arguments(
                        "/usr/bin/env: 'sbatch': No such file or directory", Kind.UNREACHABLE, "install slurm-client"),
                arguments("setpriv: setresuid failed: Operation not permitted", Kind.FAILING, "run as root"),
                // The way by ssh.
                arguments(
                        "ssh: Could not resolve hostname nosuchhost.invalid: Name or service not known",
                        Kind.UNREACHABLE,
                        "cannot be reached by ssh"),
                arguments(
                        "ssh: connect to host 127.0.0.1 port 22: Connection refused",
                        Kind.UNREACHABLE,
                        "cannot be reached by ssh"),
                arguments("ada@login1: Permission denied (publickey).", Kind.FAILING, "ssh-copy-id"),
                arguments("Host key verification failed.", Kind.FAILING, "compare its key"),
                arguments("""
                    @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
                    @    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
                    @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
                    """, Kind.FAILING, "another one than it was"),
                arguments(
                        "kex_exchange_identification: read: Connection reset by peer",
                        Kind.UNREACHABLE,
                        "cannot be reached by ssh"),
                // What is asked for.
                arguments(
                        "sbatch: error: invalid partition specified: nosuch\n" + FAILED
                                + "Invalid partition name specified",
                        Kind.REFUSED,
                        "sinfo -h -o %R"),
                arguments(
                        FAILED + "Invalid account or account/partition combination specified",
                        Kind.REFUSED,
                        "sacctmgr add user"),
                arguments(FAILED + "Invalid qos specification", Kind.REFUSED, "format=qos"),
                arguments(
                        FAILED + "Requested node configuration is not available",
                        Kind.REFUSED,
                        "what the job asks for at once"),
                arguments(
                        FAILED + "More processors requested than permitted",
                        Kind.REFUSED,
                        "what the job asks for at once"),
                arguments("sbatch: error: Invalid generic resource (gres) specification", Kind.REFUSED, "no such GPUs"),
                arguments(
                        "sbatch: error: Memory specification can not be satisfied\n" + FAILED
                                + "Requested node configuration is not available",
                        Kind.REFUSED,
                        "no node has so much memory"),
                arguments(FAILED + "Invalid feature specification", Kind.REFUSED, "no node has that feature"),
                arguments(FAILED + "Invalid node name specified", Kind.REFUSED, "slurm.options"),
                arguments(FAILED + "Requested reservation is invalid", Kind.REFUSED, "slurm.options"),
                arguments(
                        FAILED + "Requested time limit is invalid (missing or exceeds some limit)",
                        Kind.REFUSED,
                        "set --time"),
                arguments("sbatch: error: Invalid --time specification", Kind.REFUSED, "set --time"),
                arguments(
                        "sbatch: unrecognized option '--bogus'\nTry \"sbatch --help\" for more information",
                        Kind.REFUSED,
                        "correct targets.NAME.slurm.options"),
                arguments(
                        "sbatch: error: No cluster 'other' known by database.\n"
                                + "sbatch: error: 'other' can't be reached now, or it is an invalid entry for --cluster.",
                        Kind.REFUSED,
                        "sacctmgr list clusters"),
                arguments(
                        FAILED + "User's group not permitted to use this partition", Kind.REFUSED, "its administrator"),
                arguments("slurm_suspend error: Access/permission denied", Kind.REFUSED, "its administrator"),
                arguments(FAILED + "Invalid user id", Kind.REFUSED, "known on the controller's machine too: id NAME"),
                arguments(
                        FAILED + "Access denied to requested reservation",
                        Kind.REFUSED,
                        "scontrol show reservation list what there is"),
                // What may go another time.
                arguments(
                        "sbatch: error: AssocMaxSubmitJobLimit\n" + FAILED
                                + "Job violates accounting/QOS policy (job submit limit, user's size and/or time"
                                + " limits)",
                        Kind.FAILING,
                        "takes no more jobs for now"),
                arguments(
                        FAILED
                                + "Job violates accounting/QOS policy (job submit limit, user's size and/or time"
                                + " limits)",
                        Kind.REFUSED,
                        "limit of Slurm's accounting"),
                arguments(
                        FAILED + "Required partition not available (inactive or drain)",
                        Kind.FAILING,
                        "PartitionName=NAME State=UP"),
                arguments(
                        FAILED + "Slurm temporarily unable to accept job, sleeping and retrying",
                        Kind.FAILING,
                        "takes no more jobs for now"),
                arguments(
                        "slurm_update error: Requested operation is presently disabled",
                        Kind.FAILING,
                        "Slurm does not do that now"),
                arguments("Job update not available right now, try again later", Kind.FAILING, "it is tried again"),
                // What nobody has met yet.
                arguments(FAILED + "The moon is full", Kind.REFUSED, "Slurm does not take the job"),
                arguments("scontrol: what is this", Kind.FAILING, "scontrol: what is this"));
    }

    @ParameterizedTest
    @MethodSource("said")
    void saysWhatIsTheMatterAndTheWayOut(String text, Kind kind, String part) {
        EngineException failure = SlurmSentences.of("sbatch on login1", new Said(1, new byte[0], text));
        assertThat(failure.kind()).as(failure.sentence()).isEqualTo(kind);
        assertThat(failure.sentence())
                .contains(part)
                .contains("sbatch on login1")
                .doesNotContain("\n");
    }

    @Test
    void quotesSlurmWithoutItsPrefixes() {
        assertThat(SlurmSentences.of(
                                "sbatch on this machine",
                                new Said(1, new byte[0], FAILED + "Invalid qos specification"))
                        .sentence())
                .isEqualTo("Slurm does not have that QOS, or not for this user (sbatch on this machine: Batch job"
                        + " submission failed: Invalid qos specification); sacctmgr show assoc user=NAME"
                        + " format=qos lists theirs");
    }

    @Test
    void saysThatAProgramSaidNothing() {
        assertThat(SlurmSentences.of("squeue on login1", new Said(3, new byte[0], " \n"))
                        .sentence())
                .contains("ended with code 3 and said nothing");
    }

    @Test
    void hintsAtMungeWhereALateProgramWasSilent() {
        assertThat(SlurmSentences.late("squeue on login1", Duration.ofSeconds(20), ""))
                .startsWith("squeue on login1 had not ended after 20 s")
                .contains("systemctl status munge");
        assertThat(SlurmSentences.late(
                        "squeue on login1",
                        Duration.ofSeconds(20),
                        "squeue: error: s_p_parse_file: cannot stat file /x"))
                .contains("it had said: s_p_parse_file: cannot stat file /x");
    }

    @Test
    void takesNoControlSignsFromWhatIsSaid() {
        assertThat(SlurmSentences.ofFiles("on this machine", "tar: a\033[31mb\007: Cannot open\n"))
                .doesNotContain("\033")
                .contains("a [31mb : Cannot open");
    }
}
