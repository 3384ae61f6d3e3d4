package dev.berth.server.runner.slurm;

import dev.berth.core.text.Utf8;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineException.Scope;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What Slurm's programs, {@code ssh} and the shell say where they fail, as sentences with the way out. They write for people, and
 * their exit code says little: so their own fixed texts decide, of which none holds what a submitter has written.
 */
final class SlurmSentences {
    private static final int MAX_QUOTED = 400;
    private static final Pattern LIMIT = Pattern.compile("MaxSubmitJob|GrpSubmitJob|temporarily unable to accept");
    private static final int MAX_LINES = 3;

    private static final Pattern SPEAKER = Pattern.compile(
            "^(?:s[a-z]+|setpriv|env|tar|mkdir): (?:error|fatal): |^s[a-z]+ error: |^slurm_[a-z_]+ error: ");
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");

    /**
     * A text that a program says, and what to make of it.
     *
     * @param remedy what to do, behind a semicolon
     */
    private record Known(Pattern text, Kind kind, Scope scope, String what, String remedy) {
        static Known of(String text, Kind kind, String what, String remedy) {
            return of(text, kind, Scope.ONE, what, remedy);
        }

        static Known of(String text, Kind kind, Scope scope, String what, String remedy) {
            return new Known(Pattern.compile(text), kind, scope, what, remedy);
        }
    }

    /** In order: the first that is found counts. */
    private static final List<Known> KNOWN = List.of(
            Known.of(
                    "(?i)munge|Protocol authentication error|Invalid authentication credential",
                    Kind.UNREACHABLE,
                    "Slurm does not accept who asks: munge does not answer, or has another key than the controller's",
                    "systemctl status munge, then: munge -n | unmunge"),
            Known.of(
                    "Unable to contact slurm controller|Communication connection failure|Socket timed out"
                            + "|Zero Bytes were transmitted|Connection timed out.*slurm|Unexpected message received",
                    Kind.UNREACHABLE,
                    "Slurm's controller does not answer",
                    "scontrol ping says which machine it is on; see slurmctld there"),
            Known.of(
                    "in standby mode",
                    Kind.UNREACHABLE,
                    "Slurm's controller is in standby",
                    "scontrol ping says which one serves"),
            Known.of(
                    "slurm_persist_conn_open|Sending PersistInit msg|Problem talking to the database",
                    Kind.UNREACHABLE,
                    "Slurm's accounts do not answer",
                    "sacctmgr show cluster; see slurmdbd on its machine"),
            Known.of(
                    "Could not establish a configuration source|cannot stat file|Unable to process configuration file"
                            + "|Parse error in file",
                    Kind.UNREACHABLE,
                    "Slurm's programs find no configuration",
                    "set SLURM_CONF in targets.NAME.slurm.environment to the file's path"),
            Known.of(
                    "Permission denied \\((?:publickey|gssapi|keyboard|password|hostbased)",
                    Kind.FAILING,
                    Scope.USER,
                    "the login node refuses each key of the submitter",
                    "ssh-copy-id as the submitter, with a key that needs no passphrase, then: ssh -o BatchMode=yes"
                            + " HOST true"),
            Known.of(
                    "Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED",
                    Kind.FAILING,
                    Scope.USER,
                    "the login node is not known to the submitter's ssh, or is another one than it was",
                    "ssh HOST once as the submitter, and compare its key"),
            Known.of(
                    "Could not resolve hostname|ssh: connect to host|Connection reset by"
                            + "|kex_exchange_identification|client_loop",
                    Kind.UNREACHABLE,
                    "the login node cannot be reached by ssh",
                    "ssh -o BatchMode=yes HOST true, as the submitter"),
            Known.of(
                    "Connection closed by",
                    Kind.FAILING,
                    Scope.USER,
                    "the login node closes the submitter's connection",
                    "ssh -o BatchMode=yes HOST true, as the submitter: the account may be closed there"),
            Known.of(
                    "failed to execute|command not found|: not found|env: .*No such file or directory",
                    Kind.UNREACHABLE,
                    "one of Slurm's programs is not there",
                    "install slurm-client, or set targets.NAME.slurm.programs to the directory that they are in"),
            Known.of(
                    "setresuid|setresgid|setgroups|setpriv:",
                    Kind.FAILING,
                    "the server cannot take the submitter's rights",
                    "it has to run as root, with the capabilities SETUID and SETGID"),
            Known.of(
                    "(?i)invalid partition",
                    Kind.REFUSED,
                    "Slurm has no such partition",
                    "set targets.NAME.slurm.partition to one that this lists: sinfo -h -o %R"),
            Known.of(
                    "Invalid account or account/partition",
                    Kind.REFUSED,
                    "Slurm does not know the account, or not for this user and partition",
                    "sacctmgr show assoc user=NAME lists theirs; an administrator adds one by: sacctmgr add user NAME"
                            + " account=ACCOUNT"),
            Known.of(
                    "(?i)invalid qos",
                    Kind.REFUSED,
                    "Slurm does not have that QOS, or not for this user",
                    "sacctmgr show assoc user=NAME format=qos lists theirs"),
            new Known(
                    LIMIT,
                    Kind.FAILING,
                    Scope.USER,
                    "Slurm takes no more jobs for now",
                    "it is tried again; the limit is in: sacctmgr show assoc user=NAME format=maxsubmit"),
            Known.of(
                    "Job violates accounting/QOS policy",
                    Kind.REFUSED,
                    "a limit of Slurm's accounting is in the way",
                    "ask for less, or see: sacctmgr show assoc user=NAME"),
            Known.of(
                    "Memory specification can not be satisfied",
                    Kind.REFUSED,
                    "no node has so much memory",
                    "ask for less; sinfo -N -o '%N %m' lists what they have"),
            Known.of(
                    "Invalid generic resource|Invalid Trackable RESource|Invalid gres",
                    Kind.REFUSED,
                    "Slurm counts no such GPUs",
                    "sinfo -o '%N %G' lists those it has; without any, GresTypes=gpu is missing in its slurm.conf"),
            Known.of(
                    "Requested node configuration is not available|Node count specification invalid"
                            + "|More processors requested than permitted|CPU count per node can not be satisfied",
                    Kind.REFUSED,
                    "no node can ever have what the job asks for at once",
                    "ask for less; sinfo -N -o '%N %c %m %G' lists CPUs, MiB and GPUs of each"),
            Known.of(
                    "Requested time limit is invalid|Invalid --time|Invalid time limit",
                    Kind.REFUSED,
                    "the time limit is more than the partition's, or there has to be one",
                    "set --time; sinfo -o '%R %l' lists the partitions' limits"),
            Known.of(
                    "Invalid feature specification|Invalid constraint",
                    Kind.REFUSED,
                    "no node has that feature",
                    "sinfo -o '%N %f' lists those there are; they come from --gpu-label and targets.NAME.slurm.options"),
            Known.of(
                    "Invalid node name specified|Requested nodes? .*not available|Requested reservation is invalid"
                            + "|Access denied to requested reservation",
                    Kind.REFUSED,
                    "what targets.NAME.slurm.options names is not there",
                    "correct it; sinfo -N and scontrol show reservation list what there is"),
            Known.of(
                    "User's group not permitted|Access/permission denied|not permitted to use this partition"
                            + "|Invalid user id|Invalid user",
                    Kind.REFUSED,
                    "Slurm does not let this user do that",
                    "ask its administrator; the user has to be known on the controller's machine too: id NAME"),
            Known.of(
                    "unrecognized option|invalid option|requires an argument|option .* is ambiguous",
                    Kind.REFUSED,
                    "sbatch does not know an option",
                    "correct targets.NAME.slurm.options; sbatch --help lists what there is"),
            Known.of(
                    "No cluster '.*' known|invalid entry for --cluster",
                    Kind.REFUSED,
                    "Slurm knows no such cluster",
                    "sacctmgr list clusters shows those it does"),
            Known.of(
                    "Partition .* (?:is|are) (?:down|in state)|Required partition not available",
                    Kind.FAILING,
                    Scope.ALL,
                    "the partition takes no jobs now",
                    "sinfo shows its state; an administrator opens it by: scontrol update PartitionName=NAME State=UP"),
            Known.of(
                    "Requested operation is presently disabled|Job update not available right now|Try again later",
                    Kind.FAILING,
                    Scope.ALL,
                    "Slurm does not do that now",
                    "it is tried again"),
            Known.of("Batch job submission failed|sbatch: error: ", Kind.REFUSED, "Slurm does not take the job", ""));

    private SlurmSentences() {}

    /**
     * The failure of a program that has ended.
     *
     * @param name for people: {@code sbatch on login1}
     */
    static EngineException of(String name, Said said) {
        String text = said.error().isBlank() ? said.text() : said.error();
        String quoted = quoted(text, said.code());
        for (Known known : KNOWN) {
            if (known.text().matcher(text).find()) {
                return new EngineException(
                        known.kind(),
                        known.scope(),
                        known.what() + " (" + name + ": " + quoted + ")"
                                + (known.remedy().isEmpty() ? "" : "; " + known.remedy()));
            }
        }
        return new EngineException(Kind.FAILING, "Slurm: " + name + " failed: " + quoted);
    }

    /** Whether Slurm takes no more jobs for now, of which each task of an array is one. */
    static boolean isOfLimit(Said said) {
        return LIMIT.matcher(said.error()).find();
    }

    /** The sentence about what could not be done in the shared directory. */
    static String ofFiles(String place, String said) {
        return "the job's files could not be kept in the shared directory " + place + ": "
                + quoted(said, SharedScripts.NOT_DONE)
                + "; the submitter needs to be able to write there, with room left: see targets.NAME.slurm.directory";
    }

    /** The sentence about a program that had to be ended. */
    static String late(String name, Duration deadline, String said) {
        String quoted = said.isBlank() ? "" : quoted(said, 0);
        return name + " had not ended after " + deadline.toSeconds() + " s, and was ended: "
                + (quoted.isEmpty()
                        ? "it said nothing, as Slurm's programs do where munge does not run (systemctl status munge),"
                                + " and others where a shared directory hangs"
                        : "it had said: " + quoted);
    }

    /** What was said, as one short line. */
    private static String quoted(String text, int code) {
        String line = text.lines()
                .filter(part -> !part.isBlank())
                .map(part -> SPEAKER.matcher(part.strip()).replaceFirst(""))
                .map(part -> CONTROL.matcher(part).replaceAll(" "))
                .distinct()
                .limit(MAX_LINES)
                .collect(Collectors.joining("; "));
        return line.isBlank() ? "it ended with code " + code + " and said nothing" : Utf8.cut(line, MAX_QUOTED);
    }
}
